/**
 * The views of the reports, counted from the facts of a SQLite database.
 *
 * @module
 */
import type { DatabaseSync } from "node:sqlite";
import { createFunnelFold, type FunnelPoint } from "../../events/funnel_fold.ts";
import { MAX_TOLD_SOURCES, UNTOLD_CHANNEL } from "../../events/channels.ts";
import { createPathWriter, toPathExpression } from "../../events/path_rules.ts";
import { ENGAGED_MS, labelSource, toFactText, type TrafficSource } from "../../events/visit_facts.ts";
import { EVENT_FILTERS, parseViolation, SCREEN_CLASSES, SOURCE_DIMENSIONS, TRAFFIC_FLAGS } from "../../ports/reader.ts";
import type {
  CohortCounts,
  CountedEvent,
  EventTotals,
  FilterName,
  FlaggedCounts,
  Funnel,
  FunnelEvent,
  FunnelStage,
  Listed,
  NumberCounts,
  OverviewCounts,
  PageCounts,
  ReportFilter,
  ReportQuery,
  ReportReader,
  SourceCounts,
  SourceDimension,
  StepCounts,
  StepValues,
  Traffic,
  ValueCounts,
  ViewCounts,
  ViolationRow,
  VisitCounts,
} from "../../ports/reader.ts";
import { hashId } from "./sqlite_facts.ts";
import { LONG_VISIT_MS, VALUE_KINDS } from "./sqlite_facts_schema.ts";

/** The views of one query. */
export interface SqliteVisits {
  overview(bounds: readonly number[]): { readonly total: OverviewCounts; readonly parts: readonly VisitCounts[] };
  pages(rows: number): Listed<PageCounts>;
  sources(by: SourceDimension, rows: number): Listed<SourceCounts>;
  steps(rows: number): Listed<StepCounts>;
  violations(rows: number): Listed<ViolationRow>;
  stepValues(of: { readonly step: string; readonly key?: string }, rows: number): StepValues;
  countEvents(
    events: readonly CountedEvent[],
    bounds: readonly number[],
  ): readonly { readonly total: EventTotals; readonly parts: readonly EventTotals[] }[];
  funnel(funnel: Funnel): readonly FunnelStage[];
  retention(options: Parameters<ReportReader["retention"]>[1]): readonly CohortCounts[];
}

/** Who is asked for. */
export type PersonOptions = Parameters<ReportReader["person"]>[0];

/** Which flagged pageviews are asked for. */
export type FlaggedQuery = Parameters<ReportReader["countFlagged"]>[0];

type Row = Readonly<Record<string, unknown>>;

type Value = string | number | null;

/** What is counted of the events of a span. */
type EventCounts = Pick<VisitCounts, "pageviews" | "visitors" | "users">;

/** How many names of properties are listed. */
const MAX_KEYS = 50;

const IS_STEP = "f.kind >= 2";

const BOUNCES = `sum(v.is_landing AND v.views = 1 AND v.steps = 0 AND v.engaged < ${ENGAGED_MS})`;

const VIEWS = "sum(f.kind = 1) AS full_views, sum(f.kind = 0) AS aggregate_views";

const SOURCE_OF_VISIT = "coalesce(v.tag, v.referral, 0)";

/** Whether a source has anything that a channel is told by. */
const IS_SOMEWHERE = "(s.referrer <> '' OR s.source <> '' OR s.medium <> '' OR s.campaign <> '')";

const NOWHERE: TrafficSource = { referrer: "", source: "", medium: "", campaign: "", term: "", content: "" };

