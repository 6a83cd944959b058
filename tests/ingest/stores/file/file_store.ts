/**
 * A folder of events for tests: a model knows what is stored, and this writes it as a sink of files does, a few events a file, so
 * that sessions lie in several of them. Every second erasure is written down, and applied with the next change alone; every third
 * seal makes the newest file longer.
 *
 * @module
 */
import { DatabaseSync } from "node:sqlite";
import type { DataStore, EventSink, StoredEvent } from "../../../../src/ingest/mod.ts";
import { buildErasure, type Erasure } from "../../../../src/ingest/events/erasures.ts";
import { hashKey } from "../../../../src/ingest/platform/digest.ts";
import type { DataSubject } from "../../../../src/ingest/ports/data_store.ts";
import type { ReportReader } from "../../../../src/ingest/ports/reader.ts";
import { createThreadReader, type FileReaderCalls } from "../../../../src/ingest/stores/file/file_reader.ts";
import { toSealedPath } from "../../../../src/ingest/stores/file/follow_folder.ts";
import { type SealedEvent, sealEvents } from "../../../../src/ingest/stores/file/seal_events.ts";
import { prepareLayout, TAIL_NAME } from "../../../../src/ingest/stores/file/tail_schema.ts";
import { createFileReaderCalls } from "../../../../src/ingest/stores/file/worker/reader_calls.ts";
import type { Thread } from "../../../../src/ingest/threads/thread.ts";
import { createEventModel } from "../../reports/event_model.ts";

/** Events from which the tail is sealed. */
const FILE_EVENTS = 40;

/** What the tests of stores use. */
export interface FileStore {
  readonly folder: string;
  readonly sink: EventSink;
  readonly reader: ReportReader;
  readonly data: Pick<DataStore, "erase" | "prune">;
}

/** Creates the reader of a folder within the thread of the test. */
export function createReaderHere(folder: string): ReportReader {
  return createThreadReader(folder, runHere);
}

function runHere(): Thread<FileReaderCalls> {
  const calls = createFileReaderCalls();
  return {
    call: async (name, ...args) => {
      // As on its way to a thread: later, and copied.
      const copies = await Promise.resolve(structuredClone(args));
      return structuredClone(await (calls[name] as (...args: readonly unknown[]) => unknown)(...copies)) as never;
    },
    end: () => Promise.resolve(),
  };
}

/** Opens a store that holds nothing, and closes it after the test. */
export async function withFileStore(use: (store: FileStore) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const database = new DatabaseSync(`${folder}/${TAIL_NAME}`);
  prepareLayout(database, 1);
  const store = createStore(folder, database);
  const reader = createReaderHere(folder);
  try {
    await use({ folder, reader, ...store });
  } finally {
    await reader.close();
    database.close();
    await Deno.remove(folder, { recursive: true });
  }
}

interface File {
  readonly number: number;
  readonly until: number;
  readonly events: readonly SealedEvent[];
}

