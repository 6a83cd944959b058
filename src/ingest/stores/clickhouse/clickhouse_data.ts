import { hashKey } from "../../platform/digest.ts";
import { openClickHouse } from "./clickhouse_client.ts";
import { IS_NAMED, mutate, openErasures, WITH_RECORDS } from "./clickhouse_erasures.ts";
import type { ClickHouse, ClickHouseOptions, Parameters, Row } from "./clickhouse_port.ts";
import { rebuildEvent, toIsoTime } from "../../events/rebuild_event.ts";
import { SENT, toDateTime } from "./clickhouse_row.ts";
import { checkSchema, ERASURES_TABLE, EVENTS_TABLE } from "./clickhouse_schema.ts";
import { buildErasure, type Erasure } from "../../events/erasures.ts";
import type { StoredEvent } from "../../events/stored_event.ts";
import type { KeyedEvent } from "../../ports/load_target.ts";
import { buildAgeError, checkDays, checkRange, checkSubject, toTimeBefore } from "../../ports/data_checks.ts";
import type {
  DataStore,
  DataSubject,
  DeleteOptions,
  ErasedData,
  EventRange,
  FoundData,
  PrunedData,
  PruneOptions,
} from "../../ports/data_store.ts";

/** Longest time of an answer in milliseconds: ClickHouse writes the months anew that something is deleted from. */
const TIMEOUT_MS = 60 * 60 * 1000;

/** Longest time in which ClickHouse removes old parts, once it may. */
const SLACK_MS = 60_000;

/** Behind every time that the table holds. */
const END_OF_TIME = "2299-12-31 23:59:59.999";

/** Milliseconds by which the clock of an ingest may be ahead of the one here. */
const MAX_AHEAD_MS = 5 * 60 * 1000;

const CAPTURED_BEFORE = "least(timestamp, received_at) <= toDateTime64({until:String}, 3, 'UTC')";

const EXACTLY = "SETTINGS do_not_merge_across_partitions_select_final = 1";

const OF_USER = "key_hash = {keyHash:String} AND user_id = {id:String}";

const OF_VISITOR = "key_hash = {keyHash:String} AND anonymous_id = {id:String}";

/** Whether events are meant that records name: they are to be deleted, and are to stay away from who reads. */
type Scope = "stored" | "shown";

const SUMMARY = `
  count() AS events, uniqExactIf(session_id, session_id <> '') AS sessions,
  min(timestamp) AS first, max(timestamp) AS last, max(least(timestamp, received_at)) AS captured,
  arraySort(groupUniqArrayIf(anonymous_id, anonymous_id <> '')) AS anonymous_ids,
  arraySort(groupUniqArray(user_id)) AS user_ids
`;

const HAS_KEY = `
  SELECT EXISTS (SELECT 1 FROM ${EVENTS_TABLE} WHERE key_hash = {keyHash:String})
    OR EXISTS (SELECT 1 FROM ${ERASURES_TABLE} WHERE key_hash = {keyHash:String}) AS holds
`;

const BEFORE = "toDateTime64({before:String}, 3, 'UTC')";

const OLD = `received_at < ${BEFORE}`;

// What the records name is gone by then, or would be.
const COUNT_OLD = `
  ${WITH_RECORDS} SELECT uniqExact(key_hash, day, id) AS events FROM ${EVENTS_TABLE} WHERE ${OLD} AND NOT ${IS_NAMED}
`;

/** Whether an event was captured, and arrived, at that time or later, or there is none at all. */
const IS_BEFORE_NEWEST = `
  SELECT NOT EXISTS (SELECT 1 FROM ${EVENTS_TABLE})
    OR EXISTS (SELECT 1 FROM ${EVENTS_TABLE} WHERE received_at >= ${BEFORE} AND timestamp >= ${BEFORE}) AS holds
`;

/** Parts that were replaced, and for how long such are kept. */
const OLD_PARTS = `
  SELECT
    (
      SELECT count() FROM system.parts
      WHERE database = currentDatabase() AND table = {table:String} AND NOT active
    ) AS parts,
    (SELECT toUInt64(value) FROM system.merge_tree_settings WHERE name = 'old_parts_lifetime') AS usual,
    (
      SELECT extract(engine_full, 'old_parts_lifetime = (\\\\d+)') FROM system.tables
      WHERE database = currentDatabase() AND name = {table:String}
    ) AS own
`;

/**
 * Connects to a ClickHouse that a loader fills, and creates the functions that find, hand out and delete what it holds of
 * people, while loaders write to it.
 *
 * @example
 * ```ts
 * import { createClickHouseData } from "@vendor/ingest/clickhouse";
 *
 * export async function erase(userId: string): Promise<number> {
 *   const data = await createClickHouseData({ url: "http://localhost:8123", user: "data", password: "secret" });
 *   try {
 *     const { events } = await data.erase({ apiKey: "pk_live_123", userId, withVisitors: true });
 *     return events;
 *   } finally {
 *     await data.close();
 *   }
 * }
 * ```
 *
 * @throws {Error} Where the package `@clickhouse/client` isn't installed, for an address that doesn't answer, a version
 * before 26.3, and a database that no loader has opened yet.
 */