/** Prepares what a query counts, on a connection of its own: filters leave tables that last as long as it does. */
export function openVisits(database: DatabaseSync, query: ReportQuery): SqliteVisits {
  const { from, to, filters, ownOrigins } = query;
  const hasPathRules = query.pathRules.patterns.length > 0 || query.pathRules.dropsTrailingSlash ||
    query.pathRules.ignoresCase;
  const writePath = createPathWriter(query.pathRules);
  let paths: ReturnType<typeof readPaths> | undefined;
  let pathTables = 0;
  const select = (sql: string, ...values: readonly Value[]): readonly Row[] => database.prepare(sql).all(...values);
  const selectOne = (sql: string, ...values: readonly Value[]): Row => select(sql, ...values)[0] ?? {};

  const scope = Number(
    selectOne(
      "SELECT id FROM fact_scopes WHERE api_key = ? AND site = ? AND flag = ?",
      ...[query.apiKey, query.site, TRAFFIC_FLAGS[query.traffic]],
    ).id ?? 0,
  );

  // Before the first table: within a transaction it can't be changed behind one.
  database.exec("PRAGMA temp_store = MEMORY");
  /** Tables of labels that there are. */
  const labelled = new Set<string>();
  const ofEvents = filters.filter(({ name }) => EVENT_FILTERS.includes(name));
  const ofSessions = filters.filter(({ name }) => !EVENT_FILTERS.includes(name));
  const isEventChosen = ofEvents.map((filter) => buildEventCondition(filter, "f"));
  const isVisitChosen = ofSessions.map(buildVisitCondition);

  if (isVisitChosen.length > 0) {
    database.exec("CREATE TEMP TABLE chosen_visits (id INTEGER PRIMARY KEY) STRICT");
    database.exec(`
      INSERT INTO chosen_visits SELECT v.id FROM visits AS v
      WHERE v.scope = ${scope} AND v.start >= ${from - LONG_VISIT_MS} AND v.start < ${to}
        AND ${isVisitChosen.join(" AND ")}
      UNION SELECT v.id FROM visits AS v WHERE v.id IN (${findLongVisits(from)}) AND ${isVisitChosen.join(" AND ")}
    `);
  }
  const facts = [
    `f.scope = ${scope} AND f.time >= ? AND f.time < ?`,
    ...isEventChosen,
    ...(isVisitChosen.length > 0 ? ["f.visit IN (SELECT id FROM chosen_visits)"] : []),
    ...(filters.some(({ name }) => name !== "page") ? ["f.kind <> 0"] : []),
  ].join(" AND ");
  if (filters.length > 0) {
    const hasEvent = `EXISTS (SELECT 1 FROM facts AS f WHERE f.visit = v.id AND ${isEventChosen.join(" AND ")})`;
    database.exec(`
      CREATE TEMP TABLE counted_visits AS SELECT v.* FROM visits AS v
      WHERE v.scope = ${scope} AND v.start >= ${from} AND v.start < ${to}
        ${isVisitChosen.length > 0 ? "AND v.id IN (SELECT id FROM chosen_visits)" : ""}
        ${isEventChosen.length > 0 ? `AND ${hasEvent}` : ""};
      CREATE INDEX temp.counted_visits_by_start ON counted_visits (start);
    `);
  }
  const visits = filters.length > 0
    ? { table: "counted_visits AS v", condition: "v.start >= ? AND v.start < ?" }
    : { table: "visits AS v", condition: `v.scope = ${scope} AND v.start >= ? AND v.start < ?` };

  /** Finds the visits that last longer than others, began before that, and may have events since. */
  function findLongVisits(start: number): string {
    return `SELECT v.id FROM visits AS v INDEXED BY visits_long
      WHERE v.scope = ${scope} AND v.last - v.start > ${LONG_VISIT_MS}
        AND v.start < ${start - LONG_VISIT_MS} AND v.last >= ${start}`;
  }

  /** Returns the numbers of texts, as SQL has a list. */
  function findTexts(texts: readonly string[]): string {
    return `(SELECT id FROM fact_texts WHERE text IN (${texts.map(quote).join(", ")}))`;
  }

  /** Returns the numbers of paths that are written as one of these. */
  function findPaths(paths: readonly string[]): string {
    if (!hasPathRules) return findTexts(paths);
    const wanted = new Set(paths);
    return findPathsBy((path) => wanted.has(path));
  }

  /** Returns the numbers of paths that are written in a way. */
  function findPathsBy(isWanted: (path: string) => boolean): string {
    const ids = (paths ??= readPaths()).filter(({ path }) => isWanted(path)).map(({ id }) => id);
    // A text of SQL may have a million bytes.
    const table = `path_ids_${pathTables++}`;
    database.exec(`CREATE TEMP TABLE ${table} (id INTEGER PRIMARY KEY) STRICT`);
    const insert = database.prepare(`INSERT INTO ${table} (id) VALUES (?)`);
    for (const id of ids) insert.run(id);
    return table;
  }

  /** Reads the paths that may be counted, as they are written. */
  function readPaths(): readonly { readonly id: number; readonly path: string }[] {
    const rows = select(
      `SELECT id, text FROM fact_texts WHERE id IN (
        SELECT DISTINCT path FROM facts WHERE scope = ${scope} AND time >= ? AND time < ?
      )`,
      from - LONG_VISIT_MS,
      to + LONG_VISIT_MS,
    );
    return rows.map(({ id, text }) => ({ id: Number(id), path: writePath(String(text)) }));
  }

  /** Makes a table of what sources are listed under, by their numbers, where there is none yet; returns its name. */
  function labelSources(by: SourceDimension): string {
    const table = `${by}_labels`;
    if (labelled.has(table)) return table;
    labelled.add(table);
    const near = `id IN (
      SELECT source FROM facts
      WHERE scope = ${scope} AND time >= ${from - LONG_VISIT_MS} AND time < ${to + LONG_VISIT_MS}
    )`;
    if (by === "channel") {
      labelIds(table, [{ id: 0, label: labelChannel(NOWHERE) }]);
      labelChannels(table, near);
      return table;
    }
    labelIds(table, [{ id: 0, label: labelSource(NOWHERE, by, ownOrigins) }]);
    const referrer = `CASE WHEN referrer IN (${ownOrigins.map(quote).join(", ")}) THEN '' ELSE referrer END`;
    const label = by === "referrer" ? referrer : by === "source" ? `coalesce(nullif(source, ''), ${referrer})` : by;
    database.exec(`INSERT INTO ${table} (id, label) SELECT id, ${label} FROM fact_sources WHERE ${near}`);
    return table;
  }

  function labelChannel(source: TrafficSource): string {
    return labelSource(source, "channel", ownOrigins);
  }

  /** Adds the channels of sources to their table: of each, unless there are too many in the range. */
  function labelChannels(table: string, near: string): void {
    const sources = Number(selectOne("SELECT count(*) AS count FROM fact_sources").count);
    const told = sources <= MAX_TOLD_SOURCES ? [] : select(
      `SELECT s.referrer AS referrer, s.source AS source, s.medium AS medium, max(s.campaign) AS campaign, '' AS term,
        '' AS content
      FROM facts AS f JOIN fact_sources AS s ON s.id = f.source
      WHERE f.scope = ${scope} AND f.time >= ? AND f.time < ? AND ${IS_SOMEWHERE}
      GROUP BY s.referrer, s.source, s.medium, s.campaign <> ''
      ORDER BY count(*) DESC, s.referrer, s.source, s.medium, s.campaign <> '' LIMIT ${MAX_TOLD_SOURCES + 1}`,
      from,
      to,
    );
    if (told.length <= MAX_TOLD_SOURCES) {
      const rows = select(`SELECT * FROM fact_sources WHERE ${near}`);
      addLabels(table, rows.map((row) => ({ id: Number(row.id), label: labelChannel(readSource(row)) })));
      return;
    }
    database.exec(`
      CREATE TEMP TABLE told_sources (
        referrer TEXT, source TEXT, medium TEXT, has_campaign INTEGER, label TEXT,
        PRIMARY KEY (referrer, source, medium, has_campaign)
      ) STRICT
    `);
    const insert = database.prepare("INSERT INTO told_sources VALUES (?, ?, ?, ?, ?)");
    for (const row of told.slice(0, MAX_TOLD_SOURCES)) {
      const source = readSource(row);
      const { referrer, medium, campaign } = source;
      insert.run(referrer, source.source, medium, Number(campaign !== ""), labelChannel(source));
    }
    database.exec(`
      INSERT INTO ${table} (id, label)
      SELECT s.id, iif(${IS_SOMEWHERE}, coalesce(t.label, ${quote(UNTOLD_CHANNEL)}), ${quote(labelChannel(NOWHERE))})
      FROM fact_sources AS s LEFT JOIN told_sources AS t ON t.referrer = s.referrer AND t.source = s.source
        AND t.medium = s.medium AND t.has_campaign = (s.campaign <> '')
      WHERE s.${near}
    `);
  }

  function buildEventCondition({ name, values }: ReportFilter, alias: string): string {
    if (name === "page") return `${alias}.path IN ${findPaths(values)}`;
    if (name === "screen") {
      const classes: readonly string[] = SCREEN_CLASSES;
      return `${alias}.screen IN (${
        values.map((value) => classes.indexOf(value) + 1).filter((id) => id > 0).join(", ")
      })`;
    }
    const answers = [
      ...(values.includes("yes") ? [`${alias}.user IS NOT NULL`] : []),
      ...(values.includes("no") ? [`(${alias}.user IS NULL AND ${alias}.kind <> 0)`] : []),
    ];
    return `(${answers.join(" OR ") || "false"})`;
  }

  function buildVisitCondition({ name, values, key = "", step, events = [] }: ReportFilter): string {
    if (name === "entry") return `v.is_landing = 1 AND v.entry IN ${findPaths(values)}`;
    if (name === "exit") return `v.exit IN ${findPaths(values)}`;
    if (isDimension(name)) {
      const ofLabels = `SELECT id FROM ${labelSources(name)} WHERE label IN (${values.map(quote).join(", ")})`;
      return `${SOURCE_OF_VISIT} IN (${ofLabels})`;
    }
    if (name === "step") {
      return `EXISTS (
        SELECT 1 FROM facts AS f WHERE f.visit = v.id AND ${IS_STEP} AND f.name IN ${findTexts(values)}
      )`;
    }
    if (name === "goal") {
      const isReached = events.map(buildPoint).join(" OR ") || "false";
      return `EXISTS (SELECT 1 FROM facts AS f WHERE f.visit = v.id AND (${isReached}))`;
    }
    return `EXISTS (
      SELECT 1 FROM facts AS f JOIN fact_properties AS p ON p.seq = f.seq
      WHERE f.visit = v.id AND ${IS_STEP} ${step === undefined ? "" : `AND f.name IN ${findTexts([step])}`}
        AND p.key IN ${findTexts([key])} AND (${values.map(buildValueCondition).join(" OR ") || "false"})
    )`;
  }

  function buildValueCondition(json: string): string {
    const value = parseScalar(json);
    if (value === undefined) return "false";
    if (typeof value === "string") return `(p.kind = ${VALUE_KINDS.text} AND p.value IN ${findTexts([value])})`;
    if (typeof value === "number") return `(p.kind = ${VALUE_KINDS.number} AND p.value = ${JSON.stringify(value)})`;
    if (value === null) return `p.kind = ${VALUE_KINDS.null}`;
    return `(p.kind = ${VALUE_KINDS.boolean} AND p.value = ${Number(value)})`;
  }

  /** Counts events of a span one by one. */
  function countChosen(start: number, end: number): EventCounts {
    const row = selectOne(
      `SELECT ${VIEWS}, count(DISTINCT f.visitor) AS visitors, count(DISTINCT f.user) AS users
      FROM facts AS f WHERE ${facts}`,
      start,
      end,
    );
    return { pageviews: readViews(row), visitors: Number(row.visitors), users: Number(row.users) };
  }

  /**
   * Counts all events of a span. Most are of visits that lie in it whole and are of one visitor: their sums are at hand. The
   * events of the other visits, and those of none, are counted one by one.
   */
  function countAll(start: number, end: number): EventCounts {
    const isIn = `>= ${start} AND f.time < ${end}`;
    const near = `visits AS v INDEXED BY visits_by_start
      WHERE v.scope = ${scope} AND v.start >= ${start - LONG_VISIT_MS} AND v.start < ${end}`;
    const isWhole = `v.start >= ${start} AND v.last < ${end} AND v.is_mixed = 0`;
    const others = `SELECT v.id AS id FROM ${near} AND v.last >= ${start} AND NOT (${isWhole})
      UNION ALL ${findLongVisits(start)}`;
    const ofOthers = `FROM (${others}) AS others
      CROSS JOIN facts AS f ON f.visit = others.id WHERE f.time ${isIn}`;
    const alone =
      `FROM facts AS f INDEXED BY facts_alone WHERE f.scope = ${scope} AND f.visit IS NULL AND f.time ${isIn}`;
    const whole = selectOne(`SELECT sum(v.views) AS full_views FROM ${near} AND ${isWhole}`);
    const rows = [selectOne(`SELECT ${VIEWS} ${ofOthers}`), selectOne(`SELECT ${VIEWS} ${alone}`), whole].map(
      readViews,
    );
    const visitors = selectOne(`
      SELECT count(*) AS count FROM (
        SELECT v.visitor AS visitor FROM ${near} AND ${isWhole} AND v.visitor IS NOT NULL
        UNION SELECT f.visitor ${ofOthers} AND f.visitor IS NOT NULL
        UNION SELECT f.visitor ${alone} AND f.visitor IS NOT NULL
      )
    `);
    const users = selectOne(`
      SELECT count(DISTINCT f.user) AS count FROM facts AS f INDEXED BY facts_signed_in
      WHERE f.scope = ${scope} AND f.user IS NOT NULL AND f.time ${isIn}
    `);
    return {
      pageviews: {
        full: rows.reduce((total, { full }) => total + full, 0),
        aggregate: rows.reduce((total, { aggregate }) => total + aggregate, 0),
      },
      visitors: Number(visitors.count),
      users: Number(users.count),
    };
  }

  function count(start: number, end: number): VisitCounts {
    const sessions = selectOne(
      `SELECT count(*) AS sessions, sum(v.is_landing) AS landings, ${BOUNCES} AS bounces,
        sum(v.views) FILTER (WHERE v.is_landing) AS landing_views,
        sum(v.last = v.start AND v.events = v.views) AS instant_sessions
      FROM ${visits.table} WHERE ${visits.condition}`,
      start,
      end,
    );
    return {
      ...(filters.length > 0 ? countChosen(start, end) : countAll(start, end)),
      sessions: Number(sessions.sessions),
      landings: Number(sessions.landings ?? 0),
      landingViews: Number(sessions.landing_views ?? 0),
      bounces: Number(sessions.bounces ?? 0),
      instantSessions: Number(sessions.instant_sessions ?? 0),
    };
  }

  function findMedianLength(): number | null {
    const ofLengths = `FROM ${visits.table} WHERE ${visits.condition} AND v.events >= 2`;
    const lengths = Number(selectOne(`SELECT count(*) AS count ${ofLengths}`, from, to).count);
    if (lengths === 0) return null;
    const place = findRank(lengths, 0.5);
    const sql = `SELECT v.last - v.start AS length ${ofLengths} ORDER BY 1 LIMIT 1 OFFSET ?`;
    return Number(selectOne(sql, from, to, place).length);
  }

  /** Writes a table of what ids are listed under, which lasts as long as the connection. */
  function labelIds(table: string, ids: readonly { readonly id: number; readonly label: string }[]): void {
    database.exec(`CREATE TEMP TABLE ${table} (id INTEGER PRIMARY KEY, label TEXT NOT NULL) STRICT`);
    addLabels(table, ids);
  }

  function addLabels(table: string, ids: readonly { readonly id: number; readonly label: string }[]): void {
    const insert = database.prepare(`INSERT INTO ${table} (id, label) VALUES (?, ?)`);
    for (const { id, label } of ids) insert.run(id, label);
  }

  return {
    overview: (bounds) => ({
      total: { ...count(from, to), medianSessionMs: findMedianLength() },
      parts: bounds.slice(1).map((end, index) => count(bounds[index] ?? end, end)),
    }),
    pages: (rows) => {
      if (hasPathRules) labelIds("path_labels", readPaths().map(({ id, path }) => ({ id, label: path })));
      const labels = hasPathRules ? "path_labels" : "(SELECT id, text AS label FROM fact_texts)";
      const group = hasPathRules ? "l.label" : "f.path";
      const views = select(
        `SELECT l.label AS label, counts.* FROM (
          SELECT ${hasPathRules ? "min(f.path)" : "f.path"} AS id, ${VIEWS},
            count(DISTINCT CASE WHEN f.kind = 1 THEN f.visitor END) AS visitors, sum(f.engaged) AS engaged
          FROM facts AS f ${hasPathRules ? "JOIN path_labels AS l ON l.id = f.path" : ""}
          WHERE ${facts} AND (f.kind <= 1 OR f.engaged > 0) GROUP BY ${group}
          HAVING full_views + aggregate_views > 0
        ) AS counts JOIN ${labels} AS l ON l.id = counts.id`,
        from,
        to,
      );
      const ofVisits = (column: "entry" | "exit", condition: string): ReadonlyMap<string, Row> =>
        new Map(
          select(
            `SELECT l.label AS label, sum(visits) AS visits, sum(bounces) AS bounces FROM (
              SELECT v.${column} AS id, count(*) AS visits, ${BOUNCES} AS bounces
              FROM ${visits.table} WHERE ${visits.condition} AND ${condition} GROUP BY 1
            ) AS counts JOIN ${labels} AS l ON l.id = counts.id GROUP BY 1`,
            from,
            to,
          ).map((row) => [String(row.label), row]),
        );
      const entries = ofVisits("entry", "v.is_landing = 1");
      const exits = ofVisits("exit", "v.exit IS NOT NULL");
      const pages = views.map((row) => {
        const path = String(row.label);
        const entry = entries.get(path);
        return {
          path,
          views: readViews(row),
          visitors: Number(row.visitors),
          entries: Number(entry?.visits ?? 0),
          exits: Number(exits.get(path)?.visits ?? 0),
          bounces: Number(entry?.bounces ?? 0),
          engagedMs: Number(row.engaged),
        };
      });
      const sorted = pages.sort((one, other) => sum(other.views) - sum(one.views) || compare(one.path, other.path));
      return { rows: sorted.slice(0, rows), count: sorted.length };
    },
    sources: (by, rows) => {
      const labels = labelSources(by);
      const sessions = select(
        `SELECT l.label AS label, count(*) AS sessions, count(DISTINCT v.visitor) AS visitors,
          sum(v.is_landing) AS landings, ${BOUNCES} AS bounces
        FROM ${visits.table} JOIN ${labels} AS l ON l.id = ${SOURCE_OF_VISIT}
        WHERE ${visits.condition} GROUP BY 1`,
        from,
        to,
      );
      const views = select(
        `SELECT l.label AS label, sum(full_views) AS full_views, sum(aggregate_views) AS aggregate_views FROM (
          SELECT f.source AS id, ${VIEWS} FROM facts AS f WHERE ${facts} AND f.kind <= 1 AND f.is_arrival = 1 GROUP BY 1
        ) AS counts JOIN ${labels} AS l ON l.id = counts.id GROUP BY 1`,
        from,
        to,
      );
      const sessionsOf = new Map(sessions.map((row) => [String(row.label), row]));
      const viewsOf = new Map(views.map((row) => [String(row.label), row]));
      const sources = [...new Set([...sessionsOf.keys(), ...viewsOf.keys()])].map((label): SourceCounts => {
        const row = sessionsOf.get(label);
        return {
          label: label || null,
          views: readViews(viewsOf.get(label) ?? {}),
          sessions: Number(row?.sessions ?? 0),
          visitors: Number(row?.visitors ?? 0),
          landings: Number(row?.landings ?? 0),
          bounces: Number(row?.bounces ?? 0),
        };
      }).sort((one, other) =>
        other.sessions - one.sessions || sum(other.views) - sum(one.views) ||
        compare(one.label ?? "", other.label ?? "")
      );
      return { rows: sources.slice(0, rows), count: sources.length };
    },
    steps: (rows) => {
      const found = select(
        `SELECT t.text AS name, counts.* FROM (
          SELECT f.name AS id, count(*) AS count, count(DISTINCT f.visitor) AS visitors
          FROM facts AS f WHERE ${facts} AND ${IS_STEP} GROUP BY 1
        ) AS counts JOIN fact_texts AS t USING (id)`,
        from,
        to,
      );
      const steps = found
        .map((row) => ({ name: String(row.name), count: Number(row.count), visitors: Number(row.visitors) }))
        .sort((one, other) => other.count - one.count || compare(one.name, other.name));
      return { rows: steps.slice(0, rows), count: steps.length };
    },
    violations: (rows) => {
      const found = select(
        `SELECT t.text AS label, counts.count AS count, count(*) OVER () AS labels FROM (
          SELECT f.violation AS id, count(*) AS count FROM facts AS f
          WHERE ${facts} AND f.violation IS NOT NULL GROUP BY 1
        ) AS counts JOIN fact_texts AS t USING (id) ORDER BY count DESC, label LIMIT ?`,
        from,
        to,
        rows,
      );
      return {
        rows: found.map(({ label, count }) => ({ ...parseViolation(String(label)), count: Number(count) })),
        count: Number(found[0]?.labels ?? 0),
      };
    },
    stepValues: ({ step, key }, rows) => {
      const ofStep = `FROM facts AS f JOIN fact_properties AS p ON p.seq = f.seq
        WHERE ${facts} AND ${IS_STEP} AND f.name IN ${findTexts([step])}`;
      const keys = select(
        `SELECT t.text AS key, counts.count AS count FROM (
          SELECT p.key AS id, count(*) AS count ${ofStep} GROUP BY 1
        ) AS counts JOIN fact_texts AS t USING (id)`,
        from,
        to,
      ).map((row) => ({ key: String(row.key), count: Number(row.count) }))
        .sort((one, other) => other.count - one.count || compare(one.key, other.key))
        .slice(0, MAX_KEYS).map(({ key }) => key);
      if (key === undefined) return { keys, values: [], distinct: 0, numbers: null };
      const ofKey = `${ofStep} AND p.key IN ${findTexts([key])}`;
      const values = select(
        `SELECT counts.*, t.text AS text FROM (
          SELECT p.kind AS kind, p.value AS value, count(*) AS count, count(DISTINCT f.visitor) AS visitors
          ${ofKey} GROUP BY p.kind, p.value
        ) AS counts LEFT JOIN fact_texts AS t ON counts.kind = ${VALUE_KINDS.text} AND t.id = counts.value`,
        from,
        to,
      ).map((row): ValueCounts => ({
        value: readValue(row),
        count: Number(row.count),
        visitors: Number(row.visitors),
      })).sort((one, other) =>
        other.count - one.count || compare(JSON.stringify(one.value), JSON.stringify(other.value))
      );
      return { keys, values: values.slice(0, rows), distinct: values.length, numbers: readNumbers(ofKey) };
    },
    countEvents: (events, bounds) => {
      if (events.length === 0) return [];
      const points = events.map(({ event }) => buildPoint(event));
      // One pass for all of them.
      const statement = database.prepare(
        `SELECT ${events.map(({ sumOf }, index) => buildCounts(points[index] ?? "false", { sumOf, index })).join(", ")}
        FROM facts AS f WHERE ${facts} AND (${points.join(" OR ")})`,
      );
      const read = (start: number, end: number): readonly EventTotals[] => {
        const row = statement.get(start, end) ?? {};
        return events.map((_, index) => ({
          count: Number(row[`count_${index}`]),
          visitors: Number(row[`visitors_${index}`]),
          sum: Number(row[`sum_${index}`]),
        }));
      };
      const totals = read(from, to);
      const parts = bounds.slice(1).map((end, index) => read(bounds[index] ?? end, end));
      return totals.map((total, index) => ({ total, parts: parts.flatMap((part) => part[index] ?? []) }));
    },
    funnel: ({ stages, within, order }) => {
      const isSession = within === "session";
      const fold = createFunnelFold({ stages: stages.length, withinMs: isSession ? Infinity : within, order });
      const mask = stages.map((events, stage) => `((${events.map(buildPoint).join(" OR ")}) << ${stage})`).join(" | ");
      const points = database.prepare(
        `SELECT * FROM (
          SELECT f.visitor AS visitor, f.visit AS visit, f.time AS time, f.tie AS tie, f.kind AS kind, ${mask} AS stages
          FROM facts AS f WHERE ${facts} AND f.visitor IS NOT NULL ${isSession ? "AND f.visit IS NOT NULL" : ""}
        ) WHERE stages <> 0 ${order === "strict" ? "OR kind <= 2" : ""}
        ORDER BY visitor, ${isSession ? "visit, " : ""}time, tie`,
      );
      let visitor: unknown;
      let visit: unknown;
      let way: FunnelPoint[] = [];
      const finish = (): void => {
        if (way.length > 0) fold.add(Number(visitor), way);
        way = [];
      };
      for (const row of points.iterate(from, to)) {
        if (row.visitor !== visitor || (isSession && row.visit !== visit)) finish();
        [visitor, visit] = [row.visitor, row.visit];
        way.push({ time: Number(row.time), stages: Number(row.stages) });
      }
      finish();
      return fold.finish();
    },
    retention: ({ bounds, returns: events }) => {
      const ofSite = `f.scope = ${scope} AND f.visitor IS NOT NULL`;
      database.exec("CREATE TEMP TABLE firsts (visitor INTEGER PRIMARY KEY, time INTEGER NOT NULL) STRICT");
      database.exec(
        `INSERT INTO firsts SELECT f.visitor, min(f.time) FROM facts AS f WHERE ${ofSite} GROUP BY f.visitor`,
      );
      if (filters.length > 0) {
        const isChosen = [
          ...isEventChosen,
          ...(isVisitChosen.length > 0 ? ["coalesce(f.visit IN (SELECT id FROM chosen_visits), 0)"] : []),
        ].join(" AND ");
        // Of a visitor's events of the same time, the columns are of the first one.
        database.exec(`
          DELETE FROM firsts WHERE visitor NOT IN (
            SELECT visitor FROM (
              SELECT f.visitor AS visitor, min(f.tie), ${isChosen} AS is_chosen
              FROM firsts JOIN facts AS f ON ${ofSite} AND f.time = firsts.time AND f.visitor = firsts.visitor
              GROUP BY f.visitor
            ) WHERE is_chosen
          )
        `);
      }
      database.exec("CREATE TEMP TABLE cohorts (visitor INTEGER PRIMARY KEY, cohort INTEGER NOT NULL) STRICT");
      const fill = database.prepare("INSERT INTO cohorts SELECT visitor, ? FROM firsts WHERE time >= ? AND time < ?");
      const ends = bounds.slice(1);
      for (const [cohort, end] of ends.entries()) fill.run(cohort, bounds[cohort] ?? end, end);
      const sizes = readPairs(select("SELECT cohort, count(*) AS count FROM cohorts GROUP BY 1"));
      const isReturn = events === undefined ? "f.kind <> 0" : `(${events.map(buildPoint).join(" OR ")})`;
      const returns = ends.map((end, period) =>
        readPairs(select(
          `SELECT cohort, count(DISTINCT f.visitor) AS count FROM facts AS f JOIN cohorts ON cohorts.visitor = f.visitor
          WHERE f.scope = ${scope} AND f.time >= ? AND f.time < ? AND ${isReturn} GROUP BY 1`,
          bounds[period] ?? end,
          end,
        ))
      );
      return ends.map((end, cohort) => ({
        from: bounds[cohort] ?? end,
        size: sizes.get(cohort) ?? 0,
        returned: returns.slice(cohort).map((ofPeriod) => ofPeriod.get(cohort) ?? 0),
      }));
    },
  };

  /** Builds the columns of what is counted where a condition holds, with their place in their names. Pageviews have no properties. */
  function buildCounts(
    condition: string,
    { sumOf, index }: { readonly sumOf: string | undefined; readonly index: number },
  ): string {
    const isCounted = `FILTER (WHERE ${condition})`;
    const value = sumOf !== undefined
      ? `(SELECT n.value FROM fact_properties AS n
          WHERE n.seq = f.seq AND n.kind = ${VALUE_KINDS.number} AND n.key IN ${findTexts([sumOf])})`
      : "0";
    return `count(*) ${isCounted} AS count_${index}, count(DISTINCT f.visitor) ${isCounted} AS visitors_${index},
      total(${value}) ${isCounted} AS sum_${index}`;
  }

  function buildPoint(event: FunnelEvent): string {
    if ("page" in event) return `(f.kind = 1 AND f.path IN ${findPaths([event.page])})`;
    if ("pages" in event) {
      const expression = toPathExpression(event.pages, query.pathRules);
      return `(f.kind = 1 AND f.path IN ${findPathsBy((path) => expression.test(path))})`;
    }
    const isNamed = `${IS_STEP} AND f.name IN ${findTexts([event.step])}`;
    if (event.property === undefined) return `(${isNamed})`;
    return `(${isNamed} AND EXISTS (
      SELECT 1 FROM fact_properties AS p WHERE p.seq = f.seq AND p.key IN ${findTexts([event.property.key])}
        AND ${buildValueCondition(event.property.value)}
    ))`;
  }

  function readNumbers(ofKey: string): NumberCounts | null {
    const ofNumbers = `${ofKey} AND p.kind = ${VALUE_KINDS.number}`;
    const { count, total } = selectOne(`SELECT count(*) AS count, sum(p.value) AS total ${ofNumbers}`, from, to);
    if (Number(count) === 0) return null;
    const find = (share: number): number =>
      Number(
        selectOne(
          `SELECT p.value AS value ${ofNumbers} ORDER BY 1 LIMIT 1 OFFSET ?`,
          from,
          to,
          findRank(Number(count), share),
        ).value,
      );
    return { count: Number(count), sum: Number(total), median: find(0.5), p90: find(0.9) };
  }
}

