import type { Row } from "../row.ts";
import { withSession } from "../session.ts";

/** What every SDK gets through. */
const FEW = 1000;

/**
 * What a call costs among many in one task, while nothing is answered. The time on the wall ends with the last call;
 * the processor time is that of the whole task, with what it does before the page gets its turn.
 */
export function createStepRow(amount: number): Row {
  const label = amount.toLocaleString("en");
  return {
    id: `step-${amount}`,
    columns: [
      { figure: `step-${amount}`, title: `step of ${label}, µs`, reference: "floor", digits: 1, pick: "best" },
      { figure: `task-${amount}`, title: `step of ${label}, CPU µs`, reference: "floor", digits: 1 },
    ],
    isFor: ({ isForMany }) => amount <= FEW || isForMany === true,
    measure: (subject, bench) =>
      withSession(subject, bench, async ({ page, collector, settle, burst }) => {
        await settle();
        collector.setMode("hang");
        await page.readHeapBytes(); // so that earlier garbage isn't collected now
        const beforeMs = await page.readCpuMs();
        const { ms, calls } = await burst(amount);
        const cpuMs = await page.readCpuMs() - beforeMs;
        return { [`step-${amount}`]: ms / calls * 1000, [`task-${amount}`]: cpuMs / calls * 1000 };
      }),
  };
}
