import { MAX_TOLD_SOURCES, UNTOLD_CHANNEL } from "../../../events/channels.ts";
import { labelSource, LONG_SESSION_MS, type TrafficSource } from "../../../events/visit_facts.ts";
import { FARTHEST_MS, type SourceGrouping } from "../../../ports/reader.ts";
import { addLabels, createLabels, type Label } from "./labels.ts";
import type { Paths, WordsOptions } from "./paths.ts";
import { quote, type Row } from "./select.ts";

/** The source of a visit `v`. */
export const SOURCE_OF_VISIT = "coalesce(v.tag, v.referral, 0)";

/** Whether a source has anything that a channel is told by. */
const IS_SOMEWHERE = "(s.referrer <> '' OR s.source <> '' OR s.medium <> '' OR s.campaign <> '')";

/** Condition of the sources that get a label, where there are few: to find those of a span takes longer. */
const ALL = "true";

const NOWHERE: TrafficSource = { referrer: "", source: "", medium: "", campaign: "", term: "", content: "" };

/** Table of what is counted by the first visits of visitors, by the `id` of a source or a path. */
export const FIRST_COUNTS = "first_counts";

/**
 * Makes a table of what sources are listed under, by their numbers, or entry pages, by those of their paths, where there is
 * none yet; returns its name. Few sources are all in it. Of more, and of paths, it has those of the span, or of the `first` those
 * of {@linkcode FIRST_COUNTS}, whose channels are told by all that is kept.
 */
export type SourceLabels = (by: SourceGrouping, of?: "session" | "first") => string;

/** Creates what makes tables of labels, each once. */
export function createSourceLabels(
  { database, query, scope, select, paths }: WordsOptions & { readonly paths: Paths },
): SourceLabels {
  const { from, to, ownOrigins } = query;
  const labelled = new Set<string>();

  function label(source: TrafficSource): string {
    return labelSource(source, "channel", ownOrigins);
  }

  /** Adds the channels of sources to their table: of each, unless there are too many in the span. */
  function labelChannels(table: string, near: string, [start, end]: readonly [number, number]): void {
    const told = near === ALL ? [] : select(
      `SELECT s.referrer AS referrer, s.source AS source, s.medium AS medium, max(s.campaign) AS campaign, '' AS term,
        '' AS content
      FROM facts AS f JOIN fact_sources AS s ON s.id = f.source
      WHERE f.scope = ${scope} AND f.time >= ? AND f.time < ? AND ${IS_SOMEWHERE}
      GROUP BY s.referrer, s.source, s.medium, s.campaign <> ''
      ORDER BY count(*) DESC, s.referrer, s.source, s.medium, s.campaign <> '' LIMIT ${MAX_TOLD_SOURCES + 1}`,
      start,
      end,
    );
    if (told.length <= MAX_TOLD_SOURCES) {
      const rows = select(`SELECT * FROM fact_sources AS s WHERE ${near}`);
      addLabels(database, table, rows.map((row): Label => ({ id: Number(row.id), label: label(readSource(row)) })));
      return;
    }
    const toldTable = `${table}_told`;
    database.exec(`
      CREATE TEMP TABLE ${toldTable} (
        referrer TEXT, source TEXT, medium TEXT, has_campaign INTEGER, label TEXT,
        PRIMARY KEY (referrer, source, medium, has_campaign)
      ) STRICT
    `);
    const insert = database.prepare(`INSERT INTO ${toldTable} VALUES (?, ?, ?, ?, ?)`);
    for (const row of told.slice(0, MAX_TOLD_SOURCES)) {
      const source = readSource(row);
      const { referrer, medium, campaign } = source;
      insert.run(referrer, source.source, medium, Number(campaign !== ""), label(source));
    }
    database.exec(`
      INSERT INTO ${table} (id, label)
      SELECT s.id, iif(${IS_SOMEWHERE}, coalesce(t.label, ${quote(UNTOLD_CHANNEL)}), ${quote(label(NOWHERE))})
      FROM fact_sources AS s LEFT JOIN ${toldTable} AS t ON t.referrer = s.referrer AND t.source = s.source
        AND t.medium = s.medium AND t.has_campaign = (s.campaign <> '')
      WHERE ${near}
    `);
  }

  return (by, of = "session") => {
    if (by === "landing" && !paths.hasRules) return "(SELECT id, text AS label FROM fact_texts)";
    const isOfFirst = of === "first";
    const table = `${of}_${by}_labels`;
    if (labelled.has(table)) return table;
    labelled.add(table);
    const ofFirst = `id IN (SELECT id FROM ${FIRST_COUNTS})`;
    if (by === "landing") {
      const written = isOfFirst ? paths.readSome(ofFirst) : paths.read();
      createLabels(database, table, written.map(({ id, path }) => ({ id, label: path })));
      return table;
    }
    const { count } = select.one("SELECT count(*) AS count FROM fact_sources");
    const ofSpan = `s.id IN (
      SELECT source FROM facts
      WHERE scope = ${scope} AND time >= ${from - LONG_SESSION_MS} AND time < ${to + LONG_SESSION_MS}
    )`;
    const near = Number(count) <= MAX_TOLD_SOURCES ? ALL : isOfFirst ? `s.${ofFirst}` : ofSpan;
    createLabels(database, table, [{ id: 0, label: labelSource(NOWHERE, by, ownOrigins) }]);
    if (by === "channel") {
      labelChannels(table, near, isOfFirst ? [-FARTHEST_MS, FARTHEST_MS] : [from, to]);
      return table;
    }
    const referrer = `CASE WHEN referrer IN (${ownOrigins.map(quote).join(", ")}) THEN '' ELSE referrer END`;
    const text = by === "referrer" ? referrer : by === "source" ? `coalesce(nullif(source, ''), ${referrer})` : by;
    database.exec(`INSERT INTO ${table} (id, label) SELECT id, ${text} FROM fact_sources AS s WHERE ${near}`);
    return table;
  };
}

/** The columns are those of a source. */
function readSource(row: Row): TrafficSource {
  return row as unknown as TrafficSource;
}
