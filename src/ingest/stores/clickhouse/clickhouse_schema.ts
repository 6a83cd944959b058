import { type ColumnType, ESSENTIAL_COLUMNS, STORED_COLUMNS } from "../../events/columns.ts";
import type { ClickHouse } from "./clickhouse_port.ts";

/** Options of the tables: see `ClickHouseTargetOptions`. */
export interface SchemaOptions {
  /** Cluster on whose servers the tables are made. */
  readonly cluster?: string;
}

/** Table of the events. */
export const EVENTS_TABLE = "events" as const;

/** Table of the records of erasures. Apart from the events, whose backup is restored without it. */
export const ERASURES_TABLE = "erasures" as const;

/**
 * Ends a query of reports. FINAL leaves out what came twice and isn't merged yet. What came twice is in one partition:
 * each is looked at by itself. An index on another column must not hide the first of two; ClickHouse looks for it where
 * the setting says so.
 */
export const EXACTLY = `
  SETTINGS do_not_merge_across_partitions_select_final = 1, use_skip_indexes_if_final = 1,
    use_skip_indexes_if_final_exact_mode = 1, output_format_json_quote_64bit_integers = 1, max_execution_time = 20
`;

/** Types of columns in ClickHouse. */
const TYPES: Readonly<Record<ColumnType, string>> = {
  text: "String",
  label: "LowCardinality(String)",
  time: "DateTime64(3, 'UTC')",
  number: "Float64",
  json: "String",
  long: "Int64",
  int: "Int32",
  boolean: "Bool",
};

/** Columns that are compressed better: they are long, and reports don't read them. */
const LONG_TEXTS: readonly string[] = ["traits", "page_url", "page_title", "referrer_url", "properties"];

/** The columns and their types. */
const COLUMNS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(STORED_COLUMNS.map(({ name, type, isNullable = false }) => {
    const codec = LONG_TEXTS.includes(name) ? " CODEC(ZSTD(1))" : "";
    return [name, `${isNullable ? `Nullable(${TYPES[type]})` : TYPES[type]}${codec}`];
  })),
  // The day of `timestamp`: a row is known again by it.
  day: "Date32",
  // Stands for the id in the order of the rows: it takes less to read and to compare. Two ids share none.
  id_hash: "UInt128 MATERIALIZED reinterpretAsUInt128(sipHash128(id))",
  // Of an event that came twice the one with the highest version stays: the one that arrived first.
  version: "UInt64 MATERIALIZED bitNot(toUInt64(toUnixTimestamp64Milli(received_at)))",
};

/** The columns of a record, and their types. */
const ERASURE_COLUMNS: Readonly<Record<string, string>> = {
  key_hash: "LowCardinality(String)",
  kind: "Enum8('user' = 1, 'anonymous' = 2, 'visitor' = 3)",
  id_hash: "String",
  erased_at: "DateTime64(3, 'UTC')",
};

/** Columns that an earlier release's table may lack. */
const LATER: readonly string[] = STORED_COLUMNS.map(({ name }) => name).filter((name) =>
  !ESSENTIAL_COLUMNS.includes(name)
);

/** A table that is looked at before it is used: another one may have its name. */
export type CheckedTable = typeof EVENTS_TABLE | typeof ERASURES_TABLE;

const CHECKED: Readonly<Record<CheckedTable, Readonly<Record<string, string>>>> = {
  events: COLUMNS,
  erasures: ERASURE_COLUMNS,
};

/** Months that have a partition of their own; a sender may name any, and each takes files. */
const [FIRST_MONTH, LAST_MONTH] = [202001, 204912] as const;

/** Blocks whose tokens are remembered: of those that were sent again at once, since their answer was lost. */
const REMEMBERED_BLOCKS = 1000;

