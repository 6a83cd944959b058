import { FIGURES } from "../../events/figures.ts";
import { LONG_SESSION_MS } from "../../events/visit_facts.ts";
import type { ConvertedList, CountedEvent } from "../../ports/reader.ts";
import { type ReportQuery, SOURCE_DIMENSIONS, TRAFFIC_FLAGS } from "../../ports/report_query.ts";
import { joinAll, writeConditions, writeKey, writeSite } from "./conditions.ts";
import type { Engine } from "./engine.ts";
import { SESSIONS, VISITORS, writeOfSource } from "./kept.ts";
import { defineConversions, defineList } from "./list_tables.ts";
import { hasBackendSteps, writeOwned, writeRows } from "./owned_events.ts";
import { writeSourceLabels } from "./source_labels.ts";
import { writePaths } from "./written_paths.ts";

/** Demands of a view on the tables. */
interface Asked {
  /** The list whose rows are counted: its tables are those of {@linkcode defineList}. */
  readonly list?: ConvertedList;
  /** Whether it counts whose events are, and so what backends send of people. */
  readonly ofPeople?: boolean;
  /** The goal that the rows of the list stand beside: there are its `conversions`. */
  readonly goal?: CountedEvent | undefined;
}

/**
 * Writes the tables that a query begins with:
 *
 * - `nearby_events`: events of the range and 48 hours around it, or at any time where backends' steps may belong to its sessions
 * - `all_events`, `chosen_events`: those of the range, and those of them that the filters choose
 * - `all_sessions`: sessions of the range that filters of sessions choose
 * - `chosen_sessions`: those of them that begin in the range, and have an event that the filters of events choose
 * - `chosen_visitors`: visitors whose first event in all that is kept the filters choose
 */