export async function createClickHouseData(options: ClickHouseOptions): Promise<DataStore> {
  const clickHouse = await openClickHouse(options, { timeoutMs: TIMEOUT_MS });
  try {
    await checkSchema(clickHouse, [EVENTS_TABLE, ERASURES_TABLE]);
  } catch (error) {
    await clickHouse.close();
    throw error;
  }
  return createData(clickHouse);
}

/** Creates them on a ClickHouse whose tables are there. */
export function createData(clickHouse: ClickHouse): DataStore {
  const { select, stream, close } = clickHouse;
  const records = openErasures(clickHouse);

  async function summarize(subject: DataSubject, scope: Scope, until = END_OF_TIME): Promise<Row> {
    const query = `
      ${WITH_RECORDS} SELECT ${SUMMARY} FROM ${EVENTS_TABLE} FINAL
      WHERE ${buildCondition(subject, scope)} AND ${CAPTURED_BEFORE} ${EXACTLY}
    `;
    const [row = {}] = await select(query, { ...await bind(subject), until });
    return row;
  }

  /** Returns the anonymous ids that were a user's; none unless they are meant as well. */
  async function listVisitors(subject: DataSubject, scope: Scope): Promise<readonly string[]> {
    if (!isFollowed(subject)) return [];
    const query = `${WITH_RECORDS} ${buildVisitors(scope)}`;
    return (await select(query, await bind(subject))).map(({ anonymous_id }) => String(anonymous_id));
  }

  async function keep(subject: DataSubject, owners: readonly Owner[], erasedAt: string): Promise<readonly Erasure[]> {
    const erasures = await Promise.all(
      owners.map((owner) => buildErasure({ apiKey: subject.apiKey, ...owner }, erasedAt)),
    );
    await records.keep(erasures);
    return erasures;
  }

  /** Returns the time of an erasure: now, or of the last that had arrived, where the clock of its ingest is ahead. */
  async function chooseTime(subject: DataSubject): Promise<string> {
    const nowMs = Date.now();
    const until = toDateTime(new Date(nowMs + MAX_AHEAD_MS).toISOString());
    const { events, captured } = await summarize(subject, "stored", until);
    const now = new Date(nowMs).toISOString();
    const last = Number(events) > 0 ? toIsoTime(captured) : now;
    return last > now ? last : now;
  }

  async function eraseIn(subject: DataSubject): Promise<ErasedData> {
    const erasedAt = await chooseTime(subject);
    const visitors = await listVisitors(subject, "shown");
    // First, so that nothing of theirs is stored from now on.
    const erasures = await keep(subject, [toOwner(subject), ...visitors.map(toVisitor)], erasedAt);
    // Anonymous ids that came in between the look and the record.
    const known = new Set(visitors);
    const late = (await listVisitors(subject, "stored")).filter((id) => !known.has(id));
    const more = await keep(subject, late.map(toVisitor), erasedAt);
    const { events, sessions } = await summarize(subject, "stored", toDateTime(erasedAt));
    if (Number(events) > 0) await records.remove([...erasures, ...more]);
    return {
      events: Number(events),
      sessions: Number(sessions),
      visitors: visitors.length + late.length,
      erasedAt,
      ...await findRemains(),
    };
  }

  async function removeOld(keepDays: number, isTry: boolean): Promise<number> {
    const parameters = { before: toDateTime(toTimeBefore(keepDays)) };
    const [row] = await select(COUNT_OLD, parameters);
    const events = Number(row?.events);
    if (events > 0) await checkClock(keepDays, parameters);
    if (events > 0 && !isTry) await mutate(clickHouse, `ALTER TABLE ${EVENTS_TABLE} DELETE WHERE ${OLD}`, parameters);
    return events;
  }

  async function forget(keepErasuresDays: number, isTry: boolean): Promise<number> {
    const before = toTimeBefore(keepErasuresDays);
    const erasures = await records.forget(before, true);
    if (erasures > 0) await checkClock(keepErasuresDays, { before: toDateTime(before) });
    return isTry ? erasures : await records.forget(before, false);
  }

  async function checkClock(keptDays: number, parameters: Parameters): Promise<void> {
    const [row] = await select(IS_BEFORE_NEWEST, parameters);
    if (Number(row?.holds) !== 1) throw buildAgeError(keptDays);
  }

  async function findRemains(): Promise<
    { readonly remains: NonNullable<ErasedData["remains"]>; readonly goneBy?: string }
  > {
    const [row = {}] = await select(OLD_PARTS, { table: EVENTS_TABLE });
    if (Number(row.parts) === 0) return { remains: "none" };
    const lifetimeMs = Number(row.own || row.usual) * 1000;
    return { remains: "parts", goneBy: new Date(Date.now() + lifetimeMs + SLACK_MS).toISOString() };
  }

  return {
    async hasKey(apiKey) {
      const [row] = await select(HAS_KEY, { keyHash: await hashKey(apiKey) });
      return Number(row?.holds) === 1;
    },
    async find(subject) {
      checkSubject(subject);
      return readFound(await summarize(subject, "shown"));
    },
    async *export(subject): AsyncGenerator<StoredEvent> {
      checkSubject(subject);
      const query = `
        ${WITH_RECORDS} SELECT ${SENT} FROM ${EVENTS_TABLE} FINAL
        WHERE ${buildCondition(subject, "shown")} ORDER BY received_at, timestamp, place, id ${EXACTLY}
      `;
      for await (const row of stream(query, await bind(subject))) yield rebuildEvent(row);
    },
    async *exportAll(range = {}): AsyncGenerator<KeyedEvent> {
      checkRange(range);
      // In the order of the table, which is merged from the parts, and not sorted.
      const query = `
        ${WITH_RECORDS} SELECT key_hash, ${SENT} FROM ${EVENTS_TABLE} FINAL
        WHERE ${buildRange(range)} AND NOT ${IS_NAMED} ORDER BY key_hash, day, id_hash ${EXACTLY}
      `;
      for await (const row of stream(query, await bindRange(range))) {
        yield { keyHash: String(row.key_hash), event: rebuildEvent(row) };
      }
    },
    async erase(subject, options = {}) {
      checkSubject(subject);
      checkVacuum(options);
      if (!options.dryRun) return await eraseIn(subject);
      const { events, sessions } = await summarize(subject, "shown");
      const visitors = await listVisitors(subject, "shown");
      return { events: Number(events), sessions: Number(sessions), visitors: visitors.length };
    },
    async prune(options: PruneOptions): Promise<PrunedData> {
      checkDays(options);
      checkVacuum(options);
      const { keepDays, keepErasuresDays, dryRun = false } = options;
      const corrected = await records.correct(dryRun);
      const events = keepDays === undefined ? 0 : await removeOld(keepDays, dryRun);
      const erasures = keepErasuresDays === undefined ? 0 : await forget(keepErasuresDays, dryRun);
      return { events, corrected, erasures, ...(!dryRun && await findRemains()) };
    },
    close,
  };
}

