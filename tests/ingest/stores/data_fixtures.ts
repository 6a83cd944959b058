import type { StoredEvent } from "../../../src/ingest/mod.ts";
import { RECEIVED_AT } from "../fixtures.ts";
import { SITE } from "../reports/fixtures.ts";

/** What differs between two events. */
export interface Given extends Partial<StoredEvent> {
  readonly userId?: string;
  readonly anonymousId?: string;
}

/** Size of a page of SQLite, and the first byte of one that has rows of a table. */
const [PAGE_BYTES, LEAF_OF_TABLE] = [4096, 13] as const;

/** Builds a stored event. */
export function anEvent(id: string, { userId, anonymousId = "a-0", ...given }: Given): StoredEvent {
  const isFull = given.collection !== "aggregate";
  return {
    id,
    name: isFull ? "signup" : "$pageview",
    collection: "full",
    timestamp: "2026-03-01T10:00:00.000Z",
    receivedAt: RECEIVED_AT,
    context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageUrl: `${SITE}/teas` },
    place: 0,
    ...(isFull && { sessionId: "s-1", identity: { userId: userId ?? null, anonymousId } }),
    ...given,
  };
}

/** Reads a database and its log, as they lie on the disk. */
export async function bytesOf(path: string): Promise<string> {
  const files = await Promise.all(
    [path, `${path}-wal`].map((file) => Deno.readFile(file).catch(() => new Uint8Array())),
  );
  return files.map((bytes) => new TextDecoder("latin1").decode(bytes)).join("\n");
}

/** Waits until something holds. */
export async function until(holds: () => Promise<boolean>, limitMs = 5000): Promise<void> {
  const endMs = performance.now() + limitMs;
  while (!await holds()) {
    if (performance.now() > endMs) throw new Error(`it didn't hold within ${limitMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/** Writes nonsense over a page of the events, at such a share of the file. */
export function damageEvents(path: string, share: number): void {
  using file = Deno.openSync(path, { read: true, write: true });
  const pages = Math.floor(file.statSync().size / PAGE_BYTES);
  const page = new Uint8Array(PAGE_BYTES);
  for (let index = Math.floor(pages * share); index < pages; index++) {
    file.seekSync(index * PAGE_BYTES, Deno.SeekMode.Start);
    file.readSync(page);
    // A leaf of a table, which has events in it as text.
    if (page[0] !== LEAF_OF_TABLE || !new TextDecoder("latin1").decode(page).includes('"receivedAt"')) continue;
    file.seekSync(index * PAGE_BYTES, Deno.SeekMode.Start);
    file.writeSync(page.fill(0xff));
    return;
  }
  throw new Error("there is no such page");
}
