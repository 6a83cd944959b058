/** How stages of a funnel follow each other. */
type Order = "sequential" | "strict" | "flexible";

/** What a visitor did, as far as a funnel looks at it. */
export interface FunnelPoint {
  /** Time, in milliseconds since the Unix epoch. */
  readonly time: number;
  /** The stages that the event passes, a bit each; 0 for an event that passes none. */
  readonly stages: number;
}

/** Counts who takes the stages of a funnel. */
export interface FunnelFold {
  /**
   * Adds the events of a visitor: of one session, or of all. They are in the order in which they happened. Several calls in a row
   * may be of the same visitor, who counts once, by the longest way.
   */
  add(visitor: string | number, points: readonly FunnelPoint[]): void;
  /** Returns what was counted. */
  finish(): readonly { readonly visitors: number; readonly medianMs: number | null }[];
}

/** How many points of one visitor are looked at in all: nobody who isn't made up has as many. */
const MAX_LOOKS = 1_000_000;

/** A way through the stages: when each was passed. */
type Way = readonly number[];

/** A way, and the point at which the look for it ended. */
interface Walked {
  readonly way: Way;
  readonly end: number;
}

/** Creates a fold of so many stages, the last within so many milliseconds of the first. */
export function createFunnelFold(
  { stages, withinMs, order }: { readonly stages: number; readonly withinMs: number; readonly order: Order },
): FunnelFold {
  const reached = Array.from({ length: stages }, () => 0);
  const times: number[][] = Array.from({ length: stages }, () => []);
  const walk = order === "flexible" ? walkFlexibly : order === "strict" ? walkStrictly : walkSequentially;
  let visitor: string | number | undefined;
  let best: Way = [];
  let looks = 0;

  function count(): void {
    for (const [stage, time] of best.entries()) {
      reached[stage] = (reached[stage] ?? 0) + 1;
      if (stage > 0) times[stage]?.push(time - (best[stage - 1] ?? time));
    }
  }

  return {
    add: (of, points) => {
      if (of !== visitor) {
        count();
        visitor = of;
        best = [];
        looks = 0;
      }
      for (let start = 0; start < points.length && best.length < stages && looks < MAX_LOOKS; start++) {
        if (!passes(points[start], 0)) continue;
        const { way, end } = walk(points, start, { stages, withinMs });
        looks += end - start;
        if (way.length > best.length) best = way;
      }
    },
    finish: () => {
      count();
      [visitor, best] = [undefined, []];
      return reached.map((visitors, stage) => ({ visitors, medianMs: findMedian(times[stage] ?? []) }));
    },
  };
}

interface Walk {
  readonly stages: number;
  readonly withinMs: number;
}

function walkSequentially(points: readonly FunnelPoint[], start: number, { stages, withinMs }: Walk): Walked {
  const startTime = points[start]?.time ?? 0;
  const way = [startTime];
  let index = start + 1;
  for (; index < points.length && way.length < stages; index++) {
    const point = points[index];
    if (point === undefined || point.time - startTime > withinMs) break;
    if (passes(point, way.length)) way.push(point.time);
  }
  return { way, end: index };
}

function walkStrictly(points: readonly FunnelPoint[], start: number, { stages, withinMs }: Walk): Walked {
  const startTime = points[start]?.time ?? 0;
  const way = [startTime];
  let index = start + 1;
  for (; index < points.length && way.length < stages; index++) {
    const point = points[index];
    if (point === undefined || point.time - startTime > withinMs || !passes(point, way.length)) break;
    way.push(point.time);
  }
  return { way, end: index };
}

/** A stage counts once all before it were passed, in whatever order; its time is the one at which that is so. */
function walkFlexibly(points: readonly FunnelPoint[], start: number, { stages, withinMs }: Walk): Walked {
  const startTime = points[start]?.time ?? 0;
  const passed: (number | undefined)[] = Array.from({ length: stages }, () => undefined);
  passed[0] = startTime;
  let index = start + 1;
  for (; index < points.length; index++) {
    const point = points[index];
    if (point === undefined || point.time - startTime > withinMs) break;
    const isMiddlePassed = passed.slice(0, -1).every((time) => time !== undefined);
    if (isMiddlePassed && passes(point, stages - 1)) {
      passed[stages - 1] = point.time;
      break;
    }
    // An event passes one stage: the first that it can and that isn't passed yet.
    const stage = passed.findIndex((time, at) => at > 0 && at < stages - 1 && time === undefined && passes(point, at));
    if (stage > 0) passed[stage] = point.time;
  }
  const way: number[] = [];
  for (const time of passed) {
    if (time === undefined) break;
    way.push(Math.max(time, way.at(-1) ?? time));
  }
  return { way, end: index };
}

function passes(point: FunnelPoint | undefined, stage: number): boolean {
  return point !== undefined && (point.stages & (1 << stage)) !== 0;
}

/** Returns the median by nearest rank. */
function findMedian(values: readonly number[]): number | null {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length / 2) - 1] ?? null;
}
