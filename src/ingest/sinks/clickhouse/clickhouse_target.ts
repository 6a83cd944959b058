import { describeError } from "../../describe_error.ts";
import type { KeyedEvent, LoadTarget, UnfitEvent } from "../load_target.ts";
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
  /** Inserts rows; those that ClickHouse doesn't take are found by halves, and the others inserted. */
  async function store(rows: readonly Row[], token: string, first = 0): Promise<readonly UnfitEvent[]> {
    if (rows.length === 0) return [];
    try {
      await insert(EVENTS_TABLE, rows, token);
      return [];
    } catch (error) {
      if (!isRowFault(error)) throw error;
      if (rows.length === 1) return [{ index: first, reason: `ClickHouse: ${describeError(error)}` }];
    }
    const middle = rows.length >> 1;
    return [
      ...await store(rows.slice(0, middle), `${token}.0`, first),
      ...await store(rows.slice(middle), `${token}.1`, first + middle),
    ];
  }

  return {
    store: (block: readonly KeyedEvent[], token) => store(buildRows(block), token),
    close,
  };
}
