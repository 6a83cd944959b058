import { cleanLabel } from "./event_facts.ts";
import type { StoredEvent } from "./stored_event.ts";

/** A value that reports count. */
export type Scalar = string | number | boolean | null;

/** How many properties of an event are looked at, and how many UTF-16 units of a key or a value. */
const [MAX_PROPERTIES, MAX_UNITS] = [50, 200] as const;

/** Reads what reports count of an event's properties: of the first 50, those with a text, a number, a boolean or null. */
export function readScalars(
  { properties = {} }: Pick<StoredEvent, "properties">,
): readonly { readonly key: string; readonly value: Scalar }[] {
  return Object.entries(properties).slice(0, MAX_PROPERTIES).flatMap(([key, value]) =>
    isScalar(value) ? [{ key: cut(key), value: typeof value === "string" ? cut(value) : value }] : []
  );
}

function isScalar(value: unknown): value is Scalar {
  return value === null || ["string", "number", "boolean"].includes(typeof value);
}

function cut(text: string): string {
  return cleanLabel(text.slice(0, MAX_UNITS));
}