/** Counts the flagged pageviews of a range. */
export function countFlagged(database: DatabaseSync, { apiKey, site, from, to }: FlaggedQuery): FlaggedCounts {
  const rows = database.prepare(`
    SELECT s.flag AS flag, ${VIEWS} FROM fact_scopes AS s JOIN facts AS f ON f.scope = s.id
    WHERE s.api_key = ? AND s.site = ? AND s.flag <> '' AND f.time >= ? AND f.time < ? GROUP BY s.flag
  `).all(apiKey, site, from, to);
  const count = (traffic: Traffic): ViewCounts =>
    readViews(rows.find(({ flag }) => flag === TRAFFIC_FLAGS[traffic]) ?? {});
  return { bots: count("bots"), own: count("own") };
}

/** Reads the newest events of somebody on a site, the newest first, as JSON. */
export function readPerson(database: DatabaseSync, of: PersonOptions, rows: number): readonly string[] {
  const [column, field, id] = "userId" in of
    ? ["user", "userId", of.userId] as const
    : ["visitor", "anonymousId", of.anonymousId] as const;
  const found = database.prepare(`
    SELECT events.event AS event FROM facts AS f JOIN events USING (seq)
    WHERE f.scope IN (SELECT id FROM fact_scopes WHERE api_key = ? AND site = ?) AND f.${column} = ?
      AND events.event ->> '$.identity.${field}' = ?
    ORDER BY f.time DESC, f.tie DESC LIMIT ?
  `).all(of.apiKey, of.site, hashId(toFactText(id)), id, rows);
  return found.map(({ event }) => String(event));
}

