import process from "node:process";
import { SDK_VERSION } from "../../version.ts";
import { createApp } from "./app.ts";
import { buildUsage } from "./flags.ts";
import { listen } from "./listen.ts";
import { createLog } from "./log.ts";
import { type OpenedSink, openSink } from "./open_sink.ts";
import { parseSettings } from "./parse_settings.ts";
import { createReportRoutes } from "./report_routes.ts";
import { ServerFault } from "./server_fault.ts";
import { listSecrets, type Settings } from "./settings.ts";
import { untilSignal } from "./signals.ts";

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Runs the server until a signal ends it; resolves to the exit code: 1 when it can't start, 2 for a wrong setting. */
export async function run(args: readonly string[]): Promise<number> {
  let exitCode = EXIT_USAGE;
  try {
    const command = parseSettings(args, process.env);
    if (command === "help") return show(buildUsage());
    if (command === "version") return show(SDK_VERSION);
    exitCode = EXIT_FAILURE;
    await serve(command);
    return 0;
  } catch (error) {
    if (!(error instanceof ServerFault)) throw error;
    console.error(`ingest: ${error.message}`);
    return exitCode;
  }
}

async function serve(settings: Settings): Promise<void> {
  const { keys, path, maxPending, requestTimeoutMs } = settings;
  const log = createLog({
    level: settings.logLevel,
    write: (line) => console.log(line),
    now: Date.now,
    secrets: listSecrets(settings),
  });
  const signal = untilSignal();
  let opened: OpenedSink | undefined;
  try {
    opened = await openSink(settings.sink);
    const { sink } = opened;
    const routes = createReportRoutes(keys, { opened, log, now: Date.now });
    const app = createApp({ keys, sink, path, maxPending, requestTimeoutMs, log, routes });
    const listener = await listen({ ...settings, handle: app.handle });
    const { host, sink: { kind } } = settings;
    log("info", "listening", { host, port: listener.port, path, sink: kind, keys: keys.length });
    log("info", "stopping", { reason: await signal.received });
    await Promise.race([app.stop(), wait(settings.graceMs)]);
    await listener.stop();
    log("info", "stopped", { requests: app.total() });
  } finally {
    await opened?.close();
    signal.release();
  }
}

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

function show(text: string): number {
  console.log(text);
  return 0;
}
