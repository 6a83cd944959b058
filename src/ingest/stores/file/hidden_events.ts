import type { Erasure } from "../../events/erasures.ts";
import type { DuckDbChange } from "./duckdb.ts";
import { DUCKDB } from "./duckdb_macros.ts";

/** Events that an erasure names, and that files or tail still hold. */
export interface HiddenEvents {
  /** Name of the record of the erasure. */
  readonly record: string;
  /** Condition of the events. */
  readonly where: string;
}

/** Columns that each kind of record finds people by. */
const OWNERS: Readonly<
  Record<Erasure["kind"], { readonly column: "user_id" | "anonymous_id"; readonly also?: string }>
> = {
  user: { column: "user_id" },
  anonymous: { column: "anonymous_id" },
  // Whatever they did while nobody was signed in.
  visitor: { column: "anonymous_id", also: "user_id IS NULL" },
};

/** Characters of the hash of an ID. */
const HASH_CHARACTERS = 32;

/** Returns what tells records apart: the number of a change doesn't before a writer has taken them over. */
export function toRecordName({ key, kind, id, erasedAt }: Erasure): string {
  return `${key} ${kind} ${id} ${erasedAt}`;
}

/** Finds the events that a record names: it has the hash of an ID alone. `events` is what stands behind FROM. */
export async function findHidden(
  { select }: Pick<DuckDbChange, "select">,
  erasure: Erasure,
  events: string,
): Promise<HiddenEvents> {
  const { key, kind, id, erasedAt } = erasure;
  const record = toRecordName(erasure);
  const { column, also } = OWNERS[kind];
  const ofKey = `key_hash = ${DUCKDB.quote(key)}`;
  const [found] = await select(
    `SELECT owner FROM (SELECT DISTINCT ${column} AS owner FROM ${events} WHERE ${ofKey} AND ${column} IS NOT NULL) AS o
    WHERE left(sha256(concat(${DUCKDB.quote(key)}, chr(10), owner)), ${HASH_CHARACTERS}) = ${DUCKDB.quote(id)}`,
  );
  if (found === undefined) return { record, where: "false" };
  const until = `TIMESTAMP ${DUCKDB.quote(erasedAt.slice(0, -1).replace("T", " "))}`;
  const conditions = [
    ...[ofKey, `${column} = ${quoteId(String(found.owner))}`, `least(timestamp, received_at) <= ${until}`],
    ...(also === undefined ? [] : [also]),
  ];
  // Null where the event has no such ID.
  return { record, where: `coalesce(${conditions.join(" AND ")}, false)` };
}

/** Writes an ID as it is: it may have a NUL, which would end a text. */
function quoteId(id: string): string {
  return `(${id.split("\0").map(DUCKDB.quote).join(" || chr(0) || ")})`;
}
