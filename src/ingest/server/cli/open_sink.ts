import { readFileSync } from "node:fs";
import type { ClickHouseOptions } from "../../stores/clickhouse/clickhouse_port.ts";
import { createJetStreamSink } from "../../stores/jetstream/jetstream_sink.ts";
import { createMemorySink } from "../../stores/memory/memory_sink.ts";
import { createClickHouseReader } from "../../stores/clickhouse/clickhouse_reader.ts";
import { shareAllowance } from "../../stores/share_allowance.ts";
import type { ReportReader } from "../../ports/reader.ts";
import { createFileReader } from "../../stores/file/file_reader.ts";
import { createFileSink } from "../../stores/file/file_sink.ts";
import { measureTailLog } from "../../stores/file/folder_files.ts";
import type { EventSink } from "../../ports/sink.ts";
import { describeError } from "../../platform/describe_error.ts";
import { findFolderProblem } from "./find_folder_problem.ts";
import { ServerFault } from "../ops/server_fault.ts";
import type { NatsSettings, SinkSettings } from "./settings.ts";

/** A sink that can take events. */
export interface OpenedSink {
  /** Where events go. */
  readonly sink: EventSink;
  /** Where reports come from; absent where the sink can't be read. */
  readonly reader?: ReportReader;
  /** Returns how many bytes the write-ahead log of the tail has; absent where the sink has none. */
  readonly logBytes?: () => number;
  /** Closes both. */
  close(): Promise<void>;
}

/** Options of {@linkcode openSink}. */
export interface OpenSinkOptions {
  /** Where reports come from; absent where they come from the sink. */
  readonly reports?: ClickHouseOptions | undefined;
  /** Takes what goes wrong beside the storing of batches. */
  readonly onError?: (error: unknown) => void;
  /** Hears of each file whose events the reports leave out, since it can't be read. */
  readonly onDamaged?: (error: Error) => void;
}

/**
 * Opens the sink and makes sure that it can take events. Reports come from it, unless they are to come from a ClickHouse.
 *
 * @throws {ServerFault} When it can't.
 */
export async function openSink(settings: SinkSettings, options: OpenSinkOptions = {}): Promise<OpenedSink> {
  const { reports } = options;
  let opened: OpenedSink | undefined;
  try {
    opened = await open(settings, options);
    await opened.sink.check?.();
  } catch (cause) {
    await opened?.close();
    const problem = settings.kind === "file" ? findFolderProblem(settings.path) : undefined;
    const reason = [describeError(cause), problem].filter((text) => text !== undefined).join("; ");
    throw new ServerFault(`the sink can't be used: ${reason}`, { cause });
  }
  return reports === undefined ? opened : await readFrom(reports, opened);
}

/** Puts the reports of a ClickHouse in the place of the sink's own. */
async function readFrom(options: ClickHouseOptions, { sink, close }: OpenedSink): Promise<OpenedSink> {
  try {
    const reader = await createClickHouseReader(options);
    return {
      sink: shareAllowance(sink, reader),
      reader,
      async close(): Promise<void> {
        await Promise.all([close(), reader.close()]);
      },
    };
  } catch (cause) {
    await close();
    throw new ServerFault(`the reports can't be read: ${describeError(cause)}`, { cause });
  }
}

async function open(settings: SinkSettings, options: OpenSinkOptions): Promise<OpenedSink> {
  switch (settings.kind) {
    case "memory":
      return withoutReports(createMemorySink());
    case "file":
      return await openFiles(settings.path, options);
    case "nats":
      return withoutReports(await createNatsSink(settings));
  }
}

async function openFiles(path: string, { onError, onDamaged }: OpenSinkOptions): Promise<OpenedSink> {
  const sink = await createFileSink({ path, ...(onError && { onError }) });
  const reader = createFileReader({ path, ...(onDamaged && { onError: onDamaged }) });
  return {
    sink,
    reader,
    logBytes: () => measureTailLog(path),
    async close(): Promise<void> {
      await Promise.all([sink.close(), reader.close()]);
    },
  };
}

function withoutReports(sink: EventSink): OpenedSink {
  return { sink, close: sink.close };
}

async function createNatsSink({ kind: _, credentialsPath, ...options }: NatsSettings): Promise<EventSink> {
  const credentials = credentialsPath === undefined ? undefined : new Uint8Array(readFileSync(credentialsPath));
  return await createJetStreamSink({ ...options, ...(credentials && { credentials }) });
}
