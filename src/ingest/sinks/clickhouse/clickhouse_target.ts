import { describeError } from "../../describe_error.ts";
import { createDigest } from "../../keys/digest.ts";
import type { LoadTarget, UnfitEvent } from "../load_target.ts";
import { type ClickHouse, type ClickHouseOptions, isRowFault, openClickHouse, type Row } from "./clickhouse_client.ts";
import { buildRows } from "./clickhouse_row.ts";
import { EVENTS_TABLE, migrate, type SchemaOptions } from "./clickhouse_schema.ts";

/** What {@linkcode createClickHouseTarget} takes. */
export interface ClickHouseTargetOptions extends ClickHouseOptions, SchemaOptions {}

/**
 * Connects to a ClickHouse, makes the table `events` where it is missing, and creates the target that inserts blocks.
 *
 * @example
 * ```ts
 * import { createClickHouseTarget } from "@vendor/sdk/ingest/clickhouse";
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
export async function createClickHouseTarget(options: ClickHouseTargetOptions): Promise<LoadTarget> {
  const clickHouse = await openClickHouse(options);
  try {
    await migrate(clickHouse, options);
  } catch (cause) {
    await clickHouse.close();
    throw new Error(`ClickHouse can't be used: ${describeError(cause)}`, { cause });
  }
  return createTarget(clickHouse);
}

/** Creates the target that inserts into the table of events, which is there. */
export function createTarget({ insert, close }: Pick<ClickHouse, "insert" | "close">): LoadTarget {
  const digest = createDigest();

  /** Inserts rows; those that ClickHouse doesn't take are found by halves, and the others inserted. */
  async function store(rows: readonly Row[], first = 0): Promise<readonly UnfitEvent[]> {
    if (rows.length === 0) return [];
    try {
      // Made of the rows: a block that comes again has the same token, and no other block has it.
      const token = await digest(
        rows.map(({ key_hash, id, received_at }) => `${key_hash} ${received_at} ${id}`).join("\n"),
      );
      await insert(EVENTS_TABLE, rows, token);
      return [];
    } catch (error) {
      if (!isRowFault(error)) throw error;
      if (rows.length === 1) return [{ index: first, reason: `ClickHouse: ${describeError(error)}` }];
    }
    const middle = rows.length >> 1;
    return [
      ...await store(rows.slice(0, middle), first),
      ...await store(rows.slice(middle), first + middle),
    ];
  }

  return {
    store: (block) => store(buildRows(block)),
    close,
  };
}
