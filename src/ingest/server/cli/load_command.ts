import { readFileSync } from "node:fs";
import { createClickHouseData } from "../../stores/clickhouse/clickhouse_data.ts";
import { describeError } from "../../platform/describe_error.ts";
import { createLoader } from "../../loader/loader.ts";
import type { Loader } from "../../loader/loading.ts";
import { copyFiles } from "../../loader/copy_files.ts";
import {
  type ClickHouseTarget,
  type ClickHouseTargetOptions,
  createClickHouseTarget,
} from "../../stores/clickhouse/clickhouse_target.ts";
import type { LoadTarget } from "../../ports/load_target.ts";
import { listen, toOrigin } from "../http/listen.ts";
import { createLoadMetrics } from "../ops/load_metrics.ts";
import { createOperatorHandler } from "../ops/status_route.ts";
import type { CopySource, LoadSettings, StreamSettings } from "./load_settings.ts";
import { createLog, createOutput, type Log, sendToStdout } from "../ops/log.ts";
import { pruneDaily } from "../ops/prune_daily.ts";
import { ServerFault } from "../ops/server_fault.ts";
import { untilSignal } from "./signals.ts";

const WORTH_TELLING = ["loaded", "erased", "deadLetters", "purged"] as const;

/** Between two lines that say what was done. */
const REPORT_MS = 60_000;

/** Most milliseconds that a request for the metrics may take. */
const METRICS_TIMEOUT_MS = 10_000;

/**
 * Loads until a signal ends it, or all is copied.
 *
 * @throws {ServerFault} When it can't start, and where a copy lacks something.
 */
export async function load(settings: LoadSettings): Promise<void> {
  const output = createOutput(sendToStdout);
  const secrets = new Set(settings.secrets);
  const log = createLog({ level: settings.logLevel, write: output.write, now: Date.now, secrets });
  const signal = untilSignal();
  try {
    const { from, to } = settings;
    if (from.kind !== "nats") await copy(from, { to, log, stop: signal.received });
    else await loadStream(from, { settings, log, stop: signal.received });
  } finally {
    await output.flush();
    signal.release();
  }
}

/** A job as it runs. */
interface Job {
  /** Takes what happens. */
  readonly log: Log;
  /** Resolves when it is to end, to the reason. */
  readonly stop: Promise<string>;
}

async function loadStream(
  from: StreamSettings,
  { settings, log, stop }: Job & { readonly settings: LoadSettings },
): Promise<void> {
  const { to, keepDays, keepErasuresDays } = settings;
  const target = await open({ ...to, onErasures: () => pruning.soon() });
  // What is too old, and what erasures name: a block may have been on its way while somebody was erased.
  const ages = { keepErasuresDays, ...(keepDays !== undefined && { keepDays }) };
  const pruning = pruneDaily({ ...ages, open: () => createClickHouseData(to), log });
  const loader = await start(from, { settings, target, log });
  const close = (): Promise<void> => loader.close().then(() => target.close());
  let end: string | ServerFault;
  try {
    const { metrics } = settings;
    const listener = metrics && await listen({
      ...metrics,
      portFlag: "--metrics-port",
      requestTimeoutMs: METRICS_TIMEOUT_MS,
      handle: createOperatorHandler({
        isReady: () => loader.countWaiting().then(() => true, () => false),
        registry: createLoadMetrics(loader),
      }),
    });
    log("info", "loading", {
      ...{ stream: from.stream, consumer: from.consumer },
      ...(listener && { metrics: `${toOrigin(metrics.host, listener)}/metrics` }),
    });
    const stopReports = reportCounts(loader, log);
    end = await Promise.race(listener ? [stop, listener.dead] : [stop]);
    if (end instanceof ServerFault) log("error", "stopping", { reason: end.message });
    else log("info", "stopping", { reason: end });
    stopReports();
    await listener?.stop();
  } finally {
    await pruning.stop();
    const grace = new Promise((resolve) => setTimeout(resolve, settings.graceMs));
    // What isn't acknowledged by then comes again.
    await Promise.race([close(), grace]);
  }
  log("info", "stopped", { ...loader.counts() });
  if (end instanceof ServerFault) throw end;
}

async function copy(
  { path }: CopySource,
  { to, log, stop }: Job & { readonly to: ClickHouseTargetOptions },
): Promise<void> {
  const target = await open(to);
  const abort = new AbortController();
  stop.then((reason) => abort.abort(reason));
  log("info", "copying", { path });
  let saidAtMs = performance.now();
  try {
    const onProgress = (events: number): void => {
      if (performance.now() - saidAtMs < REPORT_MS) return;
      saidAtMs = performance.now();
      log("info", "copied", { events });
    };
    const { isWhole, unfit, ...counts } = await copyFiles({ path, target, signal: abort.signal, onProgress });
    log("info", isWhole ? "copied all" : "stopped", { ...counts, unfit: unfit.length });
    if (unfit[0] !== undefined) log("error", "events don't fit", { count: unfit.length, reason: unfit[0].reason });
    const { copied, counted } = counts;
    if (isWhole && counted < copied) throw new Error(`of ${copied} copied events ClickHouse has ${counted}`);
  } catch (cause) {
    throw new ServerFault(`${path} can't be copied: ${describeError(cause)}`, { cause });
  } finally {
    await target.close();
  }
}

async function open(options: ClickHouseTargetOptions): Promise<ClickHouseTarget> {
  try {
    return await createClickHouseTarget(options);
  } catch (cause) {
    throw new ServerFault(`the store can't be used: ${describeError(cause)}`, { cause });
  }
}

async function start(
  { credentialsPath, ...from }: StreamSettings,
  { settings, target, log }: { readonly settings: LoadSettings; readonly target: LoadTarget; readonly log: Log },
): Promise<Loader> {
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
    const isNews = WORTH_TELLING.some((name) => counts[name] > last[name]);
    if (isNews) log("info", "loaded", { ...counts });
    last = counts;
  }, REPORT_MS);
  return () => clearInterval(timer);
}
