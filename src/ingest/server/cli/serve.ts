import process from "node:process";
import { collectDefaultMetrics, Registry } from "prom-client";
import type { Plan } from "@vendor/sdk/contract";
import { describeError } from "../../platform/describe_error.ts";
import { createFileData } from "../../stores/file/file_data.ts";
import { type App, createApp, type Route } from "../http/app.ts";
import { listen, type Listener, toOrigin } from "../http/listen.ts";
import { createLog, createOutput, type Log, sendToStdout } from "../ops/log.ts";
import { pruneDaily, type Pruning } from "../ops/prune_daily.ts";
import { createRefusalLog, type RefusalLog } from "../ops/refusal_log.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { watchSink } from "../ops/sink_watch.ts";
import { createStoredLog, type StoredLog } from "../ops/stored_log.ts";
import { watchAlerts } from "./alert_watch.ts";
import type { ServerKey } from "./keys_file.ts";
import { watchKeys } from "./keys_watch.ts";
import { type OpenedSink, openSink } from "./open_sink.ts";
import { loadPlan } from "./plan_file.ts";
import { createReportRoutes } from "./report_routes.ts";
import { addReportSecret, describeReportSecret } from "./report_secret.ts";
import { listKeySecrets, type Settings } from "./settings.ts";
import { untilSignal } from "./signals.ts";

/**
 * Runs the server until a signal ends it.
 *
 * @throws {ServerFault} When it can't start, or takes no connections any more.
 */
export async function serve(settings: Settings): Promise<void> {
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
    const toReports = (keys: readonly ServerKey[]): readonly Route[] =>
      createReportRoutes(keys, { opened, log, now: Date.now, refusals, eventsPath: path });
    let reports = toReports(settings.keys);
    const registry = new Registry();
    collectDefaultMetrics({ register: registry });
    const app = createApp({
      registry,
      // They are for the operator: the world sees them only where a setting says so.
      isMetricsApart: metrics !== undefined || !isLoopback(host),
      keys: settings.keys,
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
      listeners.push(await listen({ ...settings, ...metrics, portFlag: "--metrics-port", handle: app.operate }));
    }
    const listener = await listen({ ...settings, portFlag: "--port", handle: app.handle });
    listeners.push(listener);
    // Behind what can fail: a secret that is made and shown by a start that fails would be shown to nobody afterwards.
    const made = addReportSecret(settings);
    if (made) {
      secrets.add(made.secret);
      reports = toReports(made.keys);
      // Of what takes the output, only a terminal keeps nothing.
      if (made.isNew && process.stderr.isTTY) console.error(describeReportSecret(made));
    }
    const { keys } = made ?? settings;
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
        const routes = toReports(next);
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
