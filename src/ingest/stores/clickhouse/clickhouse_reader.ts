import { hashKey } from "../../platform/digest.ts";
import { openClickHouse } from "./clickhouse_client.ts";
import type { ClickHouseOptions } from "./clickhouse_port.ts";
import { checkSchema, EVENTS_TABLE, EXACTLY } from "./clickhouse_schema.ts";
import { TIME } from "./clickhouse_visit_tables.ts";
import { createVisitStore } from "./clickhouse_visits.ts";
import { PAGEVIEW_NAME } from "../../events/stored_event.ts";
import { MAX_SITES, type ReportReader } from "../../ports/reader.ts";

/** Sites, by their number of events. */
const SITES = `
  SELECT site FROM ${EVENTS_TABLE} FINAL WHERE key_hash = {keyHash:String} AND site <> ''
  GROUP BY site ORDER BY count() DESC, site LIMIT ${MAX_SITES} ${EXACTLY}
`;

/** Time of a site's newest event. Without FINAL: what came twice is of the same time. */
const LAST_TIME = `
  SELECT max(${TIME}) AS time, count() AS count FROM ${EVENTS_TABLE}
  WHERE key_hash = {keyHash:String} AND site = {site:String}
`;

/** Pageviews of a key that arrived in a month. */
const PAGEVIEWS_OF_MONTH = `
  SELECT count() AS count FROM ${EVENTS_TABLE} FINAL
  WHERE key_hash = {keyHash:String} AND name = '${PAGEVIEW_NAME}'
    AND received_at >= toDateTime64({start:String}, 3, 'UTC')
    AND received_at < addMonths(toDateTime64({start:String}, 3, 'UTC'), 1) ${EXACTLY}
`;

/**
 * Connects to a ClickHouse that a loader fills, and creates the reader of its reports. Its counts are exact, also while
 * what came twice isn't merged yet. It needs no more than the right to read.
 *
 * @example
 * ```ts
 * import { createReports, type Reports } from "@vendor/ingest";
 * import { createClickHouseReader } from "@vendor/ingest/clickhouse";
 *
 * export async function openReports(): Promise<Reports> {
 *   const reader = await createClickHouseReader({ url: "http://localhost:8123", user: "reports", password: "secret" });
 *   const key = { apiKey: "pk_live_1", secretKey: `sk_${crypto.randomUUID()}`, origins: ["https://shop.example"] };
 *   return createReports({ keys: [key], reader });
 * }
 * ```
 *
 * @throws {Error} Where the package `@clickhouse/client` isn't installed, for an address that doesn't answer, a version
 * before 26.3, and a database that no loader has opened yet.
 */
export async function createClickHouseReader(options: ClickHouseOptions): Promise<ReportReader> {
  const clickHouse = await openClickHouse(options);
  const { select, close } = clickHouse;
  try {
    await checkSchema(clickHouse);
  } catch (error) {
    await close();
    throw error;
  }
  return {
    ...createVisitStore(select),
    async sites(apiKey) {
      const rows = await select(SITES, { keyHash: await hashKey(apiKey) });
      return rows.map(({ site }) => String(site));
    },
    async lastTime({ apiKey, site }) {
      const [row] = await select(LAST_TIME, { keyHash: await hashKey(apiKey), site });
      return Number(row?.count) > 0 ? Number(row?.time) : undefined;
    },
    async countPageviews(apiKey, month) {
      const [row] = await select(PAGEVIEWS_OF_MONTH, { keyHash: await hashKey(apiKey), start: `${month}-01 00:00:00` });
      return Number(row?.count);
    },
    close,
  };
}
