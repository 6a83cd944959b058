import type { AudienceDimension, OverviewCounts, ReportReader } from "../../../../src/ingest/ports/reader.ts";
import type { Listed, PageCounts, SourceCounts, VisitCounts } from "../../../../src/ingest/ports/report_counts.ts";
import type { ListChoice, ReportQuery } from "../../../../src/ingest/ports/report_query.ts";
import type { Chosen, Session } from "./choose.ts";
import { createGoalReader } from "./count_conversions.ts";
import { compareText, countDistinct, countViews, divide, inOrder, isWithin, list, rank, sum } from "./lists.ts";
import { isView, type ReadEvent } from "./read_event.ts";

// What is counted of it.

export function countVisits({ events, sessions }: Chosen, from: number, to: number): VisitCounts {
  const within = events.filter(({ time }) => isWithin(time, from, to));
  const full = within.filter(({ kind }) => kind !== "aggregate");
  const started = sessions.filter(({ startTime }) => isWithin(startTime, from, to));
  const landings = started.filter(({ isLanding }) => isLanding);
  return {
    pageviews: countViews(within),
    visitors: countDistinct(full.filter(({ session }) => session !== "").map(({ visitor }) => visitor)),
    users: countDistinct(full.map(({ user }) => user)),
    sessions: started.length,
    landings: landings.length,
    landingViews: landings.reduce((sum, { views }) => sum + views, 0),
    bounces: landings.filter(({ isBounce }) => isBounce).length,
    instantSessions:
      started.filter(({ events: all, startTime }) =>
        all.every(({ kind, time }) => kind === "pageview" && time === startTime)
      ).length,
  };
}

export function countOverview(chosen: Chosen, { from, to }: ReportQuery): OverviewCounts {
  const lengths = chosen.sessions.filter(({ startTime }) => isWithin(startTime, from, to))
    .flatMap(({ lengthMs }) => lengthMs ?? []);
  const engagedMs = chosen.events.filter(({ time }) => isWithin(time, from, to))
    .reduce((sum, event) => sum + event.engagedMs, 0);
  return { ...countVisits(chosen, from, to), medianSessionMs: rank(lengths, 50) ?? null, engagedMs };
}

export function countPages(
  chosen: Chosen,
  query: ReportQuery,
  ...[rows, choice]: [rows: number, choice?: ListChoice]
): Listed<PageCounts> {
  const { events, sessions } = chosen;
  const { from, to } = query;
  const readGoal = createGoalReader(chosen, query, { list: "pages" }, choice?.goal);
  const views = events.filter((event) => isView(event) && isWithin(event.time, from, to));
  const started = sessions.filter(({ startTime }) => isWithin(startTime, from, to));
  const pages = [...new Set(views.map(({ path }) => path))].map((path): PageCounts => {
    const ofPath = views.filter((event) => event.path === path);
    const there = events.filter((event) => event.path === path && isWithin(event.time, from, to));
    const entries = started.filter(({ entry }) => entry === path);
    return {
      path,
      views: countViews(ofPath),
      visitors: countDistinct(there.filter(({ session }) => session !== "").map(({ visitor }) => visitor)),
      entries: entries.length,
      exits: started.filter(({ exit }) => exit === path).length,
      bounces: entries.filter(({ isBounce }) => isBounce).length,
      engagedMs: there.reduce((sum, event) => sum + event.engagedMs, 0),
    };
  });
  return list(pages, rows, (one, other) => sum(other.views) - sum(one.views) || compareText(one.path, other.path), {
    choice,
    read: ({ path, views, visitors, entries, exits, bounces, engagedMs }) => ({
      ...{ name: path, path, views: sum(views), visitors, entries, exits },
      consentShare: views.full / sum(views),
      bounceRate: divide(bounces, entries),
      exitRate: exits > views.full ? null : divide(exits, views.full),
      engagedMsPerView: engagedMs === 0 ? null : divide(engagedMs, views.full),
      ...readGoal(path),
    }),
  });
}

