import { snapshot } from "../../src/snapshot.ts";
import { at, startVisit } from "./visit.ts";
import { assertEquals } from "@std/assert";

/** Returns what the snapshot of a value parses to. */
export function textOf(value: unknown): unknown {
  return JSON.parse(snapshot(value, 32_768).text ?? "null");
}

/** What became of an event with hostile properties. */
export interface Arrival {
  /** Properties of the event as the ingest got them; absent where it was sent without, or dropped. */
  readonly properties: unknown;
  /** Whether the event arrived. */
  readonly isThere: boolean;
  /** Warnings on the console. */
  readonly warnings: number;
  /** Milliseconds that the call took. */
  readonly tookMs: number;
}

/** Records an event with the properties through the whole SDK, and proves that the next one arrives. */
export async function arrivalOf(properties: unknown): Promise<Arrival> {
  const { page, client, accepted } = startVisit();
  const startedMs = performance.now();
  client.step("hostile", properties as object);
  const tookMs = performance.now() - startedMs;
  client.step("next");
  const events = await accepted();
  client.close();
  assertEquals(at(events, -1).name, "next", "the next event is missing");
  const [event] = events;
  const isThere = event?.name === "hostile";
  return { properties: isThere ? event?.properties : undefined, isThere, warnings: page.logs.length, tookMs };
}
