/**
 * Parts of the view of events: the tail, and the sealed files.
 *
 * @module
 */
import { type EventColumn, toNothing } from "../../events/columns.ts";
import { type ReadableFile, readFiles } from "./damaged_files.ts";
import { DUCKDB } from "./duckdb_macros.ts";
import type { HiddenEvents } from "./hidden_events.ts";
import { SEALED_COLUMNS } from "./seal_events.ts";
import { DUCKDB_TYPES, SEQ, TAIL } from "./tail_table.ts";

/** Contents of a view of events. */
export interface Shown {
  /** Files that can be read. */
  readonly files: readonly ReadableFile[];
  /** Place from which on events are in the tail. */
  readonly tailFrom: number;
  /** Events that are in none of it, as far as queries see. */
  readonly hidden: readonly HiddenEvents[];
}

/** Writes the query of all events, with all of their columns. */
export function selectEvents({ hidden, ...shown }: Shown): string {
  const ofFiles = shown.files.length === 0 ? "" : ` UNION ALL ${selectFiles(shown)}`;
  return `SELECT * FROM (SELECT ${listColumns([])} FROM ${TAIL}${ofFiles}) AS e WHERE ${isShown(hidden)}`;
}

/** Writes the query of the events of files; there is one at least. */
export function selectFiles({ files, tailFrom }: Pick<Shown, "files" | "tailFrom">): string {
  const newest = files.slice(-1).map((file) => `${selectAlike([file])} WHERE ${SEQ} < ${tailFrom}`);
  // The newest may have grown since: what was added to it is in the tail as well.
  return [...groupAlike(files.slice(0, -1)).map(selectAlike), ...newest].join(" UNION ALL ");
}

/** Writes the condition of an event that isn't hidden. */
export function isShown(hidden: readonly HiddenEvents[]): string {
  return hidden.length === 0 ? "true" : `NOT (${hidden.map(({ where }) => where).join(" OR ")})`;
}

/** Puts files together that lack the same columns. */
function groupAlike(files: readonly ReadableFile[]): readonly (readonly ReadableFile[])[] {
  const groups = new Map<string, ReadableFile[]>();
  for (const file of files) {
    const lacks = file.lacks.map(({ name }) => name).join();
    groups.set(lacks, [...groups.get(lacks) ?? [], file]);
  }
  return [...groups.values()];
}

/** Writes the query of files that lack the same columns. */
function selectAlike(files: readonly ReadableFile[]): string {
  return `SELECT ${listColumns(files[0]?.lacks ?? [])} FROM ${readFiles(files.map(({ path }) => path))}`;
}

function listColumns(lacks: readonly EventColumn[]): string {
  return SEALED_COLUMNS.map((column) => lacks.includes(column) ? selectNothing(column) : column.name).join(", ");
}

function selectNothing(column: EventColumn): string {
  const nothing = column.type === "time" ? "1970-01-01" : toNothing(column);
  const cell = typeof nothing === "string" ? DUCKDB.quote(nothing) : String(nothing);
  return `CAST(${cell} AS ${DUCKDB_TYPES[column.type]}) AS ${column.name}`;
}
