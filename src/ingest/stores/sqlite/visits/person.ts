import type { DatabaseSync } from "node:sqlite";
import { toFactText } from "../../../events/visit_facts.ts";
import type { ReportReader } from "../../../ports/reader.ts";
import { hashId } from "../facts/hash_id.ts";

/** Who is asked for. */
export type PersonOptions = Parameters<ReportReader["person"]>[0];

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
