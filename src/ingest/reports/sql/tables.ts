import { MAX_TOLD_SOURCES, MIDWAY_CHANNEL, UNTOLD_CHANNEL } from "../../events/channels.ts";
import { FIGURES } from "../../events/figures.ts";
import { createPathWriter } from "../../events/path_rules.ts";
import { LONG_SESSION_MS } from "../../events/visit_facts.ts";
import { hashKey } from "../../platform/digest.ts";
import type { AudienceDimension, CountedEvent } from "../../ports/reader.ts";
import {
  type ReportQuery,
  SOURCE_DIMENSIONS,
  type SourceDimension,
  type SourceGrouping,
  TRAFFIC_FLAGS,
} from "../../ports/report_query.ts";
import { joinAll, LANDING_PAGE, writeConditions, writeEventLabel, writePoint } from "./conditions.ts";
import type { Dialect, Engine } from "./engine.ts";
import { addUp } from "./rows.ts";
import { MOMENTS, OWNERS, SESSION_COLUMNS, SESSIONS, SOURCE_OF_SESSION } from "./kept.ts";

/** Grouping of sources, as a reader is asked for them. */
export interface ListedSources {
  readonly by: SourceGrouping;
  readonly of?: "session" | "first";
}

/** Demands of a view on the tables. */
export interface Asked {
  /** Grouping of the sources. */
  readonly listed?: ListedSources;
  /** Whether it counts whose events are, and so what backends send of people. */
  readonly ofPeople?: boolean;
  /** Dimension of `session_labels`: each session has the labels of its events that the filters choose. */
  readonly audience?: AudienceDimension;
  /** The goal that `goal_visits` has the visits of: how often each reaches it, and what that is worth. */
  readonly goal?: CountedEvent;
}

/**
 * Tables that a query begins with: `chosen_events` has the events of the range that the filters choose, `chosen_sessions` the
 * sessions that begin in it, `all_events` all events of the range with `is_counted`, `all_sessions` the sessions that filters of
 * sessions choose.
 */
export interface Tables {
  /** Begins a query. */
  readonly definitions: string;
  /** Query of each visitor's first event in all that is kept, with whether the filters choose it. */
  readonly firsts: string;
}

const IS_SOMEWHERE = "(source_referrer <> '' OR utm_source <> '' OR utm_medium <> '' OR utm_campaign <> '')";

const TOLD_BY = ["source_referrer", "utm_source", "utm_medium"] as const;

