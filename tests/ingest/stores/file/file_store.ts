/**
 * A store of sealed files for tests: a model knows what is stored, and this writes it into files as a store does, a few events
 * each, so that sessions lie in several of them.
 *
 * @module
 */
import type { DataStore, EventSink } from "../../../../src/ingest/mod.ts";
import { hashKey } from "../../../../src/ingest/platform/digest.ts";
import type { ReportReader } from "../../../../src/ingest/ports/reader.ts";
import { openEventFiles } from "../../../../src/ingest/stores/file/event_files.ts";
import { type SealedEvent, sealEvents } from "../../../../src/ingest/stores/file/seal_events.ts";
import { createEventModel } from "../../reports/event_model.ts";

/** Events of a file; a longer batch is one file. */
const FILE_EVENTS = 40;

/** What the tests of stores use. */
export interface FileStore {
  readonly sink: EventSink;
  readonly reader: ReportReader;
  readonly data: Pick<DataStore, "erase" | "prune">;
}

/** Opens a store that holds nothing, and closes it after the test. */
export async function withFileStore(use: (store: FileStore) => Promise<void>): Promise<void> {
  const folder = await Deno.makeTempDir();
  const events = await openEventFiles({ files: [], temporaryFolder: `${folder}/spilled` });
  const model = createEventModel();
  const keys = new Set<string>();
  const files = new Map<string, readonly SealedEvent[]>();
  let tail: readonly SealedEvent[] = [];
  let sealed = 0;

  async function list(apiKey: string): Promise<readonly SealedEvent[]> {
    const keyHash = await hashKey(apiKey);
    return model.eventsOf(apiKey).map((event) => ({ ...event, keyHash }));
  }

  async function seal(count: number): Promise<void> {
    const oldest = tail.slice(0, count);
    const path = `${folder}/${sealed++}.parquet`;
    await Deno.writeFile(path, await sealEvents(oldest));
    await events.seal(path, oldest.length);
    files.set(path, oldest);
    tail = tail.slice(count);
  }

  /** Takes away what the model has no more: a file that loses events is written anew, or goes. */
  async function removeGone(): Promise<void> {
    const left = new Set((await Promise.all([...keys].map(list))).flat().map(toName));
    const gone = [...tail, ...[...files.values()].flat()].filter((event) => !left.has(toName(event)));
    if (gone.length === 0) return;
    const named = gone.map(({ keyHash, id }) => `('${keyHash}', '${id}')`).join(", ");
    await events.remove(`(key_hash, id) IN (${named})`, async () => {
      for (const [path, held] of [...files]) {
        const rest = held.filter((event) => left.has(toName(event)));
        if (rest.length === held.length) continue;
        if (rest.length === 0) {
          await Deno.remove(path);
          files.delete(path);
          continue;
        }
        await Deno.writeFile(`${path}.part`, await sealEvents(rest));
        await Deno.rename(`${path}.part`, path);
        files.set(path, rest);
      }
      return [...files.keys()];
    });
    tail = tail.filter((event) => left.has(toName(event)));
  }

  try {
    await use({
      reader: events.reader,
      sink: {
        async store(batch) {
          const { apiKey } = batch;
          keys.add(apiKey);
          const before = model.eventsOf(apiKey).length;
          const stored = await model.sink.store(batch);
          const fresh = (await list(apiKey)).slice(before);
          if (fresh.length > 0) await events.add(fresh);
          tail = [...tail, ...fresh];
          const count = Math.max(FILE_EVENTS, fresh.length);
          if (tail.length >= count) await seal(count);
          return stored;
        },
        close: () => Promise.resolve(),
      },
      data: {
        async erase(subject) {
          const erased = await model.data.erase(subject);
          await removeGone();
          return erased;
        },
        async prune(options) {
          const pruned = await model.data.prune(options);
          await removeGone();
          return pruned;
        },
      },
    });
  } finally {
    await events.reader.close();
    await Deno.remove(folder, { recursive: true });
  }
}

function toName({ keyHash, id }: SealedEvent): string {
  return `${keyHash} ${id}`;
}
