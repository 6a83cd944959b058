import { toJson } from "../../src/client/json.ts";
import { at, startVisit, warningsOf } from "./visit.ts";
import { assertEquals } from "@std/assert";

/** Returns what the JSON text of a value parses to. */
export function textOf(value: unknown): unknown {
  return JSON.parse(toJson(value));
}

/** What became of an event with hostile properties. */
export interface Arrival {
  /** Properties of the event as the ingest got them; absent where it was sent without, or dropped. */
  readonly properties: unknown;
  /** Whether the event arrived. */
  readonly isThere: boolean;
  /** How many warnings came. */
  readonly warnings: number;
}

/** Records an event with the properties through the whole SDK, and proves that the next one arrives. */
export async function arrivalOf(properties: unknown): Promise<Arrival> {
  const { page, client, accepted } = startVisit();
  client.step("hostile", properties as object);
  client.step("next");
  const events = await accepted();
  client.close();
  assertEquals(at(events, -1).name, "next", "the next event is missing");
  const [event] = events;
  const isThere = event?.name === "hostile";
  return { properties: isThere ? event?.properties : undefined, isThere, warnings: warningsOf(page).length };
}
