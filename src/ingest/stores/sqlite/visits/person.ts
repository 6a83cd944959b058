import type { DatabaseSync } from "node:sqlite";
import { toFactText } from "../../../events/visit_facts.ts";
import type { ReportReader } from "../../../ports/reader.ts";
import { hashId } from "../facts/hash_id.ts";

/** Who is asked for. */
export type PersonOptions = Parameters<ReportReader["person"]>[0];

/** Facts of a user, the parameter 3. */
const OF_USER = `
  SELECT f.seq AS seq FROM facts AS f INDEXED BY facts_signed_in WHERE f.scope IN scopes AND f.user = ?3
`;

/** Facts of a visitor: visits are fewer than facts, and most are of one visitor. */
const OF_VISITOR = `
  SELECT f.seq AS seq FROM visits AS v INDEXED BY visits_by_start CROSS JOIN facts AS f ON f.visit = v.id
  WHERE v.scope IN scopes AND (v.visitor = ?3 OR v.is_mixed = 1) AND f.visitor = ?3
  UNION ALL
  SELECT f.seq FROM facts AS f INDEXED BY facts_alone WHERE f.scope IN scopes AND f.visit IS NULL AND f.visitor = ?3
`;

/** Reads the newest events of somebody on a site, the newest first, as JSON. */
export function readPerson(database: DatabaseSync, of: PersonOptions, rows: number): readonly string[] {
  const [facts, field, id] = "userId" in of
    ? [OF_USER, "userId", of.userId] as const
    : [OF_VISITOR, "anonymousId", of.anonymousId] as const;
  const found = database.prepare(`
    WITH scopes AS (SELECT id FROM fact_scopes WHERE api_key = ?1 AND site = ?2)
    SELECT events.event AS event FROM (${facts}) AS found CROSS JOIN facts AS f USING (seq) CROSS JOIN events USING (seq)
    WHERE events.event ->> '$.identity.${field}' = ?4
    ORDER BY f.time DESC, f.tie DESC LIMIT ?5
  `).all(of.apiKey, of.site, hashId(toFactText(id)), id, rows);
  return found.map(({ event }) => String(event));
}
