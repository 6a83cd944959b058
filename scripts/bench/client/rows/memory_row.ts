import type { Row } from "../row.ts";
import { pause, withSession } from "../session.ts";

const WARM_UP = 20;
const AMOUNT = 1000;
/** Long enough for what an SDK saves on the device after a pause. */
const REST_MS = 1500;

/** Heap that an undelivered event takes, while the endpoint never answers. */
export const MEMORY_ROW: Row = {
  id: "memory",
  columns: [
    { figure: "memory", title: "heap per queued event, bytes", reference: "floor" },
    { figure: "memoryRatio", title: "that by its JSON text", digits: 2 },
  ],
  isFor: ({ id }) => id !== "no-op",
  measure: (subject, bench) =>
    withSession(subject, bench, async ({ page, collector, settle, burst }) => {
      await settle();
      collector.setMode("hang");
      await burst(WARM_UP, 2 * AMOUNT); // what is compiled or made once is no event's
      await pause(REST_MS);
      const before = await page.readHeapBytes();
      const { calls } = await burst(AMOUNT);
      await pause(REST_MS);
      const memory = (await page.readHeapBytes() - before) / calls;
      const posts = collector.requests.filter(({ text }) => text.includes("bench_seq"));
      const sent = posts.reduce((sum, { text }) => sum + text.length, 0) / collector.countArrived();
      return { memory, ...sent && { memoryRatio: memory / sent } };
    }),
};
