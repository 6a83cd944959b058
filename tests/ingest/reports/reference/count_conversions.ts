import type { ConversionCounts, ConvertedList, CountedEvent } from "../../../../src/ingest/ports/reader.ts";
import type { EventTotals } from "../../../../src/ingest/ports/report_counts.ts";
import type { ReportQuery } from "../../../../src/ingest/ports/report_query.ts";
import type { Chosen, Session } from "./choose.ts";
import { countTotals } from "./count_steps.ts";
import { findFirstSessions, visitorOf } from "./count_visits.ts";
import { isWithin } from "./lists.ts";
import { isStepOrAutomatic, isView } from "./read_event.ts";

/** Counts the sessions of a list's rows that reach a goal. */
export function countConversions(
  chosen: Chosen,
  { from, to, pathRules }: ReportQuery,
  { goal, ...list }: ConvertedList & { readonly goal: CountedEvent },
  names: readonly string[],
): readonly ConversionCounts[] {
  const everySession = new Map(chosen.everySession.map((session) => [session.events[0]?.session ?? "", session]));
  const pairs = list.list === "sources"
    ? pairSessions(chosen, { from, to }, list)
    : list.list === "audience"
    ? pairLabels(chosen, { from, to }, list)
    : chosen.events
      .filter(({ time, visit, kind }) => isWithin(time, from, to) && visit !== "" && kind !== "aggregate")
      .flatMap((event): readonly Pair[] => {
        if (list.list === "pages") return isView(event) ? [{ name: event.path, visit: event.visit }] : [];
        if (!isStepOrAutomatic(event) || event.name !== list.step || !event.properties.has(list.key)) return [];
        return [{ name: JSON.stringify(event.properties.get(list.key)), visit: event.visit }];
      });
  return [...new Set(names)].flatMap((name) => {
    const visits = [...new Set(pairs.filter((pair) => pair.name === name).map(({ visit }) => visit))];
    const countGoal = ({ events, added }: Pick<Session, "events" | "added">): EventTotals =>
      countTotals([...events, ...added], goal, pathRules);
    const exitsWithout = list.list !== "pages"
      ? 0
      : chosen.sessions.filter((session) =>
        isWithin(session.startTime, from, to) && session.exit === name && countGoal(session).count === 0
      ).length;
    if (visits.length === 0 && exitsWithout === 0) return [];
    const totals = visits.map((visit) => countGoal(everySession.get(visit) ?? { events: [], added: [] }));
    return [{
      name,
      sessions: visits.length,
      conversions: totals.filter(({ count }) => count > 0).length,
      completions: totals.reduce((sum, { count }) => sum + count, 0),
      sum: totals.reduce((all, { sum }) => all + sum, 0),
      ...(list.list === "pages" && { exitsWithout }),
    }];
  });
}

/** Returns what a row has in the columns of the goal that its list is sorted by. */
export function createGoalReader(
  chosen: Chosen,
  query: ReportQuery,
  list: ConvertedList,
  goal: CountedEvent | undefined,
): (name: string) => Readonly<Record<string, number | null>> {
  return (name) => {
    if (goal === undefined) return {};
    const [counts] = countConversions(chosen, query, { ...list, goal }, [name]);
    if (counts === undefined) return { conversions: 0, conversionRate: null, goalValue: 0 };
    const { sessions, conversions, completions, sum } = counts;
    const goalValue = goal.sumOf === undefined ? completions : sum;
    return { conversions, conversionRate: sessions === 0 ? null : conversions / sessions, goalValue };
  };
}

interface Pair {
  readonly name: string;
  readonly visit: string;
}

function pairLabels(
  { events, sessions, labelEvent }: Chosen,
  { from, to }: Pick<ReportQuery, "from" | "to">,
  { by }: Extract<ConvertedList, { readonly list: "audience" }>,
): readonly Pair[] {
  const begun = sessions.filter(({ startTime }) => isWithin(startTime, from, to)).map(({ events: [first] }) => first);
  const visits = new Set(begun.map((first) => first?.session ?? ""));
  return events.filter(({ session }) => visits.has(session)).map((event) => ({
    name: labelEvent(event, by),
    visit: event.session,
  }));
}

function pairSessions(
  { sessions, everySession, label, labelOfAll }: Chosen,
  { from, to }: Pick<ReportQuery, "from" | "to">,
  { by, of }: Extract<ConvertedList, { readonly list: "sources" }>,
): readonly Pair[] {
  const labelSource = of === "first" ? labelOfAll : label;
  const labelOwn = ({ entry, from }: Session): string => by === "landing" ? entry ?? "" : labelSource(from, by);
  const firsts = of === "first" ? findFirstSessions(everySession) : new Map<string, Session>();
  return sessions.filter(({ startTime }) => isWithin(startTime, from, to)).map((session) => ({
    name: labelOwn(firsts.get(visitorOf(session)) ?? session),
    visit: session.events[0]?.session ?? "",
  }));
}
