/**
 * The counts that reports are made of, kept beside the events in the SQLite store. They grow with days and
 * distinct labels, not with events, so that a year takes a moment to read.
 *
 * @module
 */
import type { StoredEvent } from "../../events/stored_event.ts";
import type { DatabaseSync, StatementSync } from "node:sqlite";
import { createEventCounts } from "../../events/event_counts.ts";
import { LABEL_KINDS, type LabelKind } from "../../events/event_facts.ts";

/** Keeps the counts up to date. */
export interface SqliteRollup {
  /** Counts events that were stored now. Call it in the transaction that stores them. */
  add(apiKey: string, events: readonly StoredEvent[]): void;
  /** Takes events back that were counted. Call it in the transaction that deletes them. */
  remove(apiKey: string, events: readonly StoredEvent[]): void;
}

/** The tables, by what they count. */
export const ROLLUP_TABLES: Readonly<Record<LabelKind, string>> = {
  paths: "report_paths",
  referrers: "report_referrers",
  names: "report_names",
  sessions: "report_sessions",
  visitors: "report_visitors",
  users: "report_users",
  violations: "report_violations",
};

/** How many events are counted at once when a database without counts is opened. */
const BACKFILL_EVENTS = 10_000;

const SITES = `
  CREATE TABLE report_sites (
    site_id INTEGER PRIMARY KEY,
    api_key TEXT NOT NULL,
    site TEXT NOT NULL,
    UNIQUE (api_key, site)
  ) STRICT
`;

const ADD_SITE = "INSERT INTO report_sites (api_key, site) VALUES (?, ?) ON CONFLICT (api_key, site) DO NOTHING";

const FIND_SITE = "SELECT site_id FROM report_sites WHERE api_key = ? AND site = ?";

/** Every event has a name: a site without names has no events. */
const DROP_SITE = `
  DELETE FROM report_sites WHERE site_id = ?1
  AND NOT EXISTS (SELECT 1 FROM ${ROLLUP_TABLES.names} WHERE site_id = ?1)
`;

/**
 * Opens the counts of a database that has the table of events. Where there are none, or those of an earlier version,
 * they are made of all events.
 */
export function openRollup(database: DatabaseSync): SqliteRollup {
  if (!hasRollup(database)) createRollup(database);
  return prepareRollup(database);
}

/** Returns whether a database has the tables: those of earlier versions lack the ones of visitors and
 * users, and count a page under several paths. */
export function hasRollup(database: DatabaseSync): boolean {
  return database.prepare("SELECT 1 FROM sqlite_schema WHERE name = ?").get(ROLLUP_TABLES.users) !== undefined;
}

function createRollup(database: DatabaseSync): void {
  database.exec("BEGIN IMMEDIATE");
  // Another process may have been faster.
  if (!hasRollup(database)) {
    for (const table of [...Object.values(ROLLUP_TABLES), "report_sites"]) {
      database.exec(`DROP TABLE IF EXISTS ${table}`);
    }
    database.exec(SITES);
    for (const table of Object.values(ROLLUP_TABLES)) database.exec(buildTable(table));
    backfill(database);
  }
  database.exec("COMMIT");
}

function buildTable(table: string): string {
  return `
    CREATE TABLE ${table} (
      site_id INTEGER NOT NULL REFERENCES report_sites,
      day TEXT NOT NULL,
      label TEXT NOT NULL,
      full_count INTEGER NOT NULL,
      aggregate_count INTEGER NOT NULL,
      PRIMARY KEY (site_id, day, label)
    ) STRICT, WITHOUT ROWID
  `;
}

function backfill(database: DatabaseSync): void {
  const { add } = prepareRollup(database);
  const select = database.prepare("SELECT seq, api_key, event FROM events WHERE seq > ? ORDER BY seq LIMIT ?");
  let last = 0;
  for (;;) {
    const rows = select.all(last, BACKFILL_EVENTS);
    if (rows.length === 0) return;
    const byKey = Map.groupBy(rows, (row) => String(row.api_key));
    for (const [apiKey, ofKey] of byKey) add(apiKey, ofKey.map(({ event }) => JSON.parse(String(event))));
    last = Number(rows.at(-1)?.seq);
  }
}

function prepareRollup(database: DatabaseSync): SqliteRollup {
  const addSite = database.prepare(ADD_SITE);
  const findSite = database.prepare(FIND_SITE);
  const dropSite = database.prepare(DROP_SITE);
  const statements = LABEL_KINDS.map((kind) => [kind, prepareCount(database, ROLLUP_TABLES[kind])] as const);
  const removals = LABEL_KINDS.map((kind) => [kind, prepareRemoval(database, ROLLUP_TABLES[kind])] as const);

  return {
    add: (apiKey, events) => {
      const counts = createEventCounts();
      counts.add(events);
      // Found anew for each batch: an id remembered from a transaction that was rolled back would be nobody's.
      const siteIds = new Map<string, number>();
      const findId = (site: string): number => {
        const known = siteIds.get(site);
        if (known !== undefined) return known;
        addSite.run(apiKey, site);
        const id = Number(findSite.get(apiKey, site)?.site_id);
        siteIds.set(site, id);
        return id;
      };
      for (const [kind, statement] of statements) {
        for (const { site, day, label, full, aggregate } of counts.rows(kind)) {
          statement.run(findId(site), day, label, full, aggregate);
        }
      }
    },
    remove: (apiKey, events) => {
      const counts = createEventCounts();
      counts.add(events);
      const siteIds = new Map(
        [...counts.rows("names")].map(({ site }) => [site, Number(findSite.get(apiKey, site)?.site_id)] as const),
      );
      for (const [kind, { subtract, drop }] of removals) {
        for (const { site, day, label, full, aggregate } of counts.rows(kind)) {
          const siteId = siteIds.get(site) ?? 0;
          subtract.run(full, aggregate, siteId, day, label);
          drop.run(siteId, day, label);
        }
      }
      for (const siteId of siteIds.values()) dropSite.run(siteId);
    },
  };
}

function prepareCount(database: DatabaseSync, table: string): StatementSync {
  return database.prepare(`
    INSERT INTO ${table} (site_id, day, label, full_count, aggregate_count) VALUES (?, ?, ?, ?, ?)
    ON CONFLICT (site_id, day, label) DO UPDATE SET
      full_count = full_count + excluded.full_count,
      aggregate_count = aggregate_count + excluded.aggregate_count
  `);
}

function prepareRemoval(
  database: DatabaseSync,
  table: string,
): { readonly subtract: StatementSync; readonly drop: StatementSync } {
  const row = "site_id = ? AND day = ? AND label = ?";
  return {
    subtract: database.prepare(`
      UPDATE ${table} SET full_count = full_count - ?, aggregate_count = aggregate_count - ? WHERE ${row}
    `),
    drop: database.prepare(`DELETE FROM ${table} WHERE ${row} AND full_count + aggregate_count <= 0`),
  };
}
