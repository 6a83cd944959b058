import process from "node:process";
import { collectDefaultMetrics, Registry } from "prom-client";
import { type Plan, SDK_VERSION } from "@vendor/sdk/contract";
import { watchAlerts } from "./alert_watch.ts";
import { ALERT, EXIT_ALERT, parseAlertCommand, runAlertCommand } from "./alert_command.ts";
import { BACKUP, parseBackupCommand, runBackupCommand } from "./backup_command.ts";
import { type App, createApp, type Route } from "../http/app.ts";
import { buildUsage, type Command } from "./flags.ts";
import { listen, type Listener, toOrigin } from "../http/listen.ts";
import { createStoredLog, type StoredLog } from "../ops/stored_log.ts";
import { createLog, createOutput, type Log, sendToStdout } from "../ops/log.ts";
import { DATA, parseDataCommand, runDataCommand } from "./data_command.ts";
import { DEMO, type DemoCommand, parseDemoCommand, runDemoCommand } from "./demo_command.ts";
import { KEYS, runKeysCommand } from "./keys_command.ts";
import { readShopFiles, type ShopFiles } from "../demo/shop_files.ts";
import type { ServerKey } from "./keys_file.ts";
import { watchKeys } from "./keys_watch.ts";
import { load } from "./load_command.ts";
import { LOAD, parseLoadSettings } from "./load_settings.ts";
import { MCP, parseMcpCommand, runMcpCommand } from "./mcp_command.ts";
import { NOTE, runNoteCommand } from "./note_command.ts";
import { parseReportCommand, REPORT, writeReport } from "./report_command.ts";
import { parseSqlCommand, runSqlCommand, SQL } from "./sql_command.ts";
import { parseTailCommand, runTailCommand, TAIL } from "./tail_command.ts";
import { loadPlan } from "./plan_file.ts";
import { type OpenedSink, openSink } from "./open_sink.ts";
import { addReportSecret, describeReportSecret } from "./report_secret.ts";
import { pruneDaily, type Pruning } from "../ops/prune_daily.ts";
import { createRefusalLog, type RefusalLog } from "../ops/refusal_log.ts";
import { ServerFault, UsageFault } from "../ops/server_fault.ts";
import { listKeySecrets, listReportKeys, parseSettings, SERVE, type Settings } from "./settings.ts";
import { untilSignal } from "./signals.ts";
import { watchSink } from "../ops/sink_watch.ts";
import { createFileData } from "../../stores/file/file_data.ts";
import { createReports } from "../../reports/reports.ts";
import { describeError } from "../../platform/describe_error.ts";

/** The commands of the program, the server first. */
export const COMMANDS: readonly Command[] = [
  SERVE,
  LOAD,
  KEYS,
  BACKUP,
  DATA,
  REPORT,
  NOTE,
  ALERT,
  TAIL,
  SQL,
  MCP,
  DEMO,
];

const EXIT_FAILURE = 1;
const EXIT_USAGE = 2;

