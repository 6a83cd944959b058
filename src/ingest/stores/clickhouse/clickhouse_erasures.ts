/**
 * The records of erasures in ClickHouse: how they are kept, and how what they name is deleted.
 *
 * @module
 */
import { createFindErasure, type Erasure, isHash } from "../../events/erasures.ts";
import type { ClickHouse, Parameters, Row } from "./clickhouse_port.ts";
import { toIsoTime } from "../../events/rebuild_event.ts";
import { toDateTime } from "./clickhouse_row.ts";
import { ERASURES_TABLE, EVENTS_TABLE } from "./clickhouse_schema.ts";

/** The records of a ClickHouse. */
export interface ClickHouseErasures {
  /** Returns a text that changes with the records. */
  readVersion(): Promise<string>;
  /** Returns all records. */
  readAll(): Promise<readonly Erasure[]>;
  /** Keeps records, but for those that are there. */
  keep(erasures: readonly Erasure[]): Promise<void>;
  /** Deletes what records name. */
  remove(erasures: readonly Erasure[]): Promise<void>;
  /** Deletes what any record names, unless it is only a try; returns how many events that are. */
  correct(isTry?: boolean): Promise<number>;
  /** Forgets the records of before a time, unless it is only a try; returns how many. */
  forget(before: string, isTry: boolean): Promise<number>;
}

/** Records that one statement names: ClickHouse limits its length. */
const MAX_NAMED = 1000;

/** No record is that old. */
const NEVER = "toInt64(-9223372036854775808)";

/** The hash of an id, as `buildErasure()` makes it. */
function hashOf(id: string): string {
  return `substring(lower(hex(SHA256(concat(key_hash, '\\n', ${id})))), 1, 32)`;
}

/** IDs by which records may name an event: see `Erasure.kind`. An empty text is no name. */
const NAMES = `[
    if(user_id IS NULL, '', concat('user ', ${hashOf("ifNull(user_id, '')")})),
    if(anonymous_id = '', '', concat('anonymous ', ${hashOf("anonymous_id")})),
    if(anonymous_id = '' OR user_id IS NOT NULL, '', concat('visitor ', ${hashOf("anonymous_id")}))
  ]`;

/** Whether a record of that name holds for an event: it was captured, or had arrived, by then. */
function buildIsErased(names: string, times: string): string {
  return `name -> toUnixTimestamp64Milli(least(timestamp, received_at)) <= transform(name, ${names}, ${times}, ${NEVER})`;
}

/** Begins a query in which {@linkcode IS_NAMED} is known. */
export const WITH_RECORDS: string = `
  WITH (
    SELECT (
      arrayPushBack(groupArray(concat(toString(kind), ' ', id_hash)), '-'),
      arrayPushBack(groupArray(toUnixTimestamp64Milli(erased_at)), ${NEVER})
    ) FROM ${ERASURES_TABLE} FINAL
  ) AS records
`;

const IS_ERASED = buildIsErased("records.1", "records.2");

/** Whether a record names an event. */
export const IS_NAMED: string = `arrayExists(${IS_ERASED}, ${NAMES})`;

const NAMED = `
  ${WITH_RECORDS}
  SELECT uniqExact(key_hash, day, id) AS events, groupUniqArrayArray(arrayFilter(${IS_ERASED}, ${NAMES})) AS names
  FROM ${EVENTS_TABLE} WHERE ${IS_NAMED}
`;

const READ = `SELECT key_hash, kind, id_hash, erased_at FROM ${ERASURES_TABLE} FINAL`;

/** Changes with every record, whatever its time: two clocks needn't agree. */
const VERSION = `
  SELECT concat(toString(count()), ' ', toString(sum(cityHash64(key_hash, kind, id_hash, erased_at)))) AS version
  FROM ${ERASURES_TABLE}
`;

const OLD = "erased_at < toDateTime64({before:String}, 3, 'UTC')";

/** Opens the records of a ClickHouse whose tables are there. */
export function openErasures(clickHouse: Pick<ClickHouse, "select" | "run" | "insert">): ClickHouseErasures {
  const { select, insert } = clickHouse;

  async function readAll(): Promise<readonly Erasure[]> {
    return (await select(READ)).map(readErasure);
  }

  async function remove(erasures: readonly Erasure[]): Promise<void> {
    for (let first = 0; first < erasures.length; first += MAX_NAMED) {
      await mutate(clickHouse, buildRemoval(erasures.slice(first, first + MAX_NAMED)));
    }
  }

  return {
    readVersion: async () => String((await select(VERSION))[0]?.version ?? ""),
    readAll,
    async keep(erasures) {
      const find = createFindErasure(await readAll());
      const missing = erasures.filter(({ key, kind, id, erasedAt }) => (find(key, kind, id) ?? "") < erasedAt);
      await insert(ERASURES_TABLE, missing.map(buildRow), crypto.randomUUID());
    },
    remove,
    async correct(isTry = false) {
      const all = await readAll();
      if (all.length === 0) return 0;
      const [row] = await select(NAMED);
      const events = Number(row?.events);
      if (isTry || events === 0) return events;
      const names = new Set(row?.names as readonly string[]);
      await remove(all.filter((erasure) => names.has(toName(erasure))));
      return events;
    },
    async forget(before, isTry) {
      const parameters = { before: toDateTime(before) };
      const [row] = await select(`SELECT count() AS count FROM ${ERASURES_TABLE} FINAL WHERE ${OLD}`, parameters);
      const count = Number(row?.count);
      if (isTry || count === 0) return count;
      await mutate(clickHouse, `ALTER TABLE ${ERASURES_TABLE} DELETE WHERE ${OLD}`, parameters);
      return count;
    },
  };
}

/** Runs a statement that deletes rows; resolves once they are gone from every answer. */
export async function mutate(
  { run }: Pick<ClickHouse, "run">,
  statement: string,
  parameters: Parameters = {},
): Promise<void> {
  await run(`${statement} SETTINGS mutations_sync = 2`, parameters);
}

/**
 * Builds the statement that deletes what records name. It holds their hashes and times itself: bound parameters go into
 * the address, which is too short for as many.
 */
function buildRemoval(erasures: readonly Erasure[]): string {
  if (!erasures.every(({ key, id }) => isHash(key) && isHash(id))) {
    throw new Error("a record of an erasure has no hashes");
  }
  const keys = [...new Set(erasures.map(({ key }) => key))];
  const names = quoteAll(erasures.map(toName));
  const times = erasures.map(({ erasedAt }) => Date.parse(erasedAt));
  return `
    ALTER TABLE ${EVENTS_TABLE} DELETE WHERE key_hash IN (${quoteAll(keys)})
      AND arrayExists(${buildIsErased(`[${names}]`, `[${times}]`)}, ${NAMES})
  `;
}

function toName({ kind, id }: Erasure): string {
  return `${kind} ${id}`;
}

function quoteAll(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(", ");
}

function buildRow({ key, kind, id, erasedAt }: Erasure): Row {
  return { key_hash: key, kind, id_hash: id, erased_at: toDateTime(erasedAt) };
}

function readErasure({ key_hash, kind, id_hash, erased_at }: Row): Erasure {
  return {
    key: String(key_hash),
    kind: String(kind) as Erasure["kind"],
    id: String(id_hash),
    erasedAt: toIsoTime(erased_at),
  };
}