function isFollowed(subject: DataSubject): boolean {
  return "userId" in subject && subject.withVisitors === true;
}

/** Says whose events are meant. */
function buildCondition(subject: DataSubject, scope: Scope): string {
  const shown = scope === "shown" ? ` AND NOT ${IS_NAMED}` : "";
  if (!("userId" in subject)) return OF_VISITOR + shown;
  if (!isFollowed(subject)) return OF_USER + shown;
  const isVisitor = `key_hash = {keyHash:String} AND user_id IS NULL AND anonymous_id IN (${buildVisitors(scope)})`;
  return `(${OF_USER} OR ${isVisitor})${shown}`;
}

/** Says which events are of a range. Their days lead to their months and, within a key, to their rows. */
function buildRange({ apiKey, from, to }: EventRange): string {
  const toTime = (name: string): string => `toDateTime64({${name}:String}, 3, 'UTC')`;
  return [
    ...(apiKey === undefined ? [] : ["key_hash = {keyHash:String}"]),
    ...(from === undefined ? [] : [`day >= toDate32(${toTime("from")})`, `timestamp >= ${toTime("from")}`]),
    ...(to === undefined ? [] : [`day <= toDate32(${toTime("to")})`, `timestamp < ${toTime("to")}`]),
  ].join(" AND ") || "true";
}

async function bindRange({ apiKey, from, to }: EventRange): Promise<Parameters> {
  return {
    ...(apiKey !== undefined && { keyHash: await hashKey(apiKey) }),
    ...(from !== undefined && { from: toDateTime(new Date(from).toISOString()) }),
    ...(to !== undefined && { to: toDateTime(new Date(to).toISOString()) }),
  };
}

function buildVisitors(scope: Scope): string {
  const shown = scope === "shown" ? ` AND NOT ${IS_NAMED}` : "";
  return `SELECT DISTINCT anonymous_id FROM ${EVENTS_TABLE} WHERE ${OF_USER} AND anonymous_id <> ''${shown}`;
}

async function bind(subject: DataSubject): Promise<Parameters> {
  // As it is stored: UTF-8 holds no half of a character.
  return { keyHash: await hashKey(subject.apiKey), id: toOwner(subject).id.toWellFormed() };
}

/** Whose events are meant. */
interface Owner {
  readonly kind: Erasure["kind"];
  readonly id: string;
}

function toOwner(subject: DataSubject): Owner {
  return "userId" in subject ? { kind: "user", id: subject.userId } : { kind: "anonymous", id: subject.anonymousId };
}

function toVisitor(id: string): Owner {
  return { kind: "visitor", id };
}

function checkVacuum({ vacuum = false }: DeleteOptions): void {
  if (vacuum) throw new TypeError("vacuum is for a folder: ClickHouse removes what is old by itself");
}

function readFound({ events, sessions, first, last, anonymous_ids, user_ids }: Row): FoundData {
  return {
    events: Number(events),
    sessions: Number(sessions),
    ...(Number(events) > 0 && { first: toIsoTime(first), last: toIsoTime(last) }),
    // The columns are those of the query.
    anonymousIds: anonymous_ids as readonly string[],
    userIds: user_ids as readonly string[],
  };
}
