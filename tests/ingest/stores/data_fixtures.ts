import type { StoredEvent } from "../../../src/ingest/mod.ts";
import { RECEIVED_AT } from "../fixtures.ts";
import { SITE } from "../reports/fixtures.ts";

/** What differs between two events. */
export interface Given extends Partial<StoredEvent> {
  readonly userId?: string;
  readonly anonymousId?: string;
}

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
