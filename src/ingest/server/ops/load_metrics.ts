import { collectDefaultMetrics, Counter, Gauge, Registry } from "prom-client";
import type { Loader, LoaderCounts } from "../../loader/loading.ts";

const PREFIX = "vendor_load_";

/** The counters, and the names of their metrics. */
const COUNTERS: Readonly<Record<keyof LoaderCounts, readonly [name: string, help: string]>> = {
  loaded: ["events_total", "Events stored, repeats among them."],
  blocks: ["blocks_total", "Blocks stored."],
  erased: ["events_erased_total", "Events left out, since an erasure names them."],
  deadLetters: ["dead_letters_total", "Messages that couldn't be stored, and went to the dead letters."],
  purged: ["messages_purged_total", "Messages removed from the stream."],
  failures: ["failures_total", "Attempts that failed, and were made again."],
};

/** Creates the metrics of a loader, and of its process. */
export function createLoadMetrics({ counts, countWaiting }: Pick<Loader, "counts" | "countWaiting">): Registry {
  const registry = new Registry();
  const registers = [registry];
  collectDefaultMetrics({ register: registry });
  for (const [count, [name, help]] of Object.entries(COUNTERS)) {
    new Counter({
      name: PREFIX + name,
      help,
      registers,
      collect(): void {
        this.reset();
        this.inc(counts()[count as keyof LoaderCounts]);
      },
    });
  }
  new Gauge({
    name: `${PREFIX}messages_waiting`,
    help: "Messages of the stream that aren't stored yet; NaN where the stream doesn't answer.",
    registers,
    async collect(): Promise<void> {
      this.set(await countWaiting().catch(() => NaN));
    },
  });
  return registry;
}
