/**
 * The ingest under test and the answers it may give.
 *
 * @module
 */
import { assertEquals, assertMatch } from "@std/assert";
import { createIngest, createMemorySink, type Ingest, type MemorySink } from "../../src/ingest/mod.ts";
import { KEY, NOW_MS, ORIGIN, OTHER_KEY } from "./fixtures.ts";

/** Creates an ingest with one key for one site and another for any. */
export function setUp(): { ingest: Ingest; sink: MemorySink } {
  const sink = createMemorySink();
  const keys = [{ apiKey: KEY, origins: [ORIGIN] }, { apiKey: OTHER_KEY, origins: "any" as const }];
  return { ingest: createIngest({ keys, sink, now: () => NOW_MS }), sink };
}

/** Asserts that a page of any origin can read the answer, the one that it names alone where it names one. */
export function assertReadable(answer: Response): void {
  const allowed = answer.headers.get("Access-Control-Allow-Origin");
  assertEquals(answer.headers.get("Access-Control-Allow-Credentials"), allowed === "*" ? null : "true");
  assertMatch(allowed ?? "", /^(?:\*|null|\w+:\/\/.+)$/);
  assertEquals(answer.headers.get("Access-Control-Expose-Headers"), "Retry-After");
}

/** Asserts an error of the contract with exactly this body. */
export async function assertRefused(
  answer: Response,
  status: number,
  error: { code: string; message: string },
): Promise<void> {
  assertReadable(answer);
  assertEquals(answer.status, status);
  assertEquals(answer.headers.get("Content-Type"), "application/json");
  assertEquals(await answer.json(), { error });
}

/** Asserts that the events were taken, with these counts. */
export async function assertStored(answer: Response, accepted: number, duplicates: number): Promise<void> {
  assertReadable(answer);
  assertEquals(answer.status, 202);
  assertEquals(await answer.json(), { accepted, duplicates });
}
