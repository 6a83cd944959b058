import { DatabaseSync } from "node:sqlite";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";

/** The first layout: the counts of the reports were tables by UTC day, of which one stands for all. */
const FIRST_LAYOUT = `
  CREATE TABLE events (
    seq INTEGER PRIMARY KEY,
    api_key TEXT NOT NULL,
    id TEXT NOT NULL,
    event TEXT NOT NULL,
    name TEXT AS (event ->> '$.name') VIRTUAL,
    collection TEXT AS (event ->> '$.collection') VIRTUAL,
    timestamp TEXT AS (event ->> '$.timestamp') VIRTUAL,
    received_at TEXT AS (event ->> '$.receivedAt') VIRTUAL,
    session_id TEXT AS (event ->> '$.sessionId') VIRTUAL,
    UNIQUE (api_key, id)
  ) STRICT;
  CREATE TABLE report_sites (site_id INTEGER PRIMARY KEY, api_key TEXT NOT NULL, site TEXT NOT NULL) STRICT;
  INSERT INTO report_sites (api_key, site) VALUES ('pk_test_1', 'https://counted-before.example');
  PRAGMA user_version = 1;
`;

/** Writes a database as the first version of the sink did. */
export function writeEarlierLayout(path: string, events: readonly (readonly [string, StoredEvent])[]): void {
  const database = new DatabaseSync(path);
  database.exec(FIRST_LAYOUT);
  const insert = database.prepare("INSERT INTO events (api_key, id, event) VALUES (?, ?, ?)");
  database.exec("BEGIN");
  for (const [apiKey, event] of events) insert.run(apiKey, event.id, JSON.stringify(event));
  database.exec("COMMIT");
  database.close();
}