/** Builds the statements that make the tables; each leaves what is there as it is. */
export function buildSchema({ cluster }: SchemaOptions = {}): readonly string[] {
  const onCluster = toOnCluster(cluster);
  // The paths of ClickHouse's own documentation, with its macros.
  const buildEngine = (version: string): string =>
    cluster === undefined
      ? `ReplacingMergeTree(${version})`
      : `ReplicatedReplacingMergeTree('/clickhouse/tables/{shard}/{database}/{table}', '{replica}', ${version})`;
  const remembered = cluster === undefined ? "non_replicated_deduplication_window" : "replicated_deduplication_window";
  return [
    `
    CREATE TABLE IF NOT EXISTS ${EVENTS_TABLE}${onCluster} (
      ${listColumns(CHECKED.events)},
      INDEX received_at received_at TYPE minmax GRANULARITY 1,
      INDEX time time TYPE minmax GRANULARITY 1
    )
    ENGINE = ${buildEngine("version")}
    PARTITION BY if(toYYYYMM(day) BETWEEN ${FIRST_MONTH} AND ${LAST_MONTH}, toYYYYMM(day), 0)
    ORDER BY (key_hash, day, id_hash)
    SETTINGS ${remembered} = ${REMEMBERED_BLOCKS}, fsync_after_insert = 1, fsync_part_directory = 1
  `,
    `
    CREATE TABLE IF NOT EXISTS ${ERASURES_TABLE}${onCluster} (
      ${listColumns(ERASURE_COLUMNS)}
    )
    ENGINE = ${buildEngine("erased_at")}
    ORDER BY (key_hash, kind, id_hash)
    SETTINGS fsync_after_insert = 1, fsync_part_directory = 1
  `,
  ];
}

/** Builds the statement that adds columns of events; each leaves what is there as it is. */
function buildColumns(names: readonly string[], { cluster }: SchemaOptions): string {
  const added = names.map((name) => `ADD COLUMN IF NOT EXISTS ${name} ${COLUMNS[name]}`);
  return `ALTER TABLE ${EVENTS_TABLE}${toOnCluster(cluster)} ${added.join(", ")}`;
}

/**
 * Makes the tables where they are missing, and adds columns that an earlier release had none of. Any number of processes may do
 * it at the same time.
 *
 * @throws {Error} When they can't be made, or a table of the name is something else.
 */
export async function createTables(
  clickHouse: Pick<ClickHouse, "run" | "select">,
  options: SchemaOptions = {},
): Promise<void> {
  for (const statement of buildSchema(options)) await clickHouse.run(statement);
  const missing = await findMissing(clickHouse, EVENTS_TABLE);
  if (missing.length > 0 && isEarlier(missing)) await clickHouse.run(buildColumns(missing, options));
  await checkSchema(clickHouse, [EVENTS_TABLE, ERASURES_TABLE]);
}

/**
 * Makes sure that tables are there, and ours.
 *
 * @throws {Error} When one isn't.
 */
export async function checkSchema(
  clickHouse: Pick<ClickHouse, "select">,
  tables: readonly CheckedTable[] = [EVENTS_TABLE],
): Promise<void> {
  for (const table of tables) {
    const missing = await findMissing(clickHouse, table);
    if (missing.length > 0) {
      const fault = `the table ${table} lacks ${missing.join(", ")}`;
      throw new Error(
        isEarlier(missing) ? `${fault}: a loader of this version adds it` : `${fault}: no loader made it`,
      );
    }
  }
}

/** Returns whether a table that lacks columns is of an earlier release, and no other one. */
function isEarlier(missing: readonly string[]): boolean {
  return missing.every((name) => LATER.includes(name));
}

/** Returns the columns that a table of ours lacks. */
async function findMissing({ select }: Pick<ClickHouse, "select">, table: CheckedTable): Promise<readonly string[]> {
  const [found] = await select(
    "SELECT engine FROM system.tables WHERE database = currentDatabase() AND name = {table:String}",
    { table },
  );
  if (found === undefined) throw new Error(`there is no table ${table}: the loader makes it`);
  if (!String(found.engine).endsWith("ReplacingMergeTree")) {
    throw new Error(`the table ${table} is something else: its engine is ${found.engine}`);
  }
  const rows = await select(
    "SELECT name FROM system.columns WHERE database = currentDatabase() AND table = {table:String}",
    { table },
  );
  const names = new Set(rows.map(({ name }) => name));
  return Object.keys(CHECKED[table]).filter((name) => !names.has(name));
}

function toOnCluster(cluster: string | undefined): string {
  return cluster === undefined ? "" : ` ON CLUSTER ${quoteName(cluster)}`;
}

function listColumns(columns: Readonly<Record<string, string>>): string {
  return Object.entries(columns).map(([name, type]) => `${name} ${type}`).join(",\n      ");
}

function quoteName(name: string): string {
  return `\`${name.replace(/[\\`]/g, "\\$&")}\``;
}