/** Makes the tables of a query. */
export async function buildTables(
  engine: Engine,
  query: ReportQuery,
  { listed, audience, ofPeople = false, goal }: Asked = {},
): Promise<Tables> {
  const { dialect, kept } = engine;
  const { from, to, filters, pathRules } = query;
  const { ofEvents, ofSessions, ofSomeEvent } = writeConditions(filters, { dialect, pathRules });
  const isOfFirst = listed?.of === "first";
  const ofKey = `key_hash = ${dialect.quote(await hashKey(query.apiKey))}`;
  const ofSite = `${await writeSite(engine, query)} AND flag = ${dialect.quote(TRAFFIC_FLAGS[query.traffic])}`;
  const isOfSessions = ofSessions.length + ofSomeEvent.length > 0;
  const isOfVisitors = audience === "visitor" || filters.some(({ name }) => name === "visitor");
  const hasBackends = (ofPeople || isOfSessions || isOfVisitors || goal !== undefined) &&
    await hasBackendSteps(engine, ofSite);
  const ofRange = (start: number, end: number): string => `${ofSite} AND time >= ${start} AND time < ${end}`;
  // A backend's step may come long after the visit that it belongs to.
  const around = hasBackends && (isOfSessions || goal !== undefined)
    ? ofSite
    : ofRange(from - LONG_SESSION_MS, to + LONG_SESSION_MS);
  const written = await writePaths(engine, query, isOfFirst ? ofSite : around);
  const filtered = SOURCE_DIMENSIONS.filter((name) => filters.some((filter) => filter.name === name));
  const names = SOURCE_DIMENSIONS.filter((name) => listed?.by === name || filtered.includes(name));
  const told = names.includes("channel") ? await writeTold(engine, isOfFirst ? ofSite : ofRange(from, to)) : undefined;

  const listEventColumns = (labels: readonly SourceDimension[]): string =>
    [
      "ev.*",
      `${MOMENTS}`,
      `${written.of("path")} AS page`,
      `${FIGURES.sessions.sql} AS has_session`,
      `${FIGURES.ownSteps.sql} AS is_step`,
      ...labels.map((name) => `${writeLabel(name, query, { engine, told })} AS ${name}_label`),
    ].join(", ");
  const eventsIn = (condition: string, labels = names): string =>
    `SELECT *, ${joinAll(ofEvents)} AS is_chosen FROM (
      SELECT ${listEventColumns(labels)} FROM (${
      writeOwned(engine, { ofKey, ofSite, condition, hasBackends })
    }) AS ev ${written.join("path")}
    ) AS e`;

  const sourceNames = new Set(names.flatMap(listSourceColumns));
  const sourceColumns = SOURCE_OF_SESSION.filter(({ name }) =>
    sourceNames.size > 0 && (!name.startsWith("s_") || sourceNames.has(name.slice(2)))
  );
  // In one pass, where what is asked of a session's events needs no other sessions.
  const isOnePass = kept === undefined && !hasBackends;
  const grouped = (condition: string): string =>
    `(SELECT session_hash, ${
      [...SESSION_COLUMNS, ...sourceColumns].map(({ name, count }) => `${count} AS ${name}`).join(", ")
    }, max(is_chosen) AS has_chosen ${
      isOnePass ? ofSomeEvent.map((one, place) => `, max(${one}) AS happened_${place}`).join("") : ""
    } FROM (${eventsIn(condition)}) AS c WHERE has_session GROUP BY session_hash)`;
  const visitsWith = (condition: string): string =>
    `SELECT visit FROM (${eventsIn(around, [])}) AS c WHERE visit <> 0 AND (${condition})`;
  const keptSessions = (condition: string): string => `(SELECT * FROM ${kept?.sessions} WHERE ${condition})`;
  const listSessionColumns = (labels: readonly SourceDimension[]): string =>
    [
      "s.*",
      `${FIGURES.bounceRate.sql} AS is_bounce`,
      `${FIGURES.instantSessions.sql} AS is_instant`,
      `finish - start AS length`,
      `${written.of("first_path")} AS first_page`,
      `${written.of("last_path")} AS last_page`,
      ...labels.map((name) =>
        `if(is_from_somewhere, ${writeLabel(name, query, { engine, told, prefix: "s_" })}, ${
          quoteNothing(name, engine)
        }) AS session_${name}`
      ),
    ].join(", ");
  const sessionsOf = (relation: string, labels = names): string =>
    `SELECT ${listSessionColumns(labels)} FROM ${relation} AS s ${written.join("first_path")} ${
      written.join("last_path")
    }`;

  const happened = ofSomeEvent.map((one, place) =>
    isOnePass ? `happened_${place}` : `session_hash IN (${visitsWith(one)})`
  );
  const nearby = kept === undefined
    ? grouped(around)
    : keptSessions(hasBackends ? ofSite : `${ofSite} AND finish >= ${from} AND start < ${to}`);
  const newcomers = isOfVisitors ? writeNewcomers(engine, { ofSite, from }) : "";
  const withWritten = `WITH ${newcomers}${written.definition}${told?.definition ?? ""}`;
  /** Shares the answer of a query of sessions, which each of a view's queries needs. */
  const share = async (sql: string, needed: boolean): Promise<string | undefined> =>
    needed ? await engine.share?.(`${withWritten} shared AS (${sql}) SELECT DISTINCT * FROM shared`) : undefined;
  const choice = joinAll([...ofSessions, ...happened]);
  const chosen = await share(
    `SELECT session_hash FROM (${sessionsOf(nearby, filtered)}) AS a WHERE ${choice}`,
    isOfSessions,
  );
  const allSessions = chosen === undefined
    ? `SELECT * FROM (${sessionsOf(nearby)}) AS a WHERE ${choice}`
    : sessionsOf(`(SELECT * FROM ${nearby} AS n WHERE session_hash IN (SELECT session_hash FROM ${chosen}))`);
  const withChosen = visitsWith(`has_session AND ${joinAll(ofEvents)}`);
  const visitsOfChosen = await share(withChosen, kept !== undefined && ofEvents.length > 0);
  const hasChosen = kept === undefined
    ? "has_chosen"
    : ofEvents.length === 0
    ? "1 = 1"
    : `session_hash IN (${visitsOfChosen === undefined ? withChosen : `SELECT visit FROM ${visitsOfChosen}`})`;
  const isCounted = isOfSessions
    ? "is_chosen AND visit <> 0 AND visit IN (SELECT session_hash FROM all_sessions)"
    : "is_chosen";
  const { ofSession } = nameListed(listed);
  const definitions = `${withWritten}
    all_sessions AS (${allSessions}),
    chosen_sessions AS (SELECT * FROM all_sessions WHERE start >= ${from} AND start < ${to} AND ${hasChosen}),
    all_events AS (SELECT *, ${isCounted} AS is_counted FROM (${eventsIn(ofRange(from, to))}) AS a),
    chosen_events AS (SELECT * FROM all_events WHERE is_counted)
    ${
    isOfFirst
      ? `, first_sessions AS (
        SELECT session_visitor AS first_visitor, argMin(${ofSession}, first_moment) AS first_listed
        FROM (${sessionsOf(kept === undefined ? grouped(ofSite) : keptSessions(ofSite))}) AS a
        WHERE session_visitor <> 0 GROUP BY session_visitor
      )`
      : ""
  }${
    audience === undefined ? "" : `, session_labels AS (
        SELECT DISTINCT ${writeEventLabel(audience)} AS label, session_hash AS label_session
        FROM (${eventsIn(around, [])}) AS n WHERE has_session AND is_chosen
      )`
  }${
    goal === undefined ? "" : `, goal_visits AS (
        SELECT visit AS goal_visit, count() AS completions, ${addUp(writeWorth(goal, dialect))} AS worth
        FROM (${eventsIn(around)}) AS g WHERE visit <> 0 AND ${
      writePoint(goal.event, { dialect, pathRules })
    } GROUP BY visit
      )`
  }`;
  const isMember = [
    ...ofEvents.filter((condition) => condition !== "is_full"),
    ...(isOfSessions ? ["session_hash IN (SELECT session_hash FROM all_sessions)"] : []),
  ];
  const firsts = kept === undefined
    ? `SELECT visitor_hash, min(time) AS first_time, argMin(is_arrival, moment) AS has_arrived, argMin(is_counted, moment) AS is_member
      FROM all_events WHERE is_full AND ${FIGURES.visitors.sql} GROUP BY visitor_hash`
    : `SELECT visitor_hash, first_time, is_arrival AS has_arrived, ${joinAll(isMember)} AS is_member FROM (
      SELECT v.*, visitor_hash AS person, session_hash AS visit, ${
      written.of("path")
    } AS page FROM ${kept.visitors} AS v ${written.join("path")} WHERE ${ofSite}
    ) AS f`;
  return { definitions, firsts };
}

