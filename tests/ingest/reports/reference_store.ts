/**
 * The reports counted the plain way: loops over all events, once for every number. It shares no code with the stores, but for
 * how a URL is cut up and written, the hash of an ID, and the tables of hosts. It is what the stores are compared with.
 *
 * @module
 */
import { createLocator } from "../../../src/ingest/events/place.ts";
import type { StoredEvent } from "../../../src/ingest/events/stored_event.ts";
import type { CountedEvent, ReportReader, ViolationRow } from "../../../src/ingest/ports/reader.ts";
import type { EventTotals, ViewCounts } from "../../../src/ingest/ports/report_counts.ts";
import type { ReportQuery, Traffic } from "../../../src/ingest/ports/report_query.ts";
import { chooseOf, type Chosen, findVisitors } from "./reference/choose.ts";
import { countConversions, createGoalReader } from "./reference/count_conversions.ts";
import { countCohorts, findChosenFirst } from "./reference/count_cohorts.ts";
import { countFunnel, isSame } from "./reference/count_funnel.ts";
import { countSteps, countTotals, countValues } from "./reference/count_steps.ts";
import { countAudience, countOverview, countPages, countSources, countVisits } from "./reference/count_visits.ts";
import { compareText, countViews, inOrder, isWithin, list } from "./reference/lists.ts";
import { isStepOrAutomatic, isView, type ReadEvent, readEvent } from "./reference/read_event.ts";

