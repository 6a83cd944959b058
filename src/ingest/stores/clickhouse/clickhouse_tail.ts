import { hashKey } from "../../platform/digest.ts";
import { openClickHouse } from "./clickhouse_client.ts";
import { IS_NAMED, WITH_RECORDS } from "./clickhouse_erasures.ts";
import type { ClickHouse, ClickHouseOptions, Parameters } from "./clickhouse_port.ts";
import { rebuildEvent, toIsoTime } from "../../events/rebuild_event.ts";
import { SENT, toDateTime } from "./clickhouse_row.ts";
import { checkSchema, ERASURES_TABLE, EVENTS_TABLE } from "./clickhouse_schema.ts";
import type { EventTail, TailOptions } from "../../ports/event_tail.ts";

const INTERVAL_MS = 1000;

/** Events that are read at a time. */
const EVENTS = 2000;

/** Time by which the order of arrival and that of storing differ: loaders share a stream, and one that is killed comes late. */
const READ_AGAIN_MS = 60_000;

const LONG_AGO = "1900-01-01T00:00:00.000Z";

/**
 * Connects to a ClickHouse that a loader fills, to watch what is stored. An event that is stored more than a minute
 * behind others of its time isn't seen.
 *
 * @throws {Error} As `createClickHouseData()` does.
 */
export async function createClickHouseTail(connection: ClickHouseOptions, options: TailOptions): Promise<EventTail> {
  const clickHouse = await openClickHouse(connection);
  try {
    await checkSchema(clickHouse, [EVENTS_TABLE, ERASURES_TABLE]);
  } catch (error) {
    await clickHouse.close();
    throw error;
  }
  return await openTail(clickHouse, options);
}

async function openTail({ select, close }: ClickHouse, { apiKey, lines }: TailOptions): Promise<EventTail> {
  const keyHash = apiKey === undefined ? undefined : await hashKey(apiKey);
  const query = buildQuery(keyHash !== undefined);
  let since = LONG_AGO;
  let isFirst = true;
  /** Times of arrival of what was read, by key and id. */
  const read = new Map<string, string>();

  return {
    intervalMs: INTERVAL_MS,
    async next() {
      const parameters: Parameters = { since: toDateTime(since), count: EVENTS, ...(keyHash && { keyHash }) };
      const rows = (await select(query, parameters)).toReversed();
      const fresh = rows.flatMap((row) => {
        const name = `${row.key_hash} ${row.id}`;
        if (read.has(name)) return [];
        read.set(name, toIsoTime(row.received_at));
        return [rebuildEvent(row)];
      });
      // The clock of an ingest may be ahead: the events of the others are seen all the same.
      const now = new Date().toISOString();
      const newest = rows.map((row) => toIsoTime(row.received_at)).findLast((time) => time <= now) ?? LONG_AGO;
      const next = new Date(Date.parse(newest) - READ_AGAIN_MS).toISOString();
      if (next > since) since = next;
      for (const [name, receivedAt] of read) {
        if (receivedAt <= since) read.delete(name);
      }
      if (!isFirst) return { events: fresh, isMore: false, isCut: fresh.length >= EVENTS };
      isFirst = false;
      return { events: lines === 0 ? [] : fresh.slice(-lines), isMore: false, isCut: false };
    },
    close,
  };
}

/** Whether records name an event is asked of the few that are read alone: it takes hashes. */
function buildQuery(hasKey: boolean): string {
  return `
    ${WITH_RECORDS} SELECT * FROM (
      SELECT key_hash, ${SENT} FROM ${EVENTS_TABLE}
      WHERE received_at > toDateTime64({since:String}, 3, 'UTC')${hasKey ? " AND key_hash = {keyHash:String}" : ""}
      ORDER BY received_at DESC, timestamp DESC, place DESC, id DESC LIMIT {count:UInt32}
    )
    WHERE NOT ${IS_NAMED} ORDER BY received_at DESC, timestamp DESC, place DESC, id DESC
  `;
}
