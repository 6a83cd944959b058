import type { PathRules } from "../../../../src/ingest/events/path_rules.ts";
import { createLocator } from "../../../../src/ingest/events/place.ts";
import type { FunnelStage } from "../../../../src/ingest/ports/reader.ts";
import type { Funnel, FunnelEvent, ReportQuery } from "../../../../src/ingest/ports/report_query.ts";
import type { Chosen } from "./choose.ts";
import { inOrder, isWithin, rank } from "./lists.ts";
import { fitsPattern } from "./paths.ts";
import { isStepOrAutomatic, type ReadEvent } from "./read_event.ts";

// Ways.

/** What a way is made of, and the numbers of the stages that it can pass. */
interface Point {
  readonly time: number;
  readonly passes: readonly number[];
}

export function countFunnel(
  { events }: Chosen,
  { from, to, pathRules }: ReportQuery,
  funnel: Funnel,
): readonly FunnelStage[] {
  const { stages, within, order } = funnel;
  const points = inOrder(events).filter((event) => isWithin(event.time, from, to) && event.visitor !== "")
    .filter(({ kind, visit }) => kind !== "aggregate" && (within === "session" ? visit !== "" : true))
    .map((event) => ({ ...event, passes: listPassed(event, stages, pathRules) }))
    .filter(({ kind, passes }) => kind !== "automatic" || passes.length > 0);
  const best = [...new Set(points.map(({ visitor }) => visitor))].map((visitor) => {
    const theirs = points.filter((point) => point.visitor === visitor);
    const ways = theirs.filter(({ passes }) => passes.includes(0)).map((first) => {
      const later = theirs.slice(theirs.indexOf(first) + 1).filter(({ time, visit }) =>
        within === "session" ? visit === first.visit : time - first.time <= within
      );
      return walk(first, later, { count: stages.length, order });
    });
    return ways.toSorted((one, other) => other.length - one.length || compareTimes(one, other))[0] ?? [];
  });
  return stages.map((_, stage) => {
    const arrived = best.filter((way) => way.length > stage);
    const waits = stage === 0 ? [] : arrived.map((way) => (way[stage] ?? 0) - (way[stage - 1] ?? 0));
    return { visitors: arrived.length, medianMs: rank(waits, 50) ?? null };
  });
}

function listPassed(event: ReadEvent, stages: Funnel["stages"], rules: PathRules): readonly number[] {
  return stages.flatMap((alternatives, stage) => alternatives.some((one) => isSame(event, one, rules)) ? stage : []);
}

export function isSame(event: ReadEvent, one: FunnelEvent, rules: PathRules): boolean {
  if ("page" in one) return event.kind === "pageview" && event.path === one.page;
  if ("pages" in one) {
    return event.kind === "pageview" && fitsPattern(event.path, one.pages, { rules, locate: createLocator() });
  }
  if (!isStepOrAutomatic(event) || event.name !== one.step) return false;
  if (one.property === undefined) return true;
  const { key, value } = one.property;
  return event.properties.has(key) && JSON.stringify(event.properties.get(key)) === value;
}

/** Returns when the stages are passed, of all the first to be passed without a gap. */
function walk(
  first: Point,
  later: readonly Point[],
  { count, order }: { readonly count: number; readonly order: Funnel["order"] },
): readonly number[] {
  if (order === "flexible") return walkFlexibly(first, later, count);
  const way = [first.time];
  let rest = later;
  for (let stage = 1; stage < count; stage++) {
    const place = rest.findIndex(({ passes }) => passes.includes(stage));
    const found = rest[place];
    if (found === undefined || (order === "strict" && place > 0)) break;
    way.push(found.time);
    rest = rest.slice(place + 1);
  }
  return way;
}

function walkFlexibly(first: Point, later: readonly Point[], count: number): readonly number[] {
  const times = new Map([[0, first.time]]);
  const last = count - 1;
  for (const { time, passes } of later) {
    // The last one is in reach once it alone is left.
    const stage = passes.find((one) => !times.has(one) && (one !== last || times.size === last));
    if (stage !== undefined) times.set(stage, time);
  }
  const way: number[] = [];
  for (let stage = 0; times.has(stage); stage++) {
    way.push(Math.max(...[...times].filter(([passed]) => passed <= stage).map(([, time]) => time)));
  }
  return way;
}

function compareTimes(one: readonly number[], other: readonly number[]): number {
  const stage = one.findIndex((time, index) => time !== other[index]);
  return stage < 0 ? 0 : (one[stage] ?? 0) - (other[stage] ?? 0);
}
