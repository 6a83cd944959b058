/**
 * Sealed files, and the events that are in none yet, as one view of DuckDB, and the reader of the reports on it.
 *
 * @module
 */
import { STORED_COLUMNS } from "../../events/columns.ts";
import { describeError } from "../../platform/describe_error.ts";
import type { ReportReader } from "../../ports/reader.ts";
import type { Engine } from "../../reports/sql/engine.ts";
import { OWNERS, SESSIONS, VISITORS } from "../../reports/sql/kept.ts";
import { createReader } from "../../reports/sql/reader.ts";
import { type DuckDb, type DuckDbChange, type DuckDbOptions, openDuckDb } from "./duckdb.ts";
import { DUCKDB } from "./duckdb_macros.ts";
import { createKeptRows, type KeptRows, nameKept } from "./kept_rows.ts";
import type { SealedEvent } from "./seal_events.ts";
import { ADDED_AS, appendEvents, createTailTable, TAIL } from "./tail_table.ts";

/** Files that are counted at once: one by one takes twice as long, and all of them too much memory. */
const FILES_AT_ONCE = 16;

/** Name of the view of all events. */
const EVENTS = "events";

const COLUMNS = STORED_COLUMNS.map(({ name }) => name).join(", ");

/** The events of a store, as the reports read them. */
export interface EventFiles {
  /** Reads them for the reports. */
  readonly reader: ReportReader;
  /** Adds events that are new, and in no file yet. */
  add(events: readonly SealedEvent[]): Promise<void>;
  /** Hears that a file holds the oldest of the events that were in none, so many of them. */
  seal(path: string, events: number): Promise<void>;
  /**
   * Takes events away. `change` writes the files anew that hold some, and returns the paths of all files from then on.
   *
   * @param where Condition of the events.
   */
  remove(where: string, change: () => Promise<readonly string[]>): Promise<void>;
}

/** What {@linkcode openEventFiles} takes. */
export interface EventFilesOptions extends DuckDbOptions {
  /** Paths of the sealed files. */
  readonly files: readonly string[];
}

/**
 * Opens sealed files.
 *
 * @throws {Error} As `openDuckDb()` does, and for a file that is damaged, or no sealed one.
 */
export async function openEventFiles({ files, ...options }: EventFilesOptions): Promise<EventFiles> {
  const duckDb = await openDuckDb(options);
  try {
    for (const path of files) await checkFile(duckDb, path);
    let kept: KeptRows | undefined;
    await duckDb.change(async (change) => {
      await createTailTable(change);
      await defineEvents(change, files);
      kept = await createKeptRows(change, EVENTS);
    });
    if (kept === undefined) throw new Error("a change that failed rejects");
    const rows = kept;
    for (let first = 0; first < files.length; first += FILES_AT_ONCE) {
      await duckDb.change(() => rows.add(readFiles(files.slice(first, first + FILES_AT_ONCE))));
    }
    return createEventFiles(duckDb, { files, kept });
  } catch (error) {
    await duckDb.close();
    throw error;
  }
}

function createEventFiles(
  duckDb: DuckDb,
  { files: opened, kept }: { readonly files: readonly string[]; readonly kept: KeptRows },
): EventFiles {
  const { select, selectColumns, close } = duckDb;
  const engine: Engine = {
    dialect: DUCKDB,
    events: EVENTS,
    kept: { sessions: nameKept(SESSIONS), visitors: nameKept(VISITORS), owners: nameKept(OWNERS) },
    ...{ select, selectColumns, close },
  };
  let files = opened;
  let added = 0;
  return {
    reader: createReader(engine),
    add: (events) =>
      duckDb.change(async (change) => {
        await appendEvents(change, { events, first: added });
        await kept.add(`(SELECT ${COLUMNS} FROM ${TAIL} WHERE ${ADDED_AS} >= ${added})`);
        added += events.length;
      }),
    async seal(path, events) {
      await checkFile(duckDb, path);
      await duckDb.change(async (change) => {
        files = [...files, path];
        await defineEvents(change, files);
        const oldest = `SELECT ${ADDED_AS} FROM ${TAIL} ORDER BY ${ADDED_AS} LIMIT ${events}`;
        await change.run(`DELETE FROM ${TAIL} WHERE ${ADDED_AS} IN (${oldest})`);
      });
    },
    remove: (where, write) =>
      duckDb.change(async (change) => {
        const recount = await kept.forget(`(SELECT * FROM ${EVENTS} WHERE ${where})`);
        files = await write();
        await change.run(`DELETE FROM ${TAIL} WHERE ${where}`);
        await defineEvents(change, files);
        await recount();
      }),
  };
}

async function defineEvents({ run }: DuckDbChange, files: readonly string[]): Promise<void> {
  const ofFiles = files.length === 0 ? "" : ` UNION ALL SELECT ${COLUMNS} FROM ${readFiles(files)}`;
  await run(`CREATE OR REPLACE VIEW ${EVENTS} AS SELECT ${COLUMNS} FROM ${TAIL}${ofFiles}`);
}

/** Writes what stands behind FROM for the events of files. */
function readFiles(paths: readonly string[]): string {
  return `read_parquet([${paths.map(DUCKDB.quote).join(", ")}])`;
}

/**
 * Makes sure that a file can be read, and is a sealed one.
 *
 * @throws {Error} When it isn't.
 */
async function checkFile({ select }: DuckDb, path: string): Promise<void> {
  const columns = await select(`DESCRIBE SELECT * FROM ${readFiles([path])}`).catch((cause) => {
    throw new Error(`The file of events ${path} can't be read: ${describeError(cause)}`, { cause });
  });
  const names = new Set(columns.map(({ column_name: name }) => name));
  const missing = STORED_COLUMNS.filter(({ name }) => !names.has(name)).map(({ name }) => name);
  if (missing.length > 0) throw new Error(`The file ${path} is no file of events: it lacks ${missing.join(", ")}`);
}
