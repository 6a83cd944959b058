/**
 * The part of DuckDB in use, and how it is loaded: only when a report is asked for.
 *
 * @module
 */
import type * as duckdb from "@duckdb/node-api";
import { createRequire } from "node:module";
import { describeError } from "../../platform/describe_error.ts";
import { DUCKDB, MACROS } from "./duckdb_macros.ts";

/** A row of an answer: times are dates, numbers of 64 bits and more bigints. */
type Row = Readonly<Record<string, unknown>>;

/** A column that is appended to a table. */
export interface AppendedColumn {
  readonly type: "VARCHAR" | "DOUBLE" | "TIMESTAMP" | "BIGINT" | "INTEGER" | "BOOLEAN";
  /** One a row. Times are milliseconds since the Unix epoch, as bigints. */
  readonly data: ArrayLike<unknown>;
}

/** A change of the tables. */
export interface DuckDbChange {
  /** Runs a statement. */
  run(sql: string): Promise<void>;
  /** Runs a query and returns its rows. */
  select(sql: string): Promise<readonly Row[]>;
  /** Appends rows to a table. */
  append(table: string, columns: readonly AppendedColumn[]): Promise<void>;
}

/** A connection that reads. */
export interface DuckDbConnection {
  /** Runs a query and returns its rows. */
  select(sql: string): Promise<readonly Row[]>;
  /** Runs a query and returns its columns. */
  selectColumns(sql: string): Promise<readonly (readonly unknown[])[]>;
  /** Does work whose queries all see the tables as they are now. */
  atOneMoment<R>(work: () => Promise<R>): Promise<R>;
  /** Ends the query that runs: it rejects. */
  interrupt(): void;
}

/** A query that somebody else asks. */
export interface Question {
  /** One statement that reads. */
  readonly sql: string;
  /** Paths of the files that it may read; it may write none. */
  readonly files: readonly string[];
  /** Most rows of its answer. */
  readonly maxRows: number;
}

/** The answer to a {@linkcode Question}. */
export interface Answer {
  readonly columns: readonly string[];
  /** Values by row; times are dates, days texts, large numbers bigints. */
  readonly rows: readonly (readonly unknown[])[];
}

/** A DuckDB in memory. */
export interface DuckDb {
  /** Opens a connection; all end with {@linkcode DuckDb.close}. */
  connect(): Promise<DuckDbConnection>;
  /** Changes tables: queries see all of it, or nothing. One change waits for the other. */
  change(act: (change: DuckDbChange) => Promise<void>): Promise<void>;
  /** Compresses the tables, which changes leave as they are; queries go on meanwhile. */
  compress(): Promise<void>;
  /**
   * Asks what somebody else wrote. Afterwards, it can read no other files than those of the first question, and no setting can be
   * changed.
   *
   * @throws {Error} For what isn't one statement that reads, and for an answer with too many rows.
   */
  ask(question: Question): Promise<Answer>;
  /** Ends what runs, and releases what it holds. */
  close(): Promise<void>;
}

/** Options of {@linkcode openDuckDb}. */
export interface DuckDbOptions {
  /** Folder for what doesn't fit into memory; it's made when it's needed. */
  readonly temporaryFolder: string;
  /**
   * Memory that it plans with, in megabytes; the process takes more.
   *
   * @default {512}
   */
  readonly memoryMb?: number;
  /**
   * Threads that a query takes.
   *
   * @default {2}
   */
  readonly threads?: number;
  /** URL of a module beside which the package is looked for where the program of a thread can't import it. */
  readonly base?: string;
  /** Loads the package. */
  readonly load?: () => Promise<typeof duckdb>;
}

const MEMORY_MB = 512;

const THREADS = 2;

/** Rows of a chunk: DuckDB takes no more at a time. */
const CHUNK_ROWS = 2048;

/** Milliseconds for an interrupted query to end before it is interrupted again. */
const INTERRUPT_MS = 20;

const CLOSED = "DuckDB is closed";