/** Defines the table of the visitors whose first event in all that is kept is in the days, or later. */
function writeNewcomers(
  { events, kept }: Engine,
  { ofSite, from }: { readonly ofSite: string; readonly from: number },
): string {
  const query = kept === undefined
    ? `SELECT visitor_hash FROM ${events} WHERE ${ofSite} AND is_full AND ${FIGURES.visitors.sql}
      GROUP BY visitor_hash HAVING min(time) >= ${from}`
    : `SELECT visitor_hash FROM ${kept.visitors} WHERE ${ofSite} AND first_time >= ${from}`;
  return `newcomers AS (${query}),`;
}

/** Returns whether backends have sent steps. */
async function hasBackendSteps({ events, select, share }: Engine, ofSite: string): Promise<boolean> {
  // Compared with true, so that files without any are passed over.
  const first = `SELECT 1 AS found FROM ${events} WHERE is_backend = true AND ${ofSite} LIMIT 1`;
  return (await select(share === undefined ? first : `SELECT * FROM ${await share(first)}`)).length > 0;
}

/** Writes the query of events with the `person` whom they are of, and the session that they belong to, `visit`. */
function writeOwned(
  { events, kept }: Engine,
  { ofKey, ofSite, condition, hasBackends }: {
    readonly ofKey: string;
    readonly ofSite: string;
    readonly condition: string;
    readonly hasBackends: boolean;
  },
): string {
  const own = `SELECT *, visitor_hash AS person, session_hash AS visit FROM ${events} WHERE ${condition}`;
  if (!hasBackends) return own;
  const owners = kept === undefined
    ? OWNERS.count(`(SELECT * FROM ${events} WHERE ${ofKey})`)
    : `SELECT * FROM ${kept.owners} WHERE ${ofKey}`;
  const sessions = kept === undefined
    ? SESSIONS.count(`(SELECT * FROM ${events} WHERE ${ofSite})`)
    : `SELECT * FROM ${kept.sessions} WHERE ${ofSite}`;
  const sent = `SELECT ev.*, if(visitor_hash <> 0, visitor_hash, coalesce(o.owner, 0)) AS person
    FROM (SELECT * FROM ${events} WHERE ${condition} AND is_backend) AS ev
    LEFT JOIN (SELECT user_hash AS owned_by, owner FROM (${owners}) AS k) AS o ON ev.user_hash = o.owned_by`;
  // Apart, since a join of all events takes longer than to read these few once more.
  return `${own} AND NOT is_backend UNION ALL
    SELECT b.*, coalesce(v.last_session, 0) AS visit FROM (${sent}) AS b LEFT JOIN (
      SELECT p.id AS sent_as, s.last_session AS last_session FROM (SELECT id, time, person FROM (${sent}) AS q) AS p ASOF JOIN (
        SELECT session_visitor, start, ${FIGURES.stepSession.sql} AS last_session FROM (${sessions}) AS w
        WHERE session_visitor <> 0 GROUP BY session_visitor, start
      ) AS s ON p.person = s.session_visitor AND p.time >= s.start
    ) AS v ON b.id = v.sent_as`;
}

