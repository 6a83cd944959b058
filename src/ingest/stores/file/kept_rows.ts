import { KEPT, type Kept } from "../../reports/sql/kept.ts";
import type { DuckDbChange } from "./duckdb.ts";

/**
 * Rows that are counted once, in memory: one a session, a visitor, a user. New events, late ones too, are counted by themselves
 * and merged into the rows that they belong to; what lost events is counted again. Sealing changes nothing, since the events stay
 * the same. What stands behind FROM for events is given in each call.
 */
export interface KeptRows {
  /** Counts events that weren't there before. */
  add(events: string): Promise<void>;
  /** Notes whom events belong to that are about to go; returns the function that counts anew what is left, once they have gone. */
  prepareRecount(going: string): Promise<(left: string) => Promise<void>>;
  /** Forgets all. */
  clear(): Promise<void>;
}

/** Returns the name of the table of rows. */
export function nameKept({ name }: Kept): string {
  return `kept_${name}`;
}

/** Creates tables of kept rows, empty ones. `events` is what stands behind FROM for events with all of their columns. */
export async function createKeptRows({ run }: Pick<DuckDbChange, "run">, events: string): Promise<KeptRows> {
  for (const kept of KEPT) await run(`CREATE TABLE ${nameKept(kept)} AS ${kept.count(events)} LIMIT 0`);

  return {
    async add(fresh) {
      for (const kept of KEPT) {
        const { id } = kept;
        const table = nameKept(kept);
        // By their places, since of all other rows only the ID is read then.
        const found = `SELECT rowid FROM ${table} WHERE ${id} IN (SELECT ${id} FROM ${fresh})`;
        await run(`CREATE OR REPLACE TEMP TABLE stale AS SELECT * FROM ${table} WHERE rowid IN (${found})`);
        await run(`DELETE FROM ${table} WHERE ${id} IN (SELECT ${id} FROM stale)`);
        // In one statement: a table of the fresh rows alone would take memory until the transaction ends.
        await run(`INSERT INTO ${table} ${kept.merge(`(SELECT * FROM stale UNION ALL ${kept.count(fresh)})`)}`);
      }
      await run("DROP TABLE stale");
    },
    async prepareRecount(going) {
      for (const { name, id } of KEPT) {
        await run(`CREATE OR REPLACE TEMP TABLE gone_${name} AS SELECT DISTINCT ${id} FROM ${going} WHERE ${id} <> 0`);
      }
      return async (left) => {
        for (const kept of KEPT) {
          const isGone = `${kept.id} IN (SELECT ${kept.id} FROM gone_${kept.name})`;
          await run(`DELETE FROM ${nameKept(kept)} WHERE ${isGone}`);
          await run(`INSERT INTO ${nameKept(kept)} ${kept.count(`(SELECT * FROM ${left} WHERE ${isGone})`)}`);
          await run(`DROP TABLE gone_${kept.name}`);
        }
      };
    },
    async clear() {
      for (const kept of KEPT) await run(`DELETE FROM ${nameKept(kept)}`);
    },
  };
}
