import type { DropReason, Hooks } from "./hooks.ts";

/** Numbers of dropped events by reason; a reason that never came up is absent. */
export type DropCounts = Readonly<Partial<Record<DropReason, number>>>;

/** Counts the events that a client drops from now on. Returns what tells the numbers. */
export function countDrops(hooks: Hooks): () => DropCounts {
  const counts: Partial<Record<DropReason, number>> = {};
  hooks.on.push((change) => {
    if (change.type !== "dropped" || !change.amount) return;
    counts[change.reason] = (counts[change.reason] ?? 0) + change.amount;
  });
  return () => ({ ...counts });
}