/** Names what an event, and what a session is listed under by itself. */
export function nameListed(listed?: ListedSources): { readonly ofEvent: string; readonly ofSession: string } {
  if (listed?.by === "landing") return { ofEvent: "page", ofSession: LANDING_PAGE };
  return { ofEvent: `${listed?.by}_label`, ofSession: `session_${listed?.by}` };
}

/** Writes the condition of a site's events. */
export async function writeSite(
  { dialect: { quote } }: Engine,
  { apiKey, site }: Pick<ReportQuery, "apiKey" | "site">,
): Promise<string> {
  return `key_hash = ${quote(await hashKey(apiKey))} AND site = ${quote(site)}`;
}

/** Paths as the rules write them: SQL can't, so that those of a range are read, and written here. */
interface WrittenPaths {
  /** Defines the table of the paths that the rules change. */
  readonly definition: string;
  /** Joins it by a column. */
  readonly join: (column: string) => string;
  /** Writes the path of a column. */
  readonly of: (column: string) => string;
}

async function writePaths(
  { dialect: { quote }, events, select }: Engine,
  { pathRules: rules }: ReportQuery,
  condition: string,
): Promise<WrittenPaths> {
  const plain: WrittenPaths = { definition: "", join: () => "", of: (column) => column };
  if (rules.patterns.length === 0 && !rules.dropsTrailingSlash && !rules.ignoresCase) return plain;
  const rows = await select(`SELECT DISTINCT path FROM ${events} WHERE ${condition}`);
  const write = createPathWriter(rules);
  const changed = rows.map((row) => String(row.path)).filter((path) => write(path) !== path);
  if (changed.length === 0) return plain;
  const list = (paths: readonly string[]): string => `[${paths.map(quote).join(", ")}]`;
  return {
    // A join, since a CASE of thousands of paths looks at each of them for each event.
    definition: `written_paths AS (
      SELECT arrayElement(${list(changed)}, place) AS plain_path, arrayElement(${
      list(changed.map(write))
    }, place) AS written_path
      FROM (SELECT arrayJoin(range(1, ${changed.length + 1})) AS place) AS places
    ),`,
    join: (column) => `LEFT JOIN written_paths AS of_${column} ON ${column} = of_${column}.plain_path`,
    of: (column) => `if(coalesce(of_${column}.written_path, '') = '', ${column}, of_${column}.written_path)`,
  };
}

