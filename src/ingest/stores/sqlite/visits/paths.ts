import type { DatabaseSync } from "node:sqlite";
import { createPathWriter } from "../../../events/path_rules.ts";
import { LONG_SESSION_MS } from "../../../events/visit_facts.ts";
import type { ReportQuery } from "../../../ports/reader.ts";
import { findTexts, type Select } from "./select.ts";

/** A path that may be counted, as the rules write it. */
export interface WrittenPath {
  /** Number of its text. */
  readonly id: number;
  readonly path: string;
}

/** Finds paths by how rules write them. */
export interface Paths {
  /** Whether there are rules. */
  readonly hasRules: boolean;
  /** Returns the numbers of paths that are written as one of these, as SQL has a list. */
  find(paths: readonly string[]): string;
  /** Returns the numbers of paths that are written in a way, as SQL has a list. */
  findBy(isWanted: (path: string) => boolean): string;
  /** Returns the paths that may be counted, and perhaps others. */
  read(): readonly WrittenPath[];
  /** Returns the paths of which a condition of SQL holds. */
  readSome(condition: string): readonly WrittenPath[];
}

/** Where paths are looked for. */
export interface WordsOptions {
  readonly database: DatabaseSync;
  readonly query: ReportQuery;
  readonly scope: number;
  readonly select: Select;
}

/** So few texts, of paths and other things, are all taken for paths: to find those of a span takes longer. */
const MAX_FEW_TEXTS = 10_000;

/** Creates what finds paths. */
export function createPaths({ database, query, scope, select }: WordsOptions): Paths {
  const { from, to, pathRules } = query;
  const hasRules = pathRules.patterns.length > 0 || pathRules.dropsTrailingSlash || pathRules.ignoresCase;
  const writePath = createPathWriter(pathRules);
  let known: readonly WrittenPath[] | undefined;
  let tables = 0;

  function readSome(condition: string): readonly WrittenPath[] {
    const rows = select(`SELECT id, text FROM fact_texts WHERE ${condition}`);
    return rows.map(({ id, text }) => ({ id: Number(id), path: writePath(String(text)) }));
  }

  function areTextsFew(): boolean {
    const { count } = select.one(`SELECT count(*) AS count FROM (SELECT 1 FROM fact_texts LIMIT ${MAX_FEW_TEXTS} + 1)`);
    return Number(count) <= MAX_FEW_TEXTS;
  }

  function read(): readonly WrittenPath[] {
    return known ??= readSome(
      areTextsFew() ? "true" : `id IN (
      SELECT DISTINCT path FROM facts
      WHERE scope = ${scope} AND time >= ${from - LONG_SESSION_MS} AND time < ${to + LONG_SESSION_MS}
    )`,
    );
  }

  function findBy(isWanted: (path: string) => boolean): string {
    const ids = read().filter(({ path }) => isWanted(path)).map(({ id }) => id);
    // A text of SQL may have a million bytes.
    const table = `path_ids_${tables++}`;
    database.exec(`CREATE TEMP TABLE ${table} (id INTEGER PRIMARY KEY) STRICT`);
    const insert = database.prepare(`INSERT INTO ${table} (id) VALUES (?)`);
    for (const id of ids) insert.run(id);
    return table;
  }

  return {
    hasRules,
    find: (paths) => {
      if (!hasRules) return findTexts(paths);
      const wanted = new Set(paths);
      return findBy((path) => wanted.has(path));
    },
    findBy,
    read,
    readSome,
  };
}
