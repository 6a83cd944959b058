import type { StoredEvent } from "../events/stored_event.ts";
import { readAgent } from "./agent_classes.ts";
import type { RequestSender } from "./flag_events.ts";
import type { IngestKey } from "./ingest_key.ts";

/** Classes of an event's sender. */
type Dimensions = NonNullable<StoredEvent["dimensions"]>;

/** Names of the dimensions that a key can ask for. */
export type DimensionName = NonNullable<IngestKey["dimensions"]>[number];

/** Gives events the classes of their sender that the key asks for. */
export type ClassifyEvents = (
  events: readonly StoredEvent[],
  sender: RequestSender | undefined,
) => readonly StoredEvent[];

/** The classes that each of it makes. */
const MADE: Readonly<Record<DimensionName, readonly (keyof Dimensions)[]>> = {
  browser: ["browser", "version"],
  system: ["system"],
  device: ["device"],
  country: ["country"],
};

/** All that a key can ask for. */
export const DIMENSION_NAMES: readonly DimensionName[] = Object.keys(MADE) as DimensionName[];

/** An agent is looked at so far, in UTF-16 units. */
const MAX_AGENT_UNITS = 1024;

/**
 * Codes of proxies for a country that they don't know: `XX` of several, `ZZ` of others. Codes with a digit, as `T1` for
 * Tor, are no country's.
 */
const NOWHERE: readonly string[] = ["XX", "ZZ"];

/** Creates the function that classifies the events of a key. Aggregates have no class. Nothing of a sender is remembered. */
export function createClassifyEvents(names: readonly DimensionName[] = []): ClassifyEvents {
  const wanted = new Set(names.flatMap((name) => MADE[name]));
  return (events, sender) => {
    if (wanted.size === 0 || sender === undefined) return events;
    const country = toCountry(sender.country);
    const all: Dimensions = { ...readAgent(cutAgent(sender.agent)), ...(country !== undefined && { country }) };
    const dimensions: Dimensions = Object.fromEntries(
      Object.entries(all).filter(([name]) => wanted.has(name as keyof Dimensions)),
    );
    if (Object.keys(dimensions).length === 0) return events;
    return events.map((event) => event.collection === "full" ? { ...event, dimensions } : event);
  };
}

/** Says what is wrong with the names of classes; undefined for nothing. */
export function findDimensionsProblem(names: readonly string[]): string | undefined {
  if (names.every((name) => DIMENSION_NAMES.some((one) => one === name))) return undefined;
  return `must be some of ${DIMENSION_NAMES.join(", ")}`;
}

function cutAgent(agent: string | null): string {
  return agent?.slice(0, MAX_AGENT_UNITS) ?? "";
}

function toCountry(text: string | undefined): string | undefined {
  const code = text?.trim().toUpperCase() ?? "";
  return /^[A-Z]{2}$/.test(code) && !NOWHERE.includes(code) ? code : undefined;
}