/** Name of the database: attached, since DuckDB compresses tables in memory of no other. */
const OPEN_DATABASE = "ATTACH IF NOT EXISTS ':memory:' AS store (COMPRESS); USE store";

/**
 * Opens a DuckDB in memory.
 *
 * @throws {Error} Where the package `@duckdb/node-api` isn't installed, or the runtime may not load native code.
 */
export async function openDuckDb(options: DuckDbOptions): Promise<DuckDb> {
  const { temporaryFolder, memoryMb = MEMORY_MB, threads = THREADS, base, load = () => importDuckDb(base) } = options;
  const module = await loadDuckDb(load);
  const instance = await module.DuckDBInstance.create(":memory:", {
    threads: String(threads),
    memory_limit: `${memoryMb}MB`,
    temp_directory: temporaryFolder,
    // Nothing is fetched, and nothing written into the home.
    autoinstall_known_extensions: "false",
    autoload_known_extensions: "false",
    // It tells a file from the one that was in its place by its second and its size; the system keeps local files anyway.
    enable_external_file_cache: "false",
  });
  const connections: duckdb.DuckDBConnection[] = [];

  const running = new Set<Promise<unknown>>();
  let isClosing = false;

  /** Does what takes a connection, unless they are being closed: one that is closed while a query runs ends the process. */
  async function track<R>(work: () => Promise<R>): Promise<R> {
    if (isClosing) throw new Error(CLOSED);
    const done = work();
    running.add(done);
    try {
      return await done;
    } finally {
      running.delete(done);
    }
  }

  async function open(): Promise<duckdb.DuckDBConnection> {
    const connection = await track(() => instance.connect());
    connections.push(connection);
    await track(() => connection.run(OPEN_DATABASE));
    return connection;
  }

  const changing = await open();
  for (const macro of MACROS) await changing.run(`CREATE MACRO ${macro}`);
  const change: DuckDbChange = {
    run: async (sql) => void await track(() => changing.run(sql)),
    select: async (sql) => (await track(() => changing.runAndReadAll(sql))).getRowObjectsJS(),
    append: (table, columns) => track(() => append(module, { connection: changing, table, columns })),
  };
  let changes: Promise<unknown> = Promise.resolve();
  let isLocked = false;

  return {
    async connect() {
      const connection = await open();
      return {
        select: async (sql) => (await track(() => connection.runAndReadAll(sql))).getRowObjectsJS(),
        selectColumns: async (sql) => (await track(() => connection.runAndReadAll(sql))).getColumnsJS(),
        atOneMoment: (work) => inTransaction((sql) => track(() => connection.run(sql)), work),
        interrupt: () => connection.interrupt(),
      };
    },
    change(act) {
      const done = changes.then(() => inTransaction(change.run, () => act(change)));
      changes = done.catch(() => {}); // its caller hears of it
      return done;
    },
    compress() {
      const done = changes.then(() => change.run("CHECKPOINT store"));
      changes = done.catch(() => {}); // its caller hears of it
      return done;
    },
    async ask(question) {
      const connection = await open();
      if (!isLocked) await track(() => lock(connection, question.files));
      isLocked = true;
      return await track(() => ask(module, connection, question));
    },
    async close() {
      isClosing = true;
      // On Node, process.exit() waits for a query that runs. One that has only begun may not hear the first time.
      while (running.size > 0) {
        for (const connection of connections) connection.interrupt();
        await settle(running, INTERRUPT_MS);
      }
      await changes;
      for (const connection of connections) connection.closeSync();
      instance.closeSync();
    },
  };
}

async function inTransaction<R>(run: (sql: string) => Promise<unknown>, work: () => Promise<R>): Promise<R> {
  await run("BEGIN");
  try {
    const result = await work();
    await run("COMMIT");
    return result;
  } catch (error) {
    await run("ROLLBACK").catch(() => {}); // it has ended already
    throw error;
  }
}

/** Waits until all have settled, but no longer than a limit. */
async function settle(running: Iterable<Promise<unknown>>, limitMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const limit = new Promise((resolve) => timer = setTimeout(resolve, limitMs));
  await Promise.race([Promise.allSettled(running), limit]);
  clearTimeout(timer);
}

