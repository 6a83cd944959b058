import { cleanLabel } from "./place.ts";

/** A value that reports count. */
export type Scalar = string | number | boolean | null;

/** Properties of an event that count, from the first. */
const MAX_SCALARS = 50;

/** Longest name and longest text that is counted by, in UTF-16 units. */
const MAX_SCALAR_UNITS = 200;

/**
 * Returns what an event's properties are counted by: those with a scalar value, of the first 50. `1` and `"1"` are two. Of
 * long names that are the same once they are cut, the first counts.
 */
export function readScalars(properties: Readonly<Record<string, unknown>> = {}): ReadonlyMap<string, Scalar> {
  const scalars = new Map<string, Scalar>();
  for (const [name, value] of Object.entries(properties).slice(0, MAX_SCALARS)) {
    const key = cutScalar(name);
    if (isScalar(value) && !scalars.has(key)) scalars.set(key, typeof value === "string" ? cutScalar(value) : value);
  }
  return scalars;
}

/** From here on a JSON parser that has integers of 64 bits refuses the whole text. */
const LARGE = 2 ** 63;

/** Writes scalar values as the text of a JSON object that every parser takes: a large number has a fraction. */
export function writeScalars(scalars: ReadonlyMap<string, Scalar>): string {
  return `{${[...scalars].map(([key, value]) => `${JSON.stringify(key)}:${writeScalar(value)}`).join(",")}}`;
}

function writeScalar(value: Scalar): string {
  const json = JSON.stringify(value);
  return typeof value === "number" && Math.abs(value) >= LARGE && /^-?\d+$/.test(json) ? `${json}.0` : json;
}

/** Lists the texts under which engines return the value of a JSON text. */
export function listScalarForms(json: string): readonly string[] {
  const value = Number(json);
  if (!Number.isFinite(value)) return [json]; // a text, a word, or no JSON at all
  return [...new Set([json, writeScalar(value), json.replace("e+", "e")])];
}

function isScalar(value: unknown): value is Scalar {
  return typeof value === "number" ? Number.isFinite(value) : value === null || /^(string|boolean)$/.test(typeof value);
}

/** Writes a name or a text as it is counted by. */
export function cutScalar(text: string): string {
  return cleanLabel(text.slice(0, MAX_SCALAR_UNITS));
}
