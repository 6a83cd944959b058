import { FIGURES } from "../../events/figures.ts";
import type { ReportReader } from "../../ports/reader.ts";
import type { ViewCounts } from "../../ports/report_counts.ts";
import { TRAFFIC_FLAGS } from "../../ports/report_query.ts";
import { writeSite } from "./conditions.ts";
import type { Engine } from "./engine.ts";
import { readParts, writeByPart } from "./parts.ts";
import { readNumber, readViews, readVisits, VIEWS } from "./rows.ts";
import { buildTables } from "./tables.ts";

const EVENTS = `${VIEWS}, uniqExactIf(visitor_hash, ${FIGURES.visitors.sql}) AS visitors,
  uniqExactIf(user_hash, user_hash <> 0) AS users, sum(engaged_ms) AS engaged`;

const SESSIONS = `count() AS sessions, countIf(is_landing) AS landings, sumIf(views, is_landing) AS landing_views,
  countIf(is_bounce) AS bounces, countIf(${FIGURES.instantSessions.sql}) AS instant_sessions, countIf(events >= 2) AS long_sessions`;

/** Counts a range and its parts. */
export async function readOverview(
  engine: Engine,
  ...[query, bounds]: Parameters<ReportReader["overview"]>
): ReturnType<ReportReader["overview"]> {
  const definitions = await buildTables(engine, query);
  const length = `${engine.dialect.quantile(0.5, "finish - start", "events >= 2")} AS median_length`;
  const [events, sessions] = await Promise.all([
    engine.select(`${definitions} ${writeByPart("chosen_events", { time: "time", counts: EVENTS, bounds })}`),
    engine.select(
      `${definitions} ${writeByPart("chosen_sessions", { time: "start", counts: `${SESSIONS}, ${length}`, bounds })}`,
    ),
  ]);
  const [ofEvents, ofSessions] = [readParts(events, bounds), readParts(sessions, bounds)];
  const total = { ...ofEvents.total, ...ofSessions.total };
  return {
    total: {
      ...readVisits(total),
      medianSessionMs: readNumber(total.long_sessions) > 0 ? Number(total.median_length) : null,
      engagedMs: readNumber(total.engaged),
    },
    parts: ofEvents.parts.map((row, place) => readVisits({ ...row, ...ofSessions.parts[place] })),
  };
}

/** Counts the flagged pageviews of a range. */
export async function readFlagged(
  engine: Engine,
  query: Parameters<ReportReader["countFlagged"]>[0],
): ReturnType<ReportReader["countFlagged"]> {
  const { from, to } = query;
  const ofSite = await writeSite(engine.dialect, query);
  const rows = await engine.select(
    `SELECT flag, ${VIEWS} FROM ${engine.events}
    WHERE ${ofSite} AND flag <> '' AND is_view AND time >= ${from} AND time < ${to} GROUP BY flag`,
  );
  const read = (flag: string): ViewCounts => readViews(rows.find((row) => row.flag === flag) ?? {});
  return { bots: read(TRAFFIC_FLAGS.bots), own: read(TRAFFIC_FLAGS.own) };
}
