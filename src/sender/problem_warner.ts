import type { SenderProblem } from "./options.ts";

/** Milliseconds in which a kind of problem isn't reported again. */
const INTERVAL_MS = 60_000;

/** Creates what tells the console of problems, once a minute for each kind. */
export function createProblemWarner(): (problem: SenderProblem) => void {
  const toldAtMs = new Map<string, number>();

  return (problem) => {
    const kind = problem.kind === "dropped" ? problem.reason : problem.kind;
    const nowMs = performance.now();
    if (nowMs - (toldAtMs.get(kind) ?? -Infinity) < INTERVAL_MS) return;
    toldAtMs.set(kind, nowMs);
    const what = problem.kind === "dropped"
      ? `${problem.count} dropped`
      : `waits ${Math.round(problem.delayMs / 1000)} s`;
    console.warn(`[Vendor] ${what}: ${problem.message}`);
  };
}