/** Runs the server until a signal ends it; resolves to the exit code: 1 when it can't start, 2 for a wrong setting. */
export async function run(args: readonly string[]): Promise<number> {
  let exitCode = EXIT_USAGE;
  try {
    const [name, ...others] = args;
    if (name === "keys") return show(runKeysCommand(others, process.env));
    if (name === "note") return show(runNoteCommand(others, { variables: process.env, now: Date.now() }));
    if (name === "backup") {
      const command = parseBackupCommand(others);
      if (command === "help") return show(buildUsage(BACKUP));
      exitCode = EXIT_FAILURE;
      return show(await untilBrokenOff((signal) => runBackupCommand(command, signal)));
    }
    if (name === "data") {
      const command = parseDataCommand(others, process.env);
      if (command === "help") return show(buildUsage(DATA));
      exitCode = EXIT_FAILURE;
      const output = process.stdout;
      const note = await untilBrokenOff((signal) => runDataCommand(command, { output, signal }));
      if (note !== undefined) console.error(`ingest: ${note}`);
      return 0;
    }
    if (name === "report") {
      const command = parseReportCommand(others, { variables: process.env, now: Date.now() });
      if (command === "help") return show(buildUsage(REPORT));
      exitCode = EXIT_FAILURE;
      await writeReport(command, process.stdout);
      return 0;
    }
    if (name === "sql") {
      const command = parseSqlCommand(others, process.env);
      if (command === "help") return show(buildUsage(SQL));
      exitCode = EXIT_FAILURE;
      await untilBrokenOff((signal) => runSqlCommand(command, { output: process.stdout, signal }));
      return 0;
    }
    if (name === "tail") {
      const command = parseTailCommand(others, process.env);
      if (command === "help") return show(buildUsage(TAIL));
      exitCode = EXIT_FAILURE;
      await untilEnded((signal) => {
        const note = (text: string): void => console.error(`ingest: ${text}`);
        return runTailCommand(command, { write: sendToStdout, note, signal });
      });
      return 0;
    }
    if (name === "alert") {
      const command = parseAlertCommand(others, { variables: process.env, now: Date.now() });
      if (command === "help") return show(buildUsage(ALERT));
      exitCode = EXIT_FAILURE;
      const count = await runAlertCommand(command, { now: Date.now, show, fetch });
      return count > 0 ? EXIT_ALERT : 0;
    }
    if (name === "mcp") {
      const command = parseMcpCommand(others, process.env);
      if (command === "help") return show(buildUsage(MCP));
      exitCode = EXIT_FAILURE;
      const note = (text: string): void => console.error(`ingest: ${text}`);
      await untilEnded((signal) => runMcpCommand(command, { input: process.stdin, write: sendToStdout, note, signal }));
      return 0;
    }
    if (name === "demo") {
      const command = parseDemoCommand(others, process.env);
      if (command === "help") return show(buildUsage(DEMO));
      exitCode = EXIT_FAILURE;
      await showDemo(command, await readShopFiles());
      return 0;
    }
    if (name === "load") {
      const job = parseLoadSettings(others, process.env);
      if (job === "help") return show(buildUsage(LOAD));
      exitCode = EXIT_FAILURE;
      await load(job);
      return 0;
    }
    const command = parseSettings(args, process.env);
    if (command === "help") return show(buildUsage(SERVE));
    if (command === "version") return show(SDK_VERSION);
    exitCode = EXIT_FAILURE;
    await serve(command);
    return 0;
  } catch (error) {
    if (!(error instanceof ServerFault)) throw error;
    console.error(`ingest: ${error.message}`);
    return error instanceof UsageFault ? EXIT_USAGE : exitCode;
  }
}

/** Does what a command does, unless a signal comes: then what it was writing is removed, and the rest isn't awaited. */
async function untilBrokenOff<R>(work: (signal: AbortSignal) => Promise<R>): Promise<R> {
  const end = untilSignal();
  const controller = new AbortController();
  const brokenOff = end.received.then((reason) => {
    controller.abort();
    throw new ServerFault(`it was broken off: ${reason}`);
  });
  try {
    return await Promise.race([work(controller.signal), brokenOff]);
  } finally {
    end.release();
  }
}

/**
 * Runs the demo until a signal ends it.
 *
 * @throws {ServerFault} When it can't start.
 */
export async function showDemo(command: DemoCommand, files: ShopFiles): Promise<void> {
  const end = untilSignal();
  try {
    await runDemoCommand(command, { files, show, ended: end.received });
  } finally {
    end.release();
  }
}

/** How long work may take to end after a signal. */
const END_MS = 1000;

/**
 * Does what has no end of its own, until a signal comes. What it was writing isn't awaited for long: a terminal may stand still. But
 * on Node, the process would wait for a query that nobody has interrupted.
 */
async function untilEnded(work: (signal: AbortSignal) => Promise<void>): Promise<void> {
  const end = untilSignal();
  const controller = new AbortController();
  const working = work(controller.signal);
  try {
    await Promise.race([working, end.received]);
  } finally {
    controller.abort();
    await Promise.race([working.catch(() => {}), wait(END_MS)]);
    end.release();
  }
}

