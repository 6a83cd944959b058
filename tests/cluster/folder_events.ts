/**
 * What a folder of events holds, read past the program that wrote it.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { parquetReadObjects } from "hyparquet";
import { DatabaseSync } from "node:sqlite";
import { createFileSink, type StoredEvent } from "../../src/ingest/mod.ts";
import { DECODERS } from "../../src/ingest/stores/file/parquet_codec.ts";
import { batchOf } from "../ingest/stores/sink_contract.ts";
import { until } from "./traffic.ts";

/** A stored event, as far as tests look at it. */
export interface FolderEvent {
  readonly id: string;
  readonly userId: string | null;
}

const SEALED_NAME = /^\d{8}\.parquet$/;

/** Events that are stored at a time. */
const BATCH_EVENTS = 5000;

/** Reads each event of a folder, of the files that are registered and of the tail, at one moment. */
export async function readFolder(folder: string): Promise<readonly FolderEvent[]> {
  const { files, texts } = readTail(folder);
  const rows = await Promise.all(files.map(async ({ name, until }) => {
    const inFile = await readFile(`${folder}/${name}`);
    // What is behind that is in the tail: whoever let the file grow was killed before that was registered.
    return inFile.filter(({ seq }) => Number(seq) < until);
  }));
  const sealed = rows.flat().map(({ id, user_id }) => ({ id: String(id), userId: user_id as string | null }));
  const waiting = texts.map((text) => JSON.parse(text)).map(({ id, identity }) => ({
    id: String(id),
    userId: identity?.userId ?? null,
  }));
  return [...sealed, ...waiting];
}

/** Reads the ids of a folder's events. */
export async function readIds(folder: string): Promise<readonly string[]> {
  return (await readFolder(folder)).map(({ id }) => id);
}

/** Returns all that a folder has of people as one text: files are compressed, so their rows stand for them. */
export async function readTexts(folder: string): Promise<string> {
  const parts: string[] = [];
  for (const { name } of Deno.readDirSync(folder)) {
    const path = `${folder}/${name}`;
    if (name.endsWith(".parquet")) parts.push(...(await readFile(path)).map((row) => Object.values(row).join("\n")));
    else parts.push(new TextDecoder("latin1").decode(await Deno.readFile(path)));
  }
  return parts.join("\n");
}

/** Returns the names of the sealed files. */
export function listSealed(folder: string): readonly string[] {
  return [...Deno.readDirSync(folder)].map(({ name }) => name).filter((name) => SEALED_NAME.test(name)).toSorted();
}

/** Makes a folder with events in a file, and with others in its tail. */
export async function fillFolder(
  path: string,
  { sealed, waiting = [] }: { readonly sealed: readonly StoredEvent[]; readonly waiting?: readonly StoredEvent[] },
): Promise<void> {
  const sink = await createFileSink({ path });
  const store = async (events: readonly StoredEvent[]): Promise<void> => {
    for (let first = 0; first < events.length; first += BATCH_EVENTS) {
      await sink.store(batchOf(events.slice(first, first + BATCH_EVENTS)));
    }
  };
  await store(sealed);
  // They arrived on an earlier day, or are enough for files.
  await until("they are sealed", () => readTail(path).texts.length === 0);
  await store(waiting);
  await sink.close();
}

interface Tail {
  /** Names of the files that are registered, and the place behind the last event of each. */
  readonly files: readonly { readonly name: string; readonly until: number }[];
  /** Events that are in no file. */
  readonly texts: readonly string[];
}

function readTail(folder: string): Tail {
  using database = new DatabaseSync(`${folder}/tail.db`, { readOnly: true });
  database.exec("BEGIN");
  assertEquals({ ...database.prepare("PRAGMA quick_check").get() }, { quick_check: "ok" });
  const files = database.prepare("SELECT number, until_place AS until FROM file ORDER BY number").all();
  const batches = database
    .prepare("SELECT texts FROM batch WHERE place >= (SELECT tail_from FROM store) ORDER BY place").all();
  return {
    files: files.map(({ number, until }) => ({
      name: `${String(number).padStart(8, "0")}.parquet`,
      until: Number(until),
    })),
    // An empty line is of an event that went.
    texts: batches.flatMap(({ texts }) => String(texts).split("\n")).filter((text) => text !== ""),
  };
}

async function readFile(path: string): Promise<readonly Record<string, unknown>[]> {
  const { buffer } = await Deno.readFile(path);
  return await parquetReadObjects({ file: buffer, compressors: DECODERS });
}
