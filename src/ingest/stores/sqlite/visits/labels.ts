import type { DatabaseSync } from "node:sqlite";

/** What something is listed under. */
export interface Label {
  /** Its number. */
  readonly id: number;
  readonly label: string;
}

/** Writes a table of what ids are listed under, which lasts as long as the connection. */
export function createLabels(database: DatabaseSync, table: string, labels: readonly Label[]): void {
  database.exec(`CREATE TEMP TABLE ${table} (id INTEGER PRIMARY KEY, label TEXT NOT NULL) STRICT`);
  addLabels(database, table, labels);
}

/** Adds to such a table. */
export function addLabels(database: DatabaseSync, table: string, labels: readonly Label[]): void {
  const insert = database.prepare(`INSERT INTO ${table} (id, label) VALUES (?, ?)`);
  for (const { id, label } of labels) insert.run(id, label);
}