/** Creates a store that counts what the function returns for a key: its events, each once, in any order. */
export function createReferenceStore(eventsOf: (apiKey: string) => readonly StoredEvent[]): ReportReader {
  const locate = createLocator();
  const read = new WeakMap<StoredEvent, ReadEvent>();
  const readOnce = (event: StoredEvent): ReadEvent => {
    const known = read.get(event) ?? readEvent(event, locate);
    read.set(event, known);
    return known;
  };
  const choose = (query: ReportQuery): Chosen =>
    chooseOf(findVisitors(eventsOf(query.apiKey).map(readOnce)), query, locate);
  const chooseVisitors = (query: ReportQuery): readonly ReadEvent[] =>
    choose({ ...query, filters: [] }).events.filter(({ kind, visitor }) => kind !== "aggregate" && visitor !== "");
  /** A visitor is there by an event of a page. */
  const chooseSeen = (query: ReportQuery): readonly ReadEvent[] =>
    chooseVisitors(query).filter(({ session }) => session !== "");
  return {
    overview(query, bounds) {
      const chosen = choose(query);
      const parts = bounds.slice(1).map((to, index) => countVisits(chosen, bounds[index] ?? 0, to));
      return Promise.resolve({ total: countOverview(chosen, query), parts });
    },
    countFlagged({ apiKey, site, from, to }) {
      const views = eventsOf(apiKey).map(readOnce)
        .filter((event) => event.site === site && isWithin(event.time, from, to) && isView(event));
      const count = (traffic: Traffic): ViewCounts => countViews(views.filter((event) => event.traffic === traffic));
      return Promise.resolve({ bots: count("bots"), own: count("own") });
    },
    pages: (query, ...asked) => Promise.resolve(countPages(choose(query), query, ...asked)),
    sources: (query, grouping, rows, choice) =>
      Promise.resolve(countSources(choose(query), query, { ...grouping, rows, choice })),
    audience: (query, ...asked) => Promise.resolve(countAudience(choose(query), query, ...asked)),
    steps: (query, ...asked) => Promise.resolve(countSteps(choose(query), query, ...asked)),
    stepValues: (query, { step, key, sumOf }, rows, choice) => {
      const chosen = choose(query);
      const steps = chosen.events.filter((event) =>
        isStepOrAutomatic(event) && isWithin(event.time, query.from, query.to) && event.name === step
      );
      const list = { list: "values" as const, step, key: key ?? "" };
      return Promise.resolve(
        countValues(steps, key, rows, choice, createGoalReader(chosen, query, list, choice?.goal), sumOf),
      );
    },
    conversions: (query, ...asked) => Promise.resolve(countConversions(choose(query), query, ...asked)),
    countEvents(query, events, bounds) {
      const chosen = choose(query).events;
      const count = (counted: CountedEvent, from: number, to: number): EventTotals =>
        countTotals(chosen.filter(({ time }) => isWithin(time, from, to)), counted, query.pathRules);
      return Promise.resolve(events.map((counted) => ({
        total: count(counted, query.from, query.to),
        parts: bounds.slice(1).map((to, index) => count(counted, bounds[index] ?? 0, to)),
      })));
    },
    funnel: (query, funnel) => Promise.resolve(countFunnel(choose(query), query, funnel)),
    retention(anyTime, { bounds, returns: ways }) {
      const query = { ...anyTime, from: -Infinity, to: Infinity };
      const seen = chooseSeen(query);
      const returns = ways === undefined
        ? seen
        : chooseVisitors(query).filter((event) => ways.some((way) => isSame(event, way, query.pathRules)));
      return Promise.resolve(countCohorts(findChosenFirst(seen, choose(query)), returns, bounds));
    },
    acceptance(query, bounds) {
      const chosen = choose(query);
      const firsts = findChosenFirst(chooseSeen(query), chosen);
      const before = chosen.events.filter(({ kind, isArrival }) => kind === "aggregate" && isArrival);
      return Promise.resolve(
        bounds.slice(1).map((to, index) => {
          const isIn = ({ time }: ReadEvent): boolean => isWithin(time, bounds[index] ?? 0, to);
          const newly = firsts.filter(isIn);
          return {
            newlyConsented: newly.length,
            arrivalsBeforeChoice: before.filter(isIn).length + newly.filter(({ isArrival }) => isArrival).length,
          };
        }),
      );
    },
    violations(query, rows, choice) {
      const chosen = choose(query).events.filter(({ time, violation }) =>
        violation !== "" && isWithin(time, query.from, query.to)
      );
      const labels = [...new Set(chosen.map(({ violation }) => violation))];
      return Promise.resolve(list(
        labels.map((label) => ({
          label,
          count: chosen.filter(({ violation }) => violation === label).length,
        })),
        rows,
        (one, other) => other.count - one.count || compareText(one.label, other.label),
        { choice },
      )).then(({ rows, count, other }) => ({
        rows: rows.map(({ label, count }) => ({
          kind: label.split(" ", 1)[0] as ViolationRow["kind"],
          name: label.slice(label.indexOf(" ") + 1),
          count,
        })),
        count,
        other,
      }));
    },
    sites(apiKey) {
      const sites = eventsOf(apiKey).map((event) => readEvent(event).site).filter((site) => site !== "");
      const count = (site: string): number => sites.filter((one) => one === site).length;
      return Promise.resolve(
        [...new Set(sites)].toSorted((one, other) => count(other) - count(one) || compareText(one, other)),
      );
    },
    countPageviews: (apiKey, month) =>
      Promise.resolve(
        eventsOf(apiKey).filter(({ name, receivedAt }) => name === "$pageview" && receivedAt.startsWith(month)).length,
      ),
    lastTime({ apiKey, site }) {
      const times = eventsOf(apiKey).map((event) => readEvent(event)).filter((event) => event.site === site)
        .map(({ time }) => time);
      return Promise.resolve(times.length === 0 ? undefined : Math.max(...times));
    },
    person({ apiKey, site, ...of }, rows, { skip = 0 } = {}) {
      const isTheirs = ({ collection, identity }: StoredEvent): boolean =>
        collection === "full" &&
        ("userId" in of ? identity?.userId === of.userId : identity?.anonymousId === of.anonymousId);
      const events = eventsOf(apiKey).filter(isTheirs).map((stored) => ({ stored, ...readEvent(stored) }))
        .filter((event) => event.site === site);
      return Promise.resolve(inOrder(events).reverse().slice(skip, skip + rows).map(({ stored }) => stored));
    },
    close: () => Promise.resolve(),
  };
}
