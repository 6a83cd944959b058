import { cleanLabel } from "./event_facts.ts";

/** Properties of an event that count, from the first. */
const MAX_SCALARS = 50;

/** Longest name and longest text that is counted by, in UTF-16 units. */
const MAX_SCALAR_UNITS = 200;

/**
 * Returns what an event's properties are counted by: those with a scalar value, of the first 50, as JSON. `1` and `"1"` are
 * two. Of long names that are the same once they are cut, the first counts.
 */
export function readScalars(properties: Readonly<Record<string, unknown>> = {}): ReadonlyMap<string, string> {
  const scalars = new Map<string, string>();
  for (const [name, value] of Object.entries(properties).slice(0, MAX_SCALARS)) {
    const [key, json] = [cut(name), toScalarJson(value)];
    if (json !== undefined && !scalars.has(key)) scalars.set(key, json);
  }
  return scalars;
}

function toScalarJson(value: unknown): string | undefined {
  if (typeof value === "string") return JSON.stringify(cut(value));
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : undefined;
  return typeof value === "boolean" || value === null ? String(value) : undefined;
}

function cut(text: string): string {
  return cleanLabel(text.slice(0, MAX_SCALAR_UNITS));
}