/** The sources whose channels are told. */
interface ToldSources {
  /** Defines their table. */
  readonly definition: string;
}

/** Defines the table of the sources whose channels are told, where there are too many in the range: see `MAX_TOLD_SOURCES`. */
async function writeTold({ events, select, share }: Engine, condition: string): Promise<ToldSources | undefined> {
  const sources = `SELECT ${TOLD_BY.join(", ")}, utm_campaign <> '' AS has_campaign, count() AS c
    FROM ${events} WHERE ${condition} AND ${IS_SOMEWHERE} GROUP BY ${TOLD_BY.join(", ")}, has_campaign`;
  const count = `SELECT count() AS c FROM (${sources}) AS all_sources`;
  const [row] = await select(share === undefined ? count : `SELECT * FROM ${await share(count)}`);
  if (Number(row?.c) <= MAX_TOLD_SOURCES) return undefined;
  return {
    definition: `told_sources AS (
      SELECT * FROM (${sources}) AS all_sources ORDER BY c DESC, ${
      TOLD_BY.join(", ")
    }, has_campaign LIMIT ${MAX_TOLD_SOURCES}
    ),`,
  };
}

interface LabelOptions {
  readonly engine: Engine;
  readonly told: ToldSources | undefined;
  /** Stands before the names of the columns. */
  readonly prefix?: string;
}

/** A number's JSON begins with a digit or a minus. */
export const IS_NUMBER = "'^[0-9-]'";

/** Worth of an event where nothing is summed: a fraction as all are, since ClickHouse adds up numbers of one type. */
export const NO_WORTH = "0e0";

/** Writes the number that an event is worth: 0 where the property has none, or nothing is summed. */
export function writeWorth({ event, sumOf }: CountedEvent, { quote }: Dialect): string {
  if (sumOf === undefined || !("step" in event)) return NO_WORTH;
  const json = `JSONExtractRaw(scalars, ${quote(sumOf)})`;
  return `if(match(${json}, ${IS_NUMBER}), toFloat64OrZero(${json}), 0)`;
}

/** Writes what a source is listed under. Whoever comes from one of the key's own origins comes from nowhere. */
function writeLabel(
  name: SourceDimension,
  { ownOrigins }: ReportQuery,
  { engine: { dialect: { quote } }, told, prefix = "" }: LabelOptions,
): string {
  const column = (of: string): string => `${prefix}${of}`;
  const isOwn = ownOrigins.length === 0
    ? "1 = 0"
    : `${column("source_referrer")} IN (${ownOrigins.map(quote).join(", ")})`;
  const referrer = `if(${isOwn}, '', ${column("source_referrer")})`;
  if (name === "source") return `if(${column("utm_source")} <> '', ${column("utm_source")}, ${referrer})`;
  if (name === "referrer") return referrer;
  if (name !== "channel") return column(`utm_${name}`);
  const channel = `if(${isOwn}, ${column("tagged_channel")}, ${column("channel")})`;
  if (told === undefined) return channel;
  const source = `${TOLD_BY.map(column).join(", ")}, ${column("utm_campaign")} <> ''`;
  const isNowhere = [...TOLD_BY, "utm_campaign"].map((of) => `${column(of)} = ''`).join(" AND ");
  return `if((${isNowhere}) OR (${source}) IN (SELECT ${
    TOLD_BY.join(", ")
  }, has_campaign FROM told_sources), ${channel}, ${quote(UNTOLD_CHANNEL)})`;
}

/** The label of a session that joined midway, and tells no source. */
function quoteNothing(name: SourceDimension, { dialect: { quote } }: Engine): string {
  return quote(name === "channel" ? MIDWAY_CHANNEL : "");
}

/** Lists what a label is written of. */
function listSourceColumns(name: SourceDimension): readonly string[] {
  if (name === "channel") return [...TOLD_BY, "utm_campaign", "channel", "tagged_channel"];
  if (name === "source") return ["utm_source", "source_referrer"];
  return [name === "referrer" ? "source_referrer" : `utm_${name}`];
}
