/**
 * Order of stages: as they are listed with anything between (`sequential`), with no other pageview or step between
 * (`strict`), or in any order after the first, but with the last at the end (`flexible`).
 */
export type FunnelOrder = "sequential" | "strict" | "flexible";

/** An event of a visitor as a funnel sees it. */
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
   * may be of the same visitor, who counts once, by the longest way: among equals by the one that begins first, and then by the one that passes
   * its next stages first. The order of those calls doesn't matter.
   *
   * @param points A strict order has every pageview and step among them, and automatic events only if they pass a stage; the other
   * orders need only those that pass one.
   */
  add(visitor: string | number, points: readonly FunnelPoint[]): void;
  /** Returns what was counted. */
  finish(): readonly { readonly visitors: number; readonly medianMs: number | null }[];
}

/** A funnel, as far as ways through it are concerned. */
interface Rules {
  /** Number of its stages. */
  readonly stages: number;
  /** Longest time of a way. */
  readonly withinMs: number;
  /** Order of the stages. */
  readonly order: FunnelOrder;
}

/** A way through the stages: when each was passed. */
type Way = readonly number[];

/** Creates a fold of so many stages, the last within so many milliseconds of the first. */
export function createFunnelFold(rules: Rules): FunnelFold {
  const reached = Array.from({ length: rules.stages }, () => 0);
  const times: number[][] = Array.from({ length: rules.stages }, () => []);
  let visitor: string | number | undefined;
  let best: Way = [];

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
      }
      const way = findWay(points, rules);
      if (isBetter(way, best)) best = way;
    },
    finish: () => {
      count();
      [visitor, best] = [undefined, []];
      return reached.map((visitors, stage) => ({ visitors, medianMs: findMedian(times[stage] ?? []) }));
    },
  };
}

function isBetter(way: Way, than: Way): boolean {
  if (way.length !== than.length) return way.length > than.length;
  const differing = way.findIndex((time, stage) => time !== than[stage]);
  return differing >= 0 && (way[differing] ?? 0) < (than[differing] ?? 0);
}

/** Returns the longest way, and the first among equals. */
function findWay(points: readonly FunnelPoint[], rules: Rules): Way {
  const start = rules.order === "strict" ? findStrictStart(points, rules) : findStart(points, rules);
  return start < 0 ? [] : walk(points, start, rules);
}

/** Returns where the first of the longest ways starts; a negative number where none does. */
function findStrictStart(points: readonly FunnelPoint[], rules: Rules): number {
  let [best, depth] = [-1, 0];
  for (let start = 0; start < points.length && depth < rules.stages; start++) {
    if (!passes(points[start]?.stages ?? 0, 0)) continue;
    // It looks at no more events than there are stages.
    const { length } = walk(points, start, rules);
    if (length > depth) [best, depth] = [start, length];
  }
  return best;
}

/** Ways that have passed the same stages. */
interface Ways {
  /** The stages, a bit each. */
  passed: number;
  /** When the last of them began. */
  readonly startTime: number;
}

/**
 * Returns where the first of the longest ways starts; a negative number where none does. It takes all ways one event further at
 * a time. Of two ways, the earlier has passed all that the later has, as long as its time isn't over: so those that have passed
 * the same began one after another, and there are never more groups of them than stages.
 */
function findStart(points: readonly FunnelPoint[], rules: Rules): number {
  let ways: readonly Ways[] = [];
  let [depth, endTime] = [0, 0];
  for (let index = 0; index < points.length && depth < rules.stages; index++) {
    const { time, stages: passing } = points[index] ?? { time: 0, stages: 0 };
    if (passing === 0) continue;
    const going = ways.filter(({ startTime }) => time - startTime <= rules.withinMs);
    for (const one of going) one.passed |= findNext(one.passed, passing, rules);
    if (passes(passing, 0)) going.push({ passed: 1, startTime: time });
    ways = going.filter(({ passed }, place) => passed !== going[place + 1]?.passed);
    const longest = countLeading(ways[0]?.passed ?? 0);
    if (longest > depth) [depth, endTime] = [longest, time];
  }
  return points.findIndex(({ time, stages }) => passes(stages, 0) && endTime - time <= rules.withinMs);
}

function walk(points: readonly FunnelPoint[], start: number, rules: Rules): Way {
  const startTime = points[start]?.time ?? 0;
  const times: number[] = [startTime];
  let passed = 1;
  for (let index = start + 1; index < points.length && !passes(passed, rules.stages - 1); index++) {
    const { time, stages } = points[index] ?? { time: Infinity, stages: 0 };
    if (time - startTime > rules.withinMs) break;
    const next = findNext(passed, stages, rules);
    if (next === 0 && rules.order === "strict") break;
    if (next === 0) continue;
    passed |= next;
    times[31 - Math.clz32(next)] = time;
  }
  const way: number[] = [];
  for (let stage = 0; stage < countLeading(passed); stage++) {
    // A stage is reached once it and all before it are passed.
    way.push(Math.max(times[stage] ?? startTime, way.at(-1) ?? startTime));
  }
  return way;
}

/** Returns the bit of the stage that an event passes next, 0 for none: of those that it can pass, the first that isn't passed yet. */
function findNext(passed: number, passing: number, { stages, order }: Rules): number {
  if (order !== "flexible") return passing & (passed + 1);
  const last = 1 << (stages - 1);
  const left = (last - 1) & ~passed;
  const can = left === 0 ? passing & last : passing & left;
  return can & -can;
}

function passes(stages: number, stage: number): boolean {
  return (stages & (1 << stage)) !== 0;
}

/** Returns how many stages are passed before the first that isn't. */
function countLeading(passed: number): number {
  return 31 - Math.clz32(~passed & (passed + 1));
}

/** Returns the median by nearest rank. */
function findMedian(values: readonly number[]): number | null {
  return values.toSorted((one, other) => one - other)[Math.ceil(values.length / 2) - 1] ?? null;
}
