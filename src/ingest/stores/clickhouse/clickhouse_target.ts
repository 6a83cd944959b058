import { describeError } from "../../platform/describe_error.ts";
import { createDigest } from "../../platform/digest.ts";
import { createErasureCheck, type Erasure, toOwner } from "../../events/erasures.ts";
import type { BlockResult, KeyedEvent, LoadTarget } from "../../ports/load_target.ts";
import { isRowFault, openClickHouse } from "./clickhouse_client.ts";
import { openErasures } from "./clickhouse_erasures.ts";
import type { ClickHouse, ClickHouseOptions, Row } from "./clickhouse_port.ts";
import { buildRows } from "./clickhouse_row.ts";
import { createTables, EVENTS_TABLE } from "./clickhouse_schema.ts";

const COUNT = `
  SELECT count() AS count FROM ${EVENTS_TABLE} FINAL WHERE key_hash = {keyHash:String}
  SETTINGS do_not_merge_across_partitions_select_final = 1
`;

/** The version of no records. */
const NO_ERASURES = "0 0";

/** Options of {@linkcode createClickHouseTarget}. */
export interface ClickHouseTargetOptions extends ClickHouseOptions {
  /**
   * Cluster on whose servers the tables are made, replicated between them. It has one shard; its servers have the macros
   * `shard` and `replica`.
   *
   * @default {none, one server}
   */
  readonly cluster?: string;
  /**
   * Hears that there are records of erasures which the target didn't know of, or that events came which they name. Such
   * may have been on their way: two minutes later, when nothing is any more, `prune()` of the data store deletes them.
   */
  readonly onErasures?: () => void;
}

/** A target that also takes the copy of a database. */
export interface ClickHouseTarget extends LoadTarget {
  /** Keeps records of erasures, but for those that are there. */
  keepErasures(erasures: readonly Erasure[]): Promise<void>;
  /** Deletes what the records name and is stored all the same; returns how many events that were. */
  correct(): Promise<number>;
  /** Counts the events of a key, each once, the last ones included that aren't merged yet. */
  count(keyHash: string): Promise<number>;
}

/**
 * Connects to a ClickHouse, makes its tables where they are missing, and creates the target that inserts blocks.
 *
 * @example
 * ```ts
 * import { createClickHouseTarget } from "@vendor/ingest/clickhouse";
 *
 * export async function migrate(): Promise<void> {
 *   const target = await createClickHouseTarget({ url: "http://localhost:8123", database: "analytics" });
 *   await target.close();
 * }
 * ```
 *
 * @throws {Error} Where the package `@clickhouse/client` isn't installed, for an address that doesn't answer, a version
 * before 26.3, and a table `events` that is something else.
 */
export async function createClickHouseTarget(options: ClickHouseTargetOptions): Promise<ClickHouseTarget> {
  const clickHouse = await openClickHouse(options);
  try {
    await createTables(clickHouse, options);
  } catch (cause) {
    await clickHouse.close();
    throw new Error(`ClickHouse can't be used: ${describeError(cause)}`, { cause });
  }
  return createTarget(clickHouse, options);
}

/** Creates the target that inserts into the table of events, which is there. */
export function createTarget(
  clickHouse: Pick<ClickHouse, "insert" | "select" | "run" | "close">,
  { onErasures }: Pick<ClickHouseTargetOptions, "onErasures"> = {},
): ClickHouseTarget {
  const { insert, select, close } = clickHouse;
  const digest = createDigest();
  // In each token: ClickHouse drops a block whose token it knows, even where its events were deleted since.
  const own = crypto.randomUUID();
  const erasures = openErasures(clickHouse);
  let records = { version: NO_ERASURES, isErased: createErasureCheck([]) };

  /** Reads the records where they have changed; returns whether they have. */
  async function readRecords(): Promise<boolean> {
    const version = await erasures.readVersion();
    if (version === records.version) return false;
    records = { version, isErased: createErasureCheck(await erasures.readAll()) };
    return true;
  }

  /** Returns the places of the events that no record names. */
  async function findKept(block: readonly KeyedEvent[]): Promise<readonly number[]> {
    const { isErased } = records;
    const areErased = await Promise.all(block.map(({ keyHash, event }) => isErased(toOwner(keyHash, event))));
    return [...block.keys()].filter((index) => areErased[index] === false);
  }

  /** Inserts rows; those that ClickHouse doesn't take are found by halves, and the others inserted. */
  async function insertRows(rows: readonly Row[], first = 0): Promise<BlockResult["unfit"]> {
    if (rows.length === 0) return [];
    try {
      // Made of the rows: a block that this target tries again has the same token, and no other block has it.
      const token = await digest(
        [own, ...rows.map(({ key_hash, id, received_at }) => `${key_hash} ${received_at} ${id}`)].join("\n"),
      );
      await insert(EVENTS_TABLE, rows, token);
      return [];
    } catch (error) {
      if (!isRowFault(error)) throw error;
      if (rows.length === 1) return [{ index: first, reason: `ClickHouse: ${describeError(error)}` }];
    }
    const middle = rows.length >> 1;
    return [
      ...await insertRows(rows.slice(0, middle), first),
      ...await insertRows(rows.slice(middle), first + middle),
    ];
  }

  return {
    async store(block) {
      const isNews = await readRecords();
      const kept = await findKept(block);
      // What is left out may have come before, and who had it died after it had stored it.
      if (isNews || kept.length < block.length) onErasures?.();
      const unfit = await insertRows(buildRows(kept.flatMap((index) => block[index] ?? [])));
      // Somebody may have been erased meanwhile, without these.
      if (await readRecords()) onErasures?.();
      return {
        unfit: unfit.map(({ index, reason }) => ({ index: kept[index] ?? index, reason })),
        erased: block.length - kept.length,
      };
    },
    keepErasures: erasures.keep,
    correct: () => erasures.correct(),
    async count(keyHash) {
      const [row] = await select(COUNT, { keyHash });
      return Number(row?.count);
    },
    close,
  };
}
