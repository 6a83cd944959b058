import { KEPT, type Kept } from "../../reports/sql/kept.ts";
import type { DuckDbChange } from "./duckdb.ts";

/**
 * Rows that are counted once, in memory: one a session, a visitor, a user. New events, late ones too, are counted by themselves
 * and merged into the rows that they belong to; what lost events is counted again. Sealing changes nothing, since the events stay
 * the same.
 */
export interface KeptRows {
  /** Counts events that weren't there before; `events` is what stands behind FROM. */
  add(events: string): Promise<void>;
  /** Notes whom events belong to that are about to go; returns the function that counts anew, once they have gone, what is left. */
  forget(events: string): Promise<() => Promise<void>>;
}

/** Returns the name of the table of rows. */
export function nameKept({ name }: Kept): string {
  return `kept_${name}`;
}

/** Creates tables of kept rows, empty ones. `events` is all events, with all of their columns. */
export async function createKeptRows({ run }: Pick<DuckDbChange, "run">, events: string): Promise<KeptRows> {
  for (const kept of KEPT) await run(`CREATE TABLE ${nameKept(kept)} AS ${kept.count(events)} LIMIT 0`);

  async function insert(
    kept: Kept,
    { rows, isMerged }: { readonly rows: string; readonly isMerged: boolean },
  ): Promise<void> {
    const { id } = kept;
    const table = nameKept(kept);
    await run(`CREATE OR REPLACE TEMP TABLE fresh AS ${rows}`);
    if (isMerged) {
      await run(`INSERT INTO fresh SELECT * FROM ${table} WHERE ${id} IN (SELECT ${id} FROM fresh)`);
      await run(`DELETE FROM ${table} WHERE ${id} IN (SELECT ${id} FROM fresh)`);
    }
    await run(`INSERT INTO ${table} ${kept.merge("fresh")}`);
    await run("DROP TABLE fresh");
  }

  return {
    async add(fresh) {
      for (const kept of KEPT) await insert(kept, { rows: kept.count(fresh), isMerged: true });
    },
    async forget(going) {
      for (const { name, id } of KEPT) {
        await run(`CREATE OR REPLACE TEMP TABLE gone_${name} AS SELECT DISTINCT ${id} FROM ${going} WHERE ${id} <> 0`);
      }
      return async () => {
        for (const kept of KEPT) {
          const isGone = `${kept.id} IN (SELECT ${kept.id} FROM gone_${kept.name})`;
          await run(`DELETE FROM ${nameKept(kept)} WHERE ${isGone}`);
          await insert(kept, { rows: kept.count(`(SELECT * FROM ${events} WHERE ${isGone})`), isMerged: false });
          await run(`DROP TABLE gone_${kept.name}`);
        }
      };
    },
  };
}