function createStore(folder: string, database: DatabaseSync): Pick<FileStore, "sink" | "data"> {
  const model = createEventModel();
  let files: readonly File[] = [];
  let tail: readonly SealedEvent[] = [];
  let [next, numbers, changes, seals, erasures] = [1, 0, 0, 0, 0];

  const run = (sql: string, ...values: readonly (string | number)[]): void => void database.prepare(sql).run(...values);

  async function write({ number, events }: File): Promise<void> {
    const path = toSealedPath(folder, number);
    await Deno.writeFile(`${path}.new`, await sealEvents(events));
    await Deno.rename(`${path}.new`, path);
  }

  async function seal(): Promise<void> {
    const newest = files.at(-1);
    const isLonger = seals++ % 3 === 2 && newest !== undefined;
    const rows = tail.filter(isHeld);
    const number = isLonger ? newest.number : ++numbers;
    const file = { number, until: next, events: [...(isLonger ? newest.events : []), ...rows] };
    await write(file);
    database.exec("BEGIN");
    if (isLonger) {
      run(
        "UPDATE file SET until_place = ?, events = ?, version = version + 1 WHERE number = ?",
        next,
        file.events.length,
        number,
      );
    } else {
      run(
        `INSERT INTO file (number, from_place, until_place, events, bytes, version, removals, first_received_at, last_received_at)
        SELECT ?, tail_from, ?, ?, 0, 1, 0, 0, 0 FROM store`,
        number,
        next,
        rows.length,
      );
    }
    run("UPDATE store SET tail_from = ?", next);
    database.exec("COMMIT");
    run("DELETE FROM batch WHERE place < ?", next);
    files = [...files.filter((one) => one.number !== number), file];
    tail = [];
  }

  const held = new Map<string, ReadonlySet<string>>();
  const isHeld = ({ keyHash, id }: SealedEvent): boolean => held.get(keyHash)?.has(id) === true;

  async function hold(apiKey: string): Promise<void> {
    held.set(await hashKey(apiKey), new Set(model.eventsOf(apiKey).map(({ id }) => id)));
  }

  /** Takes away what the model has no more: a file that loses events is written anew, or goes. */
  async function removeGone(): Promise<void> {
    for (const file of files) {
      const events = file.events.filter(isHeld);
      if (events.length === file.events.length) continue;
      files = files.filter((one) => one !== file);
      if (events.length === 0) {
        run("DELETE FROM file WHERE number = ?", file.number);
        await Deno.remove(toSealedPath(folder, file.number));
        continue;
      }
      await write({ ...file, events });
      run(
        "UPDATE file SET events = ?, version = version + 1, removals = removals + 1 WHERE number = ?",
        events.length,
        file.number,
      );
      files = [...files, { ...file, events }].toSorted((one, other) => one.number - other.number);
    }
    if (!tail.every(isHeld)) {
      database.exec("BEGIN");
      for (const event of tail.filter((one) => !isHeld(one))) {
        const batch = database.prepare("SELECT place, texts FROM batch WHERE place <= ? ORDER BY place DESC LIMIT 1");
        const { place, texts } = batch.get(event.seq) ?? {};
        const lines = String(texts).split("\n").with(event.seq - Number(place), "");
        run("UPDATE batch SET texts = ? WHERE place = ?", lines.join("\n"), Number(place));
      }
      run("UPDATE store SET tail_version = tail_version + 1");
      database.exec("COMMIT");
      tail = tail.filter(isHeld);
    }
    run("UPDATE erasure SET state = 'applied'");
  }

  /** Builds the records of an erasure that hasn't happened yet. */
  async function buildRecords(subject: DataSubject): Promise<readonly Erasure[]> {
    const { apiKey } = subject;
    const at = new Date().toISOString();
    if (!("userId" in subject)) return [await buildErasure({ apiKey, kind: "anonymous", id: subject.anonymousId }, at)];
    const theirs = model.eventsOf(apiKey).filter(({ identity }) => identity?.userId === subject.userId);
    const visitors = subject.withVisitors ? theirs.flatMap(({ identity }) => identity?.anonymousId ?? []) : [];
    return await Promise.all([
      buildErasure({ apiKey, kind: "user", id: subject.userId }, at),
      ...[...new Set(visitors)].map((id) => buildErasure({ apiKey, kind: "visitor", id }, at)),
    ]);
  }

  return {
    sink: {
      async store(batch) {
        const { apiKey } = batch;
        const before = model.eventsOf(apiKey).length;
        const stored = await model.sink.store(batch);
        const fresh = model.eventsOf(apiKey).slice(before);
        await hold(apiKey);
        if (fresh.length === 0) return stored;
        const keyHash = await hashKey(apiKey);
        const texts = fresh.map((event: StoredEvent) => JSON.stringify(event)).join("\n");
        run(
          "INSERT INTO batch (place, events, received_at, key_hash, texts) VALUES (?, ?, 0, ?, ?)",
          next,
          fresh.length,
          keyHash,
          texts,
        );
        tail = [...tail, ...fresh.map((event, index) => ({ ...event, keyHash, seq: next + index }))];
        next += fresh.length;
        if (tail.length >= FILE_EVENTS) await seal();
        return stored;
      },
      close: () => Promise.resolve(),
    },
    data: {
      async erase(subject) {
        const records = await buildRecords(subject);
        const erased = await model.data.erase(subject);
        await hold(subject.apiKey);
        const erasedAt = new Date().toISOString();
        for (const { key, kind, id } of records) {
          run(
            "INSERT OR REPLACE INTO erasure (key_hash, kind, id_hash, erased_at, state, change) VALUES (?, ?, ?, ?, ?, ?)",
            key,
            kind,
            id,
            erasedAt,
            "recorded",
            ++changes,
          );
        }
        if (erasures++ % 2 === 0) await removeGone();
        return erased;
      },
      async prune(options) {
        const pruned = await model.data.prune(options);
        for (const key of model.keys()) await hold(key);
        await removeGone();
        return pruned;
      },
    },
  };
}