export function countSources(
  chosen: Chosen,
  query: ReportQuery,
  { by, of = "session", rows, choice }: Parameters<ReportReader["sources"]>[1] & {
    readonly rows: number;
    readonly choice?: ListChoice | undefined;
  },
): Listed<SourceCounts> {
  const { events, sessions, label, everySession, labelOfAll } = chosen;
  const { from, to } = query;
  const readGoal = createGoalReader(chosen, query, { list: "sources", by, of }, choice?.goal);
  const isOfFirst = of === "first";
  const labelSource = isOfFirst ? labelOfAll : label;
  const arrivals = events.filter((event) => event.isArrival && isWithin(event.time, from, to))
    .filter(({ kind }) => kind !== "aggregate" || !isOfFirst);
  const started = sessions.filter(({ startTime }) => isWithin(startTime, from, to));
  const labelOwn = ({ entry, from }: Session): string => by === "landing" ? entry ?? "" : labelSource(from, by);
  const firsts = isOfFirst ? findFirstSessions(everySession) : new Map<string, Session>();
  const labelSession = (session: Session): string => labelOwn(firsts.get(visitorOf(session)) ?? session);
  const labelView = ({ path, from, visitor }: ReadEvent): string => {
    const first = firsts.get(visitor);
    if (first !== undefined) return labelOwn(first);
    return by === "landing" ? path : labelSource(from, by);
  };
  const labels = [...arrivals.map(labelView), ...started.map(labelSession)];
  const sources = [...new Set(labels)].map((label): SourceCounts => {
    const ofLabel = started.filter((session) => labelSession(session) === label);
    return {
      label: label === "" ? null : label,
      views: countViews(arrivals.filter((event) => labelView(event) === label)),
      sessions: ofLabel.length,
      visitors: countDistinct(ofLabel.map(visitorOf)),
      landings: ofLabel.filter(({ isLanding }) => isLanding).length,
      bounces: ofLabel.filter(({ isBounce }) => isBounce).length,
    };
  });
  return listByLabel(sources, { rows, choice, readGoal });
}

export function countAudience(
  chosen: Chosen,
  query: ReportQuery,
  by: AudienceDimension,
  ...[rows, choice]: [rows: number, choice?: ListChoice]
): Listed<SourceCounts> {
  const { events, sessions, labelEvent } = chosen;
  const { from, to } = query;
  const readGoal = createGoalReader(chosen, query, { list: "audience", by }, choice?.goal);
  const full = events.filter(({ kind }) => kind !== "aggregate");
  const within = full.filter(({ time }) => isWithin(time, from, to));
  const started = sessions.filter(({ startTime }) => isWithin(startTime, from, to));
  const sources = [...new Set(full.map((event) => labelEvent(event, by)))].map((label): SourceCounts => {
    const ofLabel = within.filter((event) => labelEvent(event, by) === label);
    const visits = new Set(full.filter((event) => labelEvent(event, by) === label).map(({ session }) => session));
    const begun = started.filter(({ events: [first] }) => visits.has(first?.session ?? ""));
    return {
      label: label === "" ? null : label,
      views: countViews(ofLabel),
      sessions: begun.length,
      visitors: countDistinct(ofLabel.filter(({ session }) => session !== "").map(({ visitor }) => visitor)),
      landings: begun.filter(({ isLanding }) => isLanding).length,
      bounces: begun.filter(({ isBounce }) => isBounce).length,
    };
  }).filter(({ views, sessions, visitors }) => views.full + sessions + visitors > 0);
  return listByLabel(sources, { rows, choice, readGoal });
}

function listByLabel(
  counts: readonly SourceCounts[],
  { rows, choice, readGoal }: {
    readonly rows: number;
    readonly choice: ListChoice | undefined;
    readonly readGoal: ReturnType<typeof createGoalReader>;
  },
): Listed<SourceCounts> {
  return list(
    counts,
    rows,
    (one, other) =>
      other.sessions - one.sessions || sum(other.views) - sum(one.views) ||
      compareText(one.label ?? "", other.label ?? ""),
    {
      choice,
      read: ({ label, views, sessions, visitors, landings, bounces }) => ({
        ...{ name: label ?? "", label, views: sum(views), sessions, visitors, landings },
        bounceRate: divide(bounces, landings),
        ...readGoal(label ?? ""),
      }),
    },
  );
}

/** Returns the visitor of the first event; empty for none. */
export function visitorOf({ events }: Session): string {
  return events[0]?.visitor ?? "";
}

/** Returns the first session of each visitor. */
export function findFirstSessions(sessions: readonly Session[]): ReadonlyMap<string, Session> {
  const firstEvents = inOrder(sessions.flatMap(({ events }) => events[0] ?? []));
  return new Map(
    sessions.filter((session) => {
      const visitor = visitorOf(session);
      return visitor !== "" && session.events[0] === firstEvents.find((event) => event.visitor === visitor);
    }).map((session) => [visitorOf(session), session]),
  );
}