function readPairs(rows: readonly Row[]): ReadonlyMap<number, number> {
  return new Map(rows.map(({ cohort, count }) => [Number(cohort), Number(count)]));
}

/** Returns how many values are before the one of the nearest rank. */
function findRank(count: number, share: number): number {
  return Math.max(Math.ceil(count * share), 1) - 1;
}

function isDimension(name: FilterName): name is SourceDimension {
  return (SOURCE_DIMENSIONS as readonly string[]).includes(name);
}

/** The columns are those of a source. */
function readSource(row: Row): TrafficSource {
  return row as unknown as TrafficSource;
}

function parseScalar(json: string): string | number | boolean | null | undefined {
  try {
    const value: unknown = JSON.parse(json);
    return value === null || ["string", "number", "boolean"].includes(typeof value) ? value as string : undefined;
  } catch {
    return undefined;
  }
}

function readViews(row: Row): { readonly full: number; readonly aggregate: number } {
  return { full: Number(row.full_views ?? 0), aggregate: Number(row.aggregate_views ?? 0) };
}

function readValue({ kind, value, text }: Row): ValueCounts["value"] {
  if (Number(kind) === VALUE_KINDS.text) return String(text);
  if (Number(kind) === VALUE_KINDS.number) return Number(value);
  return Number(kind) === VALUE_KINDS.null ? null : Number(value) === 1;
}

function sum({ full, aggregate }: { readonly full: number; readonly aggregate: number }): number {
  return full + aggregate;
}

/** Compares by code points, as SQL does: half of a character beyond the first plane is behind all that are whole. */
function compare(one: string, other: string): number {
  const isAstral = (unit: number): boolean => unit >= 0xd800 && unit < 0xe000;
  const end = Math.min(one.length, other.length);
  for (let index = 0; index < end; index++) {
    const [left, right] = [one.charCodeAt(index), other.charCodeAt(index)];
    if (left === right) continue;
    if (isAstral(left) !== isAstral(right) && left >= 0xd800 && right >= 0xd800) return isAstral(left) ? 1 : -1;
    return left - right;
  }
  return one.length - other.length;
}

/** Writes a text as SQL has it. A NUL would end it. */
function quote(text: string): string {
  return `'${text.replaceAll("\0", "\ufffd").replaceAll("'", "''")}'`;
}
