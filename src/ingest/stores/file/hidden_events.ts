import type { FollowedErasure } from "./follow_folder.ts";
import type { DuckDbChange } from "./duckdb.ts";
import { DUCKDB } from "./duckdb_macros.ts";

/** Events that an erasure names, and that files or tail still hold. */
export interface HiddenEvents {
  /** The record of the erasure. */
  readonly change: number;
  /** Condition of the events. */
  readonly where: string;
}

/** What each kind of record finds people by. */
const OWNERS: Readonly<
  Record<FollowedErasure["kind"], { readonly column: "user_id" | "anonymous_id"; readonly also?: string }>
> = {
  user: { column: "user_id" },
  anonymous: { column: "anonymous_id" },
  // Whatever they did while nobody was signed in.
  visitor: { column: "anonymous_id", also: "user_id IS NULL" },
};

/** Characters of the hash of an ID. */
const HASH_CHARACTERS = 32;

/** Finds the events that a record names: it has the hash of an ID alone. `events` is what stands behind FROM. */
export async function findHidden(
  { select }: Pick<DuckDbChange, "select">,
  { change, key, kind, id, erasedAt }: FollowedErasure,
  events: string,
): Promise<HiddenEvents> {
  const { column, also } = OWNERS[kind];
  const ofKey = `key_hash = ${DUCKDB.quote(key)}`;
  const [found] = await select(
    `SELECT owner FROM (SELECT DISTINCT ${column} AS owner FROM ${events} WHERE ${ofKey} AND ${column} <> '') AS o
    WHERE left(sha256(concat(${DUCKDB.quote(key)}, chr(10), owner)), ${HASH_CHARACTERS}) = ${DUCKDB.quote(id)}`,
  );
  if (found === undefined) return { change, where: "false" };
  const until = `TIMESTAMP ${DUCKDB.quote(erasedAt.slice(0, -1).replace("T", " "))}`;
  const conditions = [
    ...[ofKey, `${column} = ${DUCKDB.quote(String(found.owner))}`, `least(timestamp, received_at) <= ${until}`],
    ...(also === undefined ? [] : [also]),
  ];
  // Null where the event has no such ID.
  return { change, where: `coalesce(${conditions.join(" AND ")}, false)` };
}
