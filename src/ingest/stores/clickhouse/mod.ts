/**
 * ClickHouse behind the ingest: where a loader stores events, where reports come from, and where people's data is found
 * and erased. An entry point of its own, since it takes the package `@clickhouse/client`, which no bundler of the ingest is to look for.
 *
 * @example
 * ```ts
 * import { createReports } from "@vendor/ingest";
 * import { createClickHouseReader } from "@vendor/ingest/clickhouse";
 *
 * export async function openReports(): Promise<ReturnType<typeof createReports>> {
 *   const reader = await createClickHouseReader({ url: "http://localhost:8123" });
 *   const key = { apiKey: "pk_live_1", secretKey: `sk_${crypto.randomUUID()}`, origins: ["https://shop.example"] };
 *   return createReports({ keys: [key], reader });
 * }
 * ```
 *
 * @module
 */
export { createClickHouseData } from "./clickhouse_data.ts";
export type { ClickHouseOptions } from "./clickhouse_port.ts";
export { createClickHouseReader } from "./clickhouse_reader.ts";
export { type ClickHouseTarget, type ClickHouseTargetOptions, createClickHouseTarget } from "./clickhouse_target.ts";
