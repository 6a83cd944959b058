import type { DatabaseSync } from "node:sqlite";
import { LONG_SESSION_MS } from "../../../events/visit_facts.ts";
import { EVENT_FILTERS, keepsAggregates, type ReportQuery, TRAFFIC_FLAGS } from "../../../ports/reader.ts";
import { createConditions } from "./conditions.ts";
import { createPaths, type Paths } from "./paths.ts";
import { createSelect, type Select } from "./select.ts";
import { createSourceLabels, type SourceLabels } from "./source_labels.ts";

/** What a query chooses of the facts, in words of SQL. */
export interface Chosen {
  /** The database: what is chosen may be in temporary tables of this connection. */
  readonly database: DatabaseSync;
  /** The query. */
  readonly query: ReportQuery;
  /** Runs a query of SQL. */
  readonly select: Select;
  /** Number of the key's site and flag; 0 where there are no such events. */
  readonly scope: number;
  /** Condition of a fact `f`; its parameters are a first time and an end. */
  readonly facts: string;
  /** Conditions of a fact `f` by filters alone, whenever it was. */
  readonly ofFilters: readonly string[];
  /** Table of visits `v` that begin in a span, and their condition, with the same parameters. */
  readonly visits: { readonly table: string; readonly condition: string };
  /** How paths are written. */
  readonly paths: Paths;
  /** What sources are listed under. */
  readonly labels: SourceLabels;
  /** Finds the visits that last longer than others, began before that, and may have events since. */
  readonly findLongVisits: (start: number) => string;
}

/** Finds what a query chooses: filters leave tables that last as long as the connection does. */
export function openChosen(database: DatabaseSync, query: ReportQuery): Chosen {
  const { from, to, filters } = query;
  const select = createSelect(database);
  const scope = Number(
    select.one(
      "SELECT id FROM fact_scopes WHERE api_key = ? AND site = ? AND flag = ?",
      ...[query.apiKey, query.site, TRAFFIC_FLAGS[query.traffic]],
    ).id ?? 0,
  );
  // Before the first table: within a transaction it can't be changed behind one.
  database.exec("PRAGMA temp_store = MEMORY");
  const paths = createPaths({ database, query, scope, select });
  const labels = createSourceLabels({ database, query, scope, select, paths });
  const { buildEventCondition, buildVisitCondition } = createConditions({ query, paths, labels });
  const isEventChosen = filters.filter(({ name }) => EVENT_FILTERS.includes(name)).map(buildEventCondition);
  const isVisitChosen = filters.filter(({ name }) => !EVENT_FILTERS.includes(name)).map(buildVisitCondition);

  function findLongVisits(start: number): string {
    return `SELECT v.id FROM visits AS v INDEXED BY visits_long
      WHERE v.scope = ${scope} AND v.last - v.start > ${LONG_SESSION_MS}
        AND v.start < ${start - LONG_SESSION_MS} AND v.last >= ${start}`;
  }

  if (isVisitChosen.length > 0) {
    database.exec("CREATE TEMP TABLE chosen_visits (id INTEGER PRIMARY KEY) STRICT");
    database.exec(`
      INSERT INTO chosen_visits SELECT v.id FROM visits AS v
      WHERE v.scope = ${scope} AND v.start >= ${from - LONG_SESSION_MS} AND v.start < ${to}
        AND ${isVisitChosen.join(" AND ")}
      UNION SELECT v.id FROM visits AS v WHERE v.id IN (${findLongVisits(from)}) AND ${isVisitChosen.join(" AND ")}
    `);
  }
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
  const isOfVisits = isVisitChosen.length > 0 ? ["f.visit IN (SELECT id FROM chosen_visits)"] : [];
  return {
    ...{ database, query, select, scope, paths, labels, findLongVisits },
    facts: [
      `f.scope = ${scope} AND f.time >= ? AND f.time < ?`,
      ...isEventChosen,
      ...isOfVisits,
      ...(keepsAggregates(filters) ? [] : ["f.kind <> 0"]),
    ].join(" AND "),
    ofFilters: [...isEventChosen, ...isOfVisits.map((condition) => `coalesce(${condition}, 0)`)],
    visits: filters.length > 0
      ? { table: "counted_visits AS v", condition: "v.start >= ? AND v.start < ?" }
      : { table: "visits AS v", condition: `v.scope = ${scope} AND v.start >= ? AND v.start < ?` },
  };
}