async function serve(settings: Settings): Promise<void> {
  const output = createOutput(sendToStdout);
  const secrets = new Set(settings.secrets);
  const log = createLog({ level: settings.logLevel, write: output.write, now: Date.now, secrets });
  let readKeys = (): void => {};
  const signal = untilSignal(settings.keysPath === undefined ? {} : { onHangUp: () => readKeys() });
  try {
    const plan = settings.planPath === undefined ? undefined : await loadPlan(settings.planPath);
    const opened = await openSink(settings.sink, {
      reports: settings.reports,
      onError: (error) => log("error", "events can't be sealed", { reason: describeError(error) }),
      onDamaged: ({ message }) => log("error", "events aren't counted", { reason: message }),
    });
    const [stored, refusals] = [createStoredLog(log), createRefusalLog(log)];
    const options: StartOptions = { opened, log, stored, refusals, secrets, ...(plan && { plan }) };
    const { app, dead, stop, replaceKeys } = await start(settings, options);
    const watch = settings.keysPath === undefined ? undefined : watchKeys({
      path: settings.keysPath,
      keys: settings.keys,
      log,
      apply: async (keys) => {
        for (const secret of listKeySecrets(keys)) secrets.add(secret);
        await replaceKeys(keys);
      },
    });
    readKeys = () => watch?.readNow();
    const pruning = pruneSink(settings, log);
    const end = await Promise.race([signal.received, dead]);
    if (end instanceof ServerFault) log("error", "stopping", { reason: end.message });
    else log("info", "stopping", { reason: end });
    await pruning?.stop();
    watch?.stop();
    const grace = wait(settings.graceMs);
    await Promise.race([app.stop(), grace]);
    await stop();
    // A sink may wait for what is under way. That was acknowledged to nobody, and comes again.
    await Promise.race([opened.close(), grace]);
    stored.stop();
    refusals.stop();
    log("info", "stopped", { requests: app.total() });
    if (end instanceof ServerFault) throw end;
  } finally {
    await output.flush();
    signal.release();
  }
}

/** Deletes what is too old of a folder. Other sinks have nothing to delete. */
function pruneSink({ sink, ...ages }: Settings, log: Log): Pruning | undefined {
  if (sink.kind !== "file") return undefined;
  if (ages.keepDays === undefined) log("info", "no event is deleted by age", { reason: "keep isn't set" });
  return pruneDaily({ ...ages, open: () => createFileData(sink), log });
}

/** A server that takes events. */
interface Started {
  readonly app: App;
  /** Resolves when one of its ports takes no connections any more. */
  readonly dead: Promise<ServerFault>;
  /** Closes its ports, once what is under way has ended. */
  readonly stop: () => Promise<void>;
  /** Puts other keys in their place, for events and for reports. Rejects, and changes nothing, where they can't be. */
  readonly replaceKeys: (keys: readonly ServerKey[]) => Promise<void>;
}

/** The parts that a server starts with. */
interface StartOptions {
  readonly opened: OpenedSink;
  readonly log: Log;
  readonly stored: StoredLog;
  readonly refusals: RefusalLog;
  /** Gets what no log may hold. */
  readonly secrets: Set<string>;
  readonly plan?: Plan;
}

