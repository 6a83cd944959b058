import { Gauge, type Registry } from "prom-client";
import { describeError } from "../../platform/describe_error.ts";
import type { EventSink } from "../../ports/sink.ts";
import type { Log } from "./log.ts";

/** Options of {@linkcode watchSink}. */
export interface SinkWatchOptions {
  /** Name of the sink in the log. */
  readonly name: string;
  /** Takes what happens. */
  readonly log: Log;
  /** Holds the metric that says whether the sink is ready. */
  readonly registry: Registry;
  /**
   * Time between two looks, in milliseconds.
   *
   * @default {5000}
   */
  readonly intervalMs?: number;
}

const INTERVAL_MS = 5_000;

/** Most milliseconds in which the sink has to say that it is ready. */
const CHECK_LIMIT_MS = 5_000;

/** Says when a sink is lost and when it is found again, whether events come or not. Returns what ends that. */
export function watchSink(
  sink: EventSink,
  { name, log, registry, intervalMs = INTERVAL_MS }: SinkWatchOptions,
): () => void {
  let lostAtMs: number | undefined;
  let timer: ReturnType<typeof setTimeout> | undefined = setTimeout(look, intervalMs);
  new Gauge({
    name: "vendor_ingest_sink_ready",
    help: "Whether the sink can take events: 1, or 0.",
    registers: [registry],
    collect(): void {
      this.set(lostAtMs === undefined ? 1 : 0);
    },
  });

  async function look(): Promise<void> {
    const fault = await checkSink(sink).then(() => undefined, describeError);
    if (timer === undefined) return; // it was closed meanwhile
    if (fault === undefined) find();
    else lose(fault);
    timer = setTimeout(look, intervalMs);
  }

  function lose(reason: string): void {
    if (lostAtMs !== undefined) return;
    lostAtMs = performance.now();
    log("warn", "the sink is lost", { sink: name, reason });
  }

  function find(): void {
    if (lostAtMs === undefined) return;
    log("info", "the sink is back", { sink: name, lostForMs: Math.round(performance.now() - lostAtMs) });
    lostAtMs = undefined;
  }

  return () => {
    clearTimeout(timer);
    timer = undefined;
  };
}

/** Resolves when a sink can take events; rejects when it can't, or doesn't say so in time, in milliseconds. */
export async function checkSink(sink: EventSink, limitMs: number = CHECK_LIMIT_MS): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error("the sink didn't say in time whether it is ready")), limitMs);
  });
  try {
    await Promise.race([sink.check?.(), limit]);
  } finally {
    clearTimeout(timer);
  }
}
