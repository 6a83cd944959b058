/**
 * The part of the official ClickHouse client in use, and how it is loaded.
 *
 * @module
 */
import type * as clickhouse from "@clickhouse/client";
import { describeError } from "../../platform/describe_error.ts";
import type { ClickHouse, ClickHouseOptions, Row } from "./clickhouse_port.ts";

/** The client's function in use. */
export type CreateClient = (options: clickhouse.ClickHouseClientConfigOptions) => clickhouse.ClickHouseClient;

/** The oldest version that is supported: those before get no security fixes after 2026. */
const MIN_VERSION: readonly [year: number, month: number] = [26, 3];

/** Longest time of an answer in milliseconds: a block or a report that takes longer is given up. */
const REQUEST_TIMEOUT_MS = 60_000;

/** Length of a query that ClickHouse takes without being asked to, in bytes: one with many paths or sources is longer. */
const USUAL_QUERY_BYTES = 262_144;

/** Most bytes of a UTF-16 unit in UTF-8. */
const MAX_UNIT_BYTES = 3;

/** Options of a connection to a ClickHouse. */
export interface ConnectOptions {
  /**
   * Milliseconds that an answer may take.
   *
   * @default {60000}
   */
  readonly timeoutMs?: number;
  /** Loads the official client. */
  readonly load?: () => Promise<CreateClient>;
}

/** The client's own log writes to the console, rows and all; what fails is told to the caller. */
const LOG_OFF = 127 as clickhouse.ClickHouseLogLevel;

/** The numbers with which ClickHouse says that it is the rows that it doesn't take, whoever sends them again. */
const ROW_FAULTS: ReadonlySet<string> = new Set([
  "6", // CANNOT_PARSE_TEXT
  "26", // CANNOT_PARSE_QUOTED_STRING
  "27", // CANNOT_PARSE_INPUT_ASSERTION_FAILED
  "38", // CANNOT_PARSE_DATE
  "41", // CANNOT_PARSE_DATETIME
  "53", // TYPE_MISMATCH
  "69", // ARGUMENT_OUT_OF_BOUND
  "70", // CANNOT_CONVERT_TYPE
  "72", // CANNOT_PARSE_NUMBER
  "117", // INCORRECT_DATA
  "131", // TOO_LARGE_STRING_SIZE
  "321", // VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE
  "349", // CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN
  "376", // CANNOT_PARSE_UUID
  "469", // VIOLATED_CONSTRAINT
]);

/** Returns whether an insert failed by what is in its rows. */
export function isRowFault(error: unknown): boolean {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return cause instanceof Error && "code" in cause && ROW_FAULTS.has(String(cause.code));
}

/**
 * Connects to a ClickHouse.
 *
 * @throws {Error} Where the official client isn't installed, for an address that doesn't answer, and for a version that
 * is too old.
 */
export async function openClickHouse(
  options: ClickHouseOptions,
  { timeoutMs = REQUEST_TIMEOUT_MS, load = importClient }: ConnectOptions = {},
): Promise<ClickHouse> {
  const createClient = await loadClient(load);
  const { url, user, password, database } = options;
  const clickHouse = wrapClient(createClient({
    url,
    ...(user !== undefined && { username: user }),
    ...(password !== undefined && { password }),
    ...(database !== undefined && { database }),
    application: "@vendor/ingest",
    request_timeout: timeoutMs,
    log: { level: LOG_OFF },
  }));
  try {
    await checkVersion(clickHouse);
    return clickHouse;
  } catch (cause) {
    await clickHouse.close();
    throw new Error(`ClickHouse can't be used at ${toShownUrl(url)}: ${describeError(cause)}`, { cause });
  }
}

/** Returns whether a version, `26.3.1.896`, is at least the oldest that does. */
function isNewEnough(version: string): boolean {
  const [year = 0, month = 0] = version.split(".").map(Number);
  const [minYear, minMonth] = MIN_VERSION;
  return year > minYear || (year === minYear && month >= minMonth);
}

async function checkVersion({ select }: ClickHouse): Promise<void> {
  const [row] = await select("SELECT version() AS version");
  const version = String(row?.version);
  if (!isNewEnough(version)) {
    throw new Error(`its version is ${version}, and it takes ${MIN_VERSION.join(".")} or later`);
  }
}

async function loadClient(load: () => Promise<CreateClient>): Promise<CreateClient> {
  try {
    return await load();
  } catch (cause) {
    throw new Error("ClickHouse needs the package @clickhouse/client: npm install it", { cause });
  }
}

async function importClient(): Promise<CreateClient> {
  return (await import("@clickhouse/client")).createClient;
}

function wrapClient(client: clickhouse.ClickHouseClient): ClickHouse {
  return {
    async run(statement, parameters = {}) {
      await client.command({ query: statement, query_params: parameters });
    },
    async select(query, parameters = {}) {
      const answer = await client.query({
        query,
        query_params: parameters,
        format: "JSONEachRow",
        clickhouse_settings: allowLength(query),
      });
      return await answer.json<Row>();
    },
    async *stream(query, parameters = {}) {
      const answer = await client.query({ query, query_params: parameters, format: "JSONEachRow" });
      for await (const rows of answer.stream<Row>()) {
        for (const row of rows) yield row.json();
      }
    },
    async insert(table, rows, token) {
      const [first] = rows;
      if (first === undefined) return;
      const [column = "", ...columns] = Object.keys(first);
      await client.insert({
        table,
        // Names once, and not in each row, where they are a third of the bytes.
        columns: [column, ...columns],
        values: rows.map(Object.values),
        format: "JSONCompactEachRow",
        clickhouse_settings: {
          // Answered once the rows are in, not once they wait.
          async_insert: 0,
          insert_deduplication_token: token,
          // A sender's clocks may name any month.
          max_partitions_per_insert_block: "0",
        },
      });
    },
    close: () => client.close(),
  };
}

function allowLength(query: string): clickhouse.ClickHouseSettings {
  const bytes = query.length * MAX_UNIT_BYTES;
  return bytes > USUAL_QUERY_BYTES ? { max_query_size: String(bytes) } : {};
}

// A user name and a password may be part of it.
function toShownUrl(url: string): string {
  return URL.canParse(url) ? new URL(url).origin : "its address";
}