export async function buildTables(
  engine: Engine,
  query: ReportQuery,
  { list, ofPeople = false, goal }: Asked = {},
): Promise<string> {
  const { dialect, kept, share } = engine;
  const { from, to, filters } = query;
  const options = { dialect, pathRules: query.pathRules };
  const { ofEvents, ofSessions, ofSomeEvent } = writeConditions(filters, options);
  const names = [...filters.map(({ name }) => name), list !== undefined && "by" in list && list.by];
  const isOfSessions = ofSessions.length + ofSomeEvent.length > 0;

  // The site.
  const ofKey = await writeKey(dialect, query.apiKey);
  const ofSite = `${await writeSite(dialect, query)} AND flag = ${dialect.quote(TRAFFIC_FLAGS[query.traffic])}`;
  const ofRange = `${ofSite} AND time >= ${from} AND time < ${to}`;
  const hasBackends = (ofPeople || isOfSessions || names.includes("visitor") || goal !== undefined) &&
    await hasBackendSteps(engine, ofSite);
  // A backend's step may come long after the visit that it belongs to.
  const around = hasBackends && (isOfSessions || goal !== undefined)
    ? ofSite
    : `${ofSite} AND time >= ${from - LONG_SESSION_MS} AND time < ${to + LONG_SESSION_MS}`;

  // The paths.
  const isOfFirst = list?.list === "sources" && list.of === "first";
  const paths = await writePaths(engine, query, isOfFirst ? ofSite : around);

  // The sources.
  const dimensions = SOURCE_DIMENSIONS.filter((name) => names.includes(name));
  const labels = await writeSourceLabels(engine, query, {
    hasChannels: names.includes("channel"),
    condition: isOfFirst ? ofSite : ofRange,
  });

  // Events.
  const visitors = writeRows(engine, VISITORS, ofSite);
  const newcomers = `newcomers AS (SELECT visitor_hash FROM ${visitors} AS v WHERE first_time >= ${from})`;
  const withEvents = `WITH ${
    [
      ...paths.definitions,
      ...labels.definitions,
      ...(names.includes("visitor") ? [newcomers] : []),
      `nearby_events AS (
        SELECT ev.*, ${paths.of("path")} AS page
        FROM (${writeOwned(engine, { ofKey, ofSite, condition: around, hasBackends })}) AS ev ${paths.join("path")}
      )`,
    ].join(", ")
  }`;

  // Sessions, and which have an event that is asked for. Where nothing is kept, the pass that counts them finds these as well.
  const isOnePass = kept === undefined && !hasBackends;
  const isOfSession = joinAll([FIGURES.sessions.sql, ...ofEvents]);
  const asked = [...ofSomeEvent, ...(ofEvents.length === 0 ? [] : [isOfSession])];
  const found: string[] = [];
  for (const [place, condition] of asked.entries()) {
    const visits = `SELECT DISTINCT visit FROM nearby_events WHERE visit <> 0 AND (${condition})`;
    // One after the other: none may be left running where another fails, since the transaction of all of them ends then.
    found.push(
      isOnePass ? `has_${place}` : `session_hash IN (SELECT visit FROM ${await share(`${withEvents} ${visits}`)} AS f)`,
    );
  }
  const [happened, haveChosen] = [found.slice(0, ofSomeEvent.length), found.slice(ofSomeEvent.length)];
  // In the same pass, the label of one event takes less than the columns that it is written of.
  const further = [
    ...asked.map((condition, place) => `max(${condition}) AS has_${place}`),
    ...dimensions.map((name) => `${writeOfSource(labels.ofEvent(name))} AS told_${name}`),
  ];
  const sessions = isOnePass
    ? `(${SESSIONS.count("nearby_events", { by: [SESSIONS.id], further })})`
    : writeRows(engine, SESSIONS, kept === undefined ? around : ofSite);
  const isNear = hasBackends ? [] : [`finish >= ${from}`, `start < ${to}`];
  const describe = (rows: string, isTold = false): string => {
    const columns = [
      `${FIGURES.bounceRate.sql} AS is_bounce`,
      `${paths.of("first_path")} AS first_page`,
      `${paths.of("last_path")} AS last_page`,
      ...dimensions.map((name) => `${labels.ofSession(name, isTold ? `told_${name}` : undefined)} AS session_${name}`),
    ];
    const joins = `${paths.join("first_path")} ${paths.join("last_path")}`;
    return `(SELECT s.*, ${columns.join(", ")} FROM ${rows} AS s ${joins})`;
  };

  // What the filters choose.
  const isOfChosenSession = isOfSessions ? ["visit IN (SELECT session_hash FROM all_sessions)"] : [];
  const isChosen = joinAll([...ofEvents, ...isOfChosenSession]);
  const definitions = [
    `all_sessions AS (
      SELECT * FROM ${describe(sessions, isOnePass)} AS d WHERE ${joinAll([...isNear, ...ofSessions, ...happened])}
    )`,
    `chosen_sessions AS (
      SELECT * FROM all_sessions WHERE ${joinAll([`start >= ${from}`, `start < ${to}`, ...haveChosen])}
    )`,
    `all_events AS (
      SELECT *, ${FIGURES.moment.sql} AS moment FROM nearby_events WHERE time >= ${from} AND time < ${to}
    )`,
    `chosen_events AS (SELECT * FROM all_events WHERE ${isChosen})`,
    `chosen_visitors AS (
      SELECT visitor_hash, first_time, is_arrival FROM (
        SELECT v.*, 1 = 1 AS is_full, visitor_hash AS person, session_hash AS visit, ${paths.of("path")} AS page
        FROM ${visitors} AS v ${paths.join("path")}
      ) AS f WHERE ${isChosen}
    )`,
  ];
  if (list !== undefined) {
    const everySession = describe(writeRows(engine, SESSIONS, ofSite));
    definitions.push(...defineList(list, { quote: dialect.quote, labels, everySession, isOfSession }));
  }
  if (goal !== undefined) definitions.push(...defineConversions(goal, options));
  return `${withEvents}, ${definitions.join(", ")}`;
}