/** Starts the server on a sink; closes the sink where it can't. */
async function start(
  settings: Settings,
  { opened, log, stored, refusals, secrets, plan }: StartOptions,
): Promise<Started> {
  const { path, planMode, maxPending, requestTimeoutMs, trustedProxies, countryHeader, host, metrics } = settings;
  const { sink } = opened;
  const listeners: Listener[] = [];
  try {
    const made = addReportSecret(settings);
    if (made) secrets.add(made.secret);
    // Of what takes the output, only a terminal keeps nothing.
    if (made?.isNew && process.stderr.isTTY) console.error(describeReportSecret(made));
    const { keys } = made ?? settings;
    let reports = createReportRoutes(keys, { opened, log, now: Date.now, refusals, eventsPath: settings.path });
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const app = createApp({
      registry,
      // They are for the operator: the world sees them only where a setting says so.
      isMetricsApart: metrics !== undefined || !isLoopback(host),
      keys,
      sink,
      path,
      planMode,
      ...(plan && { plan }),
      maxPending,
      requestTimeoutMs,
      trustedProxies,
      ...(countryHeader !== undefined && { countryHeader }),
      log,
      ...(opened.logBytes && { logBytes: opened.logBytes }),
      onEvents: stored.add,
      onRefused: refusals.add,
      routes: [async (request, sender) => await reports[0]?.(request, sender)],
    });
    if (metrics) {
      listeners.push(await listen({ ...settings, ...metrics, handle: app.operate }));
    }
    const listener = await listen({ ...settings, handle: app.handle });
    listeners.push(listener);
    let current = keys;
    const { reader } = opened;
    const alerts = reader && watchAlerts({ keys: () => current, reader, log, now: Date.now, fetch });
    const unwatch = watchSink(sink, { name: settings.sink.kind, log, registry });
    log("info", "listening", {
      host,
      port: listener.port,
      path,
      sink: settings.sink.kind,
      keys: keys.length,
      ...(reports.length > 0 && { reports: `${toOrigin(host, listener)}/reports` }),
      ...(made && { secretFile: made.path }),
      ...(metrics && { metrics: `${toOrigin(metrics.host, listeners[0])}/metrics` }),
    });
    return {
      app,
      dead: Promise.race(listeners.map(({ dead }) => dead)),
      stop: async () => {
        alerts?.stop();
        unwatch();
        await Promise.all(listeners.map(({ stop }) => stop()));
      },
      replaceKeys: async (next) => {
        const routes = createReportRoutes(next, { opened, log, now: Date.now, refusals, eventsPath: settings.path });
        await app.replaceKeys(next);
        [reports, current] = [routes, next];
      },
    };
  } catch (error) {
    await Promise.all(listeners.map(({ stop }) => stop()));
    await opened.close();
    throw error;
  }
}

function isLoopback(host: string): boolean {
  return host === "localhost" || host === "::1" || /^127(\.\d+){3}$/.test(host);
}

function wait(durationMs: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, durationMs));
}

function show(text: string): number {
  console.log(text);
  return 0;
}

/** Leads from the address of the ingest to its reports, by a path that holds behind a proxy's prefix as well. */
function leadToReports(): Response {
  return new Response(null, { status: 302, headers: { "Location": "reports", "Cache-Control": "no-store" } });
}

/** The parts that reports are made of. */
export interface ReportRoutesOptions {
  /** Where events are. */
  readonly opened: OpenedSink;
  /** Takes what went wrong. */
  readonly log: Log;
  /** Current time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Hears of wrong secrets. */
  readonly refusals: Pick<RefusalLog, "add">;
  /**
   * Path that takes events.
   *
   * @default {"/v1/events"}
   */
  readonly eventsPath?: string;
}

/**
 * Creates the route of the reports; none where no key has a secret.
 *
 * @throws {ServerFault} When there are to be reports of a sink that can't be read.
 */
export function createReportRoutes(
  keys: readonly ServerKey[],
  { opened: { reader }, log, now, refusals, eventsPath }: ReportRoutesOptions,
): readonly Route[] {
  const reportKeys = listReportKeys(keys);
  if (reportKeys.length === 0) return [];
  if (reader === undefined) {
    throw new ServerFault("this sink has no reports: they need a folder, or --reports clickhouse:URL");
  }

  const reports = createReports({
    keys: reportKeys,
    reader,
    now,
    ...(eventsPath !== undefined && { eventsPath }),
    onWrongSecret: () => refusals.add({ code: "wrong_report_secret" }),
    onError: (error) => log("error", "a report failed", { reason: describeError(error) }),
  });
  return [async (request, sender) => {
    if (request.method !== "POST" && new URL(request.url).pathname === "/") return leadToReports();
    return await reports(request, sender);
  }];
}
