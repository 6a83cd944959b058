import { statSync } from "node:fs";
import { basename } from "node:path";
import type { EventColumn } from "../../events/columns.ts";
import type { DamagedFile } from "../../ports/reader.ts";
import { checkColumns } from "./check_columns.ts";
import type { DuckDbConnection } from "./duckdb.ts";
import { DUCKDB } from "./duckdb_macros.ts";
import type { SealedFile } from "./follow_folder.ts";
import { buildDamageError } from "./sealed_rows.ts";
import { DUCKDB_TYPES } from "./tail_table.ts";

/** A sealed file that can be read. */
export interface ReadableFile extends SealedFile {
  /** Columns that it lacks: its events have nothing in them. */
  readonly lacks: readonly EventColumn[];
}

/** Files that are damaged, missing, or something else than a sealed file. */
export interface DamagedFiles {
  /**
   * Returns those of the files that can be read. A new file is looked at, and a damaged one again once it has changed; undefined
   * where a file went meanwhile, so that it is to be asked anew.
   */
  leaveOut(files: readonly SealedFile[]): Promise<readonly ReadableFile[] | undefined>;
  /** Reads all files through, since something failed; returns whether one is damaged that wasn't before. */
  search(): Promise<boolean>;
  /** Returns whether a damaged file isn't what it was. */
  hasChanged(): boolean;
  /** Returns what is left out. */
  list(): readonly DamagedFile[];
}

/** A file that was looked at. */
interface Known {
  readonly version: number;
  readonly lacks: readonly EventColumn[];
  /** Absent where it can be read. */
  readonly damage?: DamagedFile & { readonly path: string; readonly state: string };
}

/** Options of {@linkcode createDamagedFiles}. */
export interface DamagedFilesOptions {
  /** Connection that looks at files. */
  readonly looking: Pick<DuckDbConnection, "select">;
  /** Returns the files as they are registered at the moment. */
  readonly listFiles: () => readonly SealedFile[];
}

/** Creates the damaged files of a folder; none is known. */
export function createDamagedFiles({ looking, listFiles }: DamagedFilesOptions): DamagedFiles {
  const known = new Map<number, Known>();

  /** Makes sure that the file is a sealed one, and returns what it lacks. Of its pages, this reads none. */
  async function checkHead({ path }: SealedFile): Promise<readonly EventColumn[]> {
    const described = await looking.select(`DESCRIBE SELECT * FROM ${readFiles([path])}`);
    const found = described.map(({ column_name: name, column_type: type }) => [String(name), String(type)] as const);
    return checkColumns(new Map(found), DUCKDB_TYPES);
  }

  async function checkAll(file: SealedFile): Promise<readonly EventColumn[]> {
    const lacks = await checkHead(file);
    await looking.select(`SELECT max(COLUMNS(*)) FROM ${readFiles([file.path])}`);
    return lacks;
  }

  function isStill({ number, version }: SealedFile): boolean {
    return listFiles().some((file) => file.number === number && file.version === version);
  }

  /** Notes whether a file can be read; returns false where it went meanwhile. */
  async function note(file: SealedFile, check: typeof checkHead): Promise<boolean> {
    const { number, version, path, events } = file;
    const state = readState(path);
    try {
      known.set(number, { version, lacks: await check(file) });
    } catch (cause) {
      // It was replaced, or dropped by age.
      if (!isStill(file)) return false;
      const { message } = buildDamageError(path, cause);
      known.set(number, { version, lacks: [], damage: { file: basename(path), events, message, path, state } });
    }
    return true;
  }

  function isOther({ path, state }: NonNullable<Known["damage"]>): boolean {
    return readState(path) !== state;
  }

  return {
    async leaveOut(files) {
      const registered = new Set(files.map(({ number }) => number));
      for (const number of known.keys()) if (!registered.has(number)) known.delete(number);
      for (const file of files) {
        const before = known.get(file.number);
        const isNew = before?.version !== file.version;
        if (!isNew && (before?.damage === undefined || !isOther(before.damage))) continue;
        // What was damaged may be so in any of its pages.
        if (!await note(file, before?.damage === undefined ? checkHead : checkAll)) return undefined;
      }
      return files.flatMap((file) => {
        const { damage, lacks = [] } = known.get(file.number) ?? {};
        return damage === undefined ? { ...file, lacks } : [];
      });
    },
    async search() {
      let isFound = false;
      for (const file of listFiles()) {
        if (known.get(file.number)?.damage !== undefined) continue;
        await note(file, checkAll);
        if (known.get(file.number)?.damage !== undefined) isFound = true;
      }
      return isFound;
    },
    hasChanged: () => [...known.values()].some(({ damage }) => damage !== undefined && isOther(damage)),
    list: () =>
      [...known.values()].flatMap(({ damage }) =>
        damage === undefined ? [] : { file: damage.file, events: damage.events, message: damage.message }
      ),
  };
}

/** Writes what stands behind FROM for the events of files. */
export function readFiles(paths: readonly string[]): string {
  return `read_parquet([${paths.map(DUCKDB.quote).join(", ")}])`;
}

/**
 * Returns what changes with a file that is put in the place of another. `cp -p` writes into it and gives it its time back, but for
 * `ctime`, of which Deno 2.9 knows the second alone.
 */
function readState(path: string): string {
  const { mtimeMs, ctimeMs, size, ino } = statSync(path, { throwIfNoEntry: false }) ?? {};
  return [mtimeMs, ctimeMs, size, ino].join(" ");
}
