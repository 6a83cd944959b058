import { cleanLabel } from "./event_facts.ts";

/** A property that is a text, a number, a boolean or null. */
export interface Scalar {
  /** Its name. */
  readonly key: string;
  /** Its value as JSON: `1` and `"1"` are two. */
  readonly json: string;
}

/** Properties of an event that count, from the first. */
const MAX_SCALARS = 50;

/** Longest name and longest text that is counted by, in UTF-16 units. */
const MAX_SCALAR_UNITS = 200;

/** Returns what an event's properties are counted by: those with a scalar value, of the first 50. */
export function readScalars(properties: Readonly<Record<string, unknown>> = {}): readonly Scalar[] {
  return Object.entries(properties).slice(0, MAX_SCALARS).flatMap(([key, value]) => {
    const json = toScalarJson(value);
    return json === undefined ? [] : [{ key: cut(key), json }];
  });
}

function toScalarJson(value: unknown): string | undefined {
  if (typeof value === "string") return JSON.stringify(cut(value));
  if (typeof value === "number") return Number.isFinite(value) ? JSON.stringify(value) : undefined;
  return typeof value === "boolean" || value === null ? String(value) : undefined;
}

function cut(text: string): string {
  return cleanLabel(text.slice(0, MAX_SCALAR_UNITS));
}
