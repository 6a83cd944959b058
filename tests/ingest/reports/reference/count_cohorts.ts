import type { CohortCounts } from "../../../../src/ingest/ports/reader.ts";
import type { Chosen } from "./choose.ts";
import { inOrder, isWithin } from "./lists.ts";
import type { ReadEvent } from "./read_event.ts";

// Who comes back.

/** Returns the first event of each visitor. */
function findFirst(events: readonly ReadEvent[]): readonly ReadEvent[] {
  return inOrder(events).filter((event, index, all) =>
    all.findIndex(({ visitor }) => visitor === event.visitor) === index
  );
}

/** Returns the first event of each visitor, where it is chosen. */
export function findChosenFirst(all: readonly ReadEvent[], chosen: Chosen): readonly ReadEvent[] {
  return findFirst(all).filter(({ id }) => chosen.events.some((event) => event.id === id));
}

export function countCohorts(
  first: readonly ReadEvent[],
  returns: readonly ReadEvent[],
  bounds: readonly number[],
): readonly CohortCounts[] {
  const periods = bounds.slice(1).map((to, index) => ({ from: bounds[index] ?? 0, to }));
  return periods.map((period, index) => {
    const cohort = first.filter(({ time }) => isWithin(time, period.from, period.to)).map(({ visitor }) => visitor);
    const returned = periods.slice(index).map(({ from, to }) => {
      const seen = returns.filter(({ time }) => isWithin(time, from, to)).map(({ visitor }) => visitor);
      return cohort.filter((visitor) => seen.includes(visitor)).length;
    });
    return { from: period.from, size: cohort.length, returned };
  });
}