function toDay(date: Date): string {
  return date.toISOString().slice(0, "2026-01-31".length);
}

async function lock(connection: duckdb.DuckDBConnection, files: readonly string[]): Promise<void> {
  await connection.run(`SET allowed_paths = [${files.map(DUCKDB.quote).join(", ")}]`);
  await connection.run("SET enable_external_access = false");
  await connection.run("SET lock_configuration = true");
}

async function ask(
  { StatementType, DuckDBTypeId }: typeof duckdb,
  connection: duckdb.DuckDBConnection,
  { sql, maxRows }: Question,
): Promise<Answer> {
  // With one of ours behind it: of a text without any, the package says nothing that is understood.
  const statements = await connection.extractStatements(`${sql}\n; SELECT 1`);
  if (statements.count !== 2) throw new Error("it takes one statement");
  const statement = await statements.prepare(0);
  const reading: readonly duckdb.StatementType[] = [StatementType.SELECT, StatementType.EXPLAIN];
  if (!reading.includes(statement.statementType)) throw new Error("it takes a statement that reads, such as SELECT");
  const reader = await statement.streamAndReadUntil(maxRows + 1);
  if (reader.currentRowCount > maxRows) throw new Error(`the answer has more than ${maxRows} rows: LIMIT it`);
  const isDay = reader.columnTypes().map(({ typeId }) => typeId === DuckDBTypeId.DATE);
  const rows = reader.getRowsJS().map((row) =>
    row.map((value, index) => isDay[index] && value instanceof Date ? toDay(value) : value)
  );
  return { columns: reader.deduplicatedColumnNames(), rows };
}

async function append(
  module: typeof duckdb,
  { connection, table, columns }: {
    readonly connection: duckdb.DuckDBConnection;
    readonly table: string;
    readonly columns: readonly AppendedColumn[];
  },
): Promise<void> {
  const rows = columns[0]?.data.length ?? 0;
  const appender = await connection.createAppender(table);
  const chunk = module.DuckDBDataChunk.create(columns.map(({ type }) => module[type]));
  for (let first = 0; first < rows; first += CHUNK_ROWS) {
    const end = Math.min(first + CHUNK_ROWS, rows);
    chunk.reset();
    chunk.rowCount = end - first;
    for (const [index, { type, data }] of columns.entries()) {
      const values = Array.prototype.slice.call(data, first, end) as duckdb.DuckDBValue[];
      chunk.setColumnValues(index, type === "TIMESTAMP" ? values.map((ms) => toTimestamp(module, ms)) : values);
    }
    appender.appendDataChunk(chunk);
  }
  appender.flushSync();
  appender.closeSync();
}

function toTimestamp({ DuckDBTimestampValue }: typeof duckdb, ms: duckdb.DuckDBValue): duckdb.DuckDBValue {
  return new DuckDBTimestampValue(BigInt(Number(ms)) * 1000n);
}

/** Deno's message where native code is forbidden. Node's has the whole program: maybe with `ffi`, but no space. */
const NO_FFI = /\bffi access\b/i;

async function loadDuckDb(load: () => Promise<typeof duckdb>): Promise<typeof duckdb> {
  try {
    return await load();
  } catch (cause) {
    const message = describeError(cause);
    throw new Error(
      NO_FFI.test(message)
        ? "Reports on files need native code, which Deno loads with --allow-ffi"
        : `Reports on files need the package @duckdb/node-api, which can't be loaded: ${message}`,
      { cause },
    );
  }
}

/** Its name, as a value: Deno downloads before the start what an import names as text, and this is over 100 MB. */
const PACKAGE: string = "@duckdb/node-api";

async function importDuckDb(base?: string): Promise<typeof duckdb> {
  try {
    return await import(PACKAGE);
  } catch (error) {
    // In Node, a program that is a text has no packages.
    if (NO_FFI.test(describeError(error)) || base?.startsWith("file:") !== true) throw error;
    return createRequire(base)(PACKAGE);
  }
}
