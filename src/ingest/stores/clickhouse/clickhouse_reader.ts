import { openClickHouse } from "./clickhouse_client.ts";
import type { ClickHouseOptions } from "./clickhouse_port.ts";
import { checkSchema, EVENTS_TABLE, EXACTLY } from "./clickhouse_schema.ts";
import type { ReportReader } from "../../ports/reader.ts";
import type { Dialect, Engine } from "../../reports/sql/engine.ts";
import { createReader } from "../../reports/sql/reader.ts";

const CLICKHOUSE: Dialect = {
  quote: (text) => `'${text.toWellFormed().replace(/[\\']/g, "\\$&").replaceAll("\0", "\\0")}'`,
  quantile: (level, value, condition) => `quantileExactWeightedIf(${level})(${value}, 1, ${condition})`,
};

/**
 * A name is that of a column first, as in other engines, and of what is selected after that. Filters that a join makes while
 * it runs lose a column of some queries ("Not found column in block", 26.7). A sum beyond all numbers comes as a text.
 */
const READING =
  "prefer_column_name_to_alias = 1, enable_join_runtime_filters = 0, output_format_json_quote_denormals = 1";

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
  const engine: Engine = {
    ...{ dialect: CLICKHOUSE, events: `${EVENTS_TABLE} FINAL`, close },
    share: (sql) => Promise.resolve(`(${sql})`),
    select: (sql) => select(`${sql} ${EXACTLY}, ${READING}`),
    async selectColumns(sql) {
      const rows = await engine.select(sql);
      return Object.keys(rows[0] ?? {}).map((name) => rows.map((row) => row[name]));
    },
  };
  return createReader(engine);
}
