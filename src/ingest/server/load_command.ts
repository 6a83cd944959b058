import { readFileSync } from "node:fs";
import { describeError } from "../describe_error.ts";
import { createLoader, type Loader } from "../load/loader.ts";
import { createSqliteTarget } from "../load/sqlite_target.ts";
import { createClickHouseTarget } from "../sinks/clickhouse/clickhouse_target.ts";
import type { LoadTarget } from "../sinks/load_target.ts";
import { listLoadSecrets, type LoadSettings, type LoadTargetSettings } from "./load_settings.ts";
import { createLog, createOutput, type Log, sendToStdout } from "./log.ts";
import { ServerFault } from "./server_fault.ts";
import { untilSignal } from "./signals.ts";

/** Between two lines that say what was done. */
const REPORT_MS = 60_000;

/**
 * Loads until a signal ends it.
 *
 * @throws {ServerFault} When it can't start.
 */
export async function load(settings: LoadSettings): Promise<void> {
  const output = createOutput(sendToStdout);
  const secrets = new Set(listLoadSecrets(settings));
  const log = createLog({ level: settings.logLevel, write: output.write, now: Date.now, secrets });
  const signal = untilSignal();
  try {
    const target = await openTarget(settings.to);
    const loader = await start(settings, target, log);
    log("info", "loading", { stream: settings.from.stream, consumer: settings.from.consumer, to: settings.to.kind });
    const stopReports = reportCounts(loader, log);
    log("info", "stopping", { reason: await signal.received });
    stopReports();
    const grace = new Promise((resolve) => setTimeout(resolve, settings.graceMs));
    // What isn't acknowledged by then comes again.
    await Promise.race([loader.close().then(() => target.close()), grace]);
    log("info", "stopped", { ...loader.counts() });
  } finally {
    await output.flush();
    signal.release();
  }
}

async function openTarget(settings: LoadTargetSettings): Promise<LoadTarget> {
  try {
    return settings.kind === "sqlite"
      ? await createSqliteTarget(settings.options)
      : await createClickHouseTarget(settings.options);
  } catch (cause) {
    throw new ServerFault(`the store can't be used: ${describeError(cause)}`, { cause });
  }
}

async function start(settings: LoadSettings, target: LoadTarget, log: Log): Promise<Loader> {
  const { credentialsPath, ...from } = settings.from;
  const { maxBlockEvents, purgeAfterMs } = settings;
  try {
    const credentials = credentialsPath === undefined ? undefined : new Uint8Array(readFileSync(credentialsPath));
    return await createLoader({
      ...from,
      ...(credentials && { credentials }),
      target,
      maxBlockEvents,
      purgeAfterMs,
      onError: (error) => log("error", "events wait", { reason: describeError(error) }),
    });
  } catch (cause) {
    await target.close();
    throw new ServerFault(`the stream can't be read: ${describeError(cause)}`, { cause });
  }
}

/** Says once a minute what was done, where anything was. */
function reportCounts(loader: Loader, log: Log): () => void {
  let last = loader.counts();
  const timer = setInterval(() => {
    const counts = loader.counts();
    const isNews = counts.loaded > last.loaded || counts.deadLetters > last.deadLetters || counts.purged > last.purged;
    if (isNews) log("info", "loaded", { ...counts });
    last = counts;
  }, REPORT_MS);
  return () => clearInterval(timer);
}
