import { FIGURES } from "../../events/figures.ts";
import type { Engine } from "./engine.ts";
import { type Kept, OWNERS, SESSIONS } from "./kept.ts";

/** Writes what stands behind FROM for rows that are kept, or counted of the events where nothing is kept. */
export function writeRows({ events, kept }: Engine, rows: Kept, condition: string): string {
  return kept === undefined
    ? `(${rows.count(`(SELECT * FROM ${events} WHERE ${condition})`, { by: [rows.id] })})`
    : `(SELECT * FROM ${kept[rows.name]} WHERE ${condition})`;
}

/** Returns whether backends have sent steps. */
export async function hasBackendSteps({ events, select, share }: Engine, ofSite: string): Promise<boolean> {
  // Compared with true, so that files without any are passed over.
  const first = await share(`SELECT 1 AS found FROM ${events} WHERE is_backend = true AND ${ofSite} LIMIT 1`);
  return (await select(`SELECT * FROM ${first}`)).length > 0;
}

/** Writes the query of events with the `person` whom they are of, and the session that they belong to, `visit`. */
export function writeOwned(
  engine: Engine,
  { ofKey, ofSite, condition, hasBackends }: {
    readonly ofKey: string;
    readonly ofSite: string;
    readonly condition: string;
    readonly hasBackends: boolean;
  },
): string {
  const { events } = engine;
  const own = `SELECT *, visitor_hash AS person, session_hash AS visit FROM ${events} WHERE ${condition}`;
  if (!hasBackends) return own;
  // Apart, since a join of all events takes longer than to read these few once more.
  return `${own} AND NOT is_backend UNION ALL
    SELECT b.*, coalesce(s.last_session, 0) AS visit FROM (
      SELECT ev.*, if(visitor_hash <> 0, visitor_hash, coalesce(o.owner, 0)) AS person
      FROM (SELECT * FROM ${events} WHERE ${condition} AND is_backend) AS ev
      LEFT JOIN (SELECT user_hash AS owned_by, owner FROM ${writeRows(engine, OWNERS, ofKey)} AS k) AS o
      ON ev.user_hash = o.owned_by
    ) AS b ASOF LEFT JOIN (
      SELECT session_visitor, start, ${FIGURES.stepSession.sql} AS last_session
      FROM ${writeRows(engine, SESSIONS, ofSite)} AS w WHERE session_visitor <> 0 GROUP BY session_visitor, start
    ) AS s ON b.person = s.session_visitor AND b.time >= s.start`;
}
