/**
 * Requests of every kind.
 *
 * @module
 */
import fc from "fast-check";
import { AGGREGATE, FULL, KEY, ORIGIN, URL_OF_INGEST } from "../fixtures.ts";

/** A piece of JSON that may well be one of the specification's. */
const value = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>("event", "aggregate", "$pageview", "@vendor/sdk", "2026-03-01T10:00:00Z", null, {}, [], ""),
);

const fieldName = fc.constantFrom(
  "type",
  "collection",
  "batchId",
  "sessionId",
  "identity",
  "events",
  "sentAt",
  "context",
  "__proto__",
  "constructor",
  "toString",
);

/** A valid body with some fields replaced, removed or added. */
const nearlyValid = fc.record({
  base: fc.constantFrom<object>(FULL, AGGREGATE),
  changes: fc.array(fc.tuple(fieldName, value), { maxLength: 3 }),
  eventChanges: fc.array(fc.tuple(fc.constantFrom("id", "name", "context", "identity", "properties", "x"), value), {
    maxLength: 2,
  }),
}).map(({ base, changes, eventChanges }) => {
  const entries = Object.entries(base).map(([name, old]) =>
    name === "events" ? [name, old.map((event: object) => define(event, eventChanges))] : [name, old]
  );
  return JSON.stringify(define(Object.fromEntries(entries), changes));
});

/** Bodies of every kind, from nearly valid ones to noise. */
export const body: fc.Arbitrary<string | Uint8Array<ArrayBuffer>> = fc.oneof(
  { weight: 4, arbitrary: nearlyValid },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => new Uint8Array(bytes)) },
);

const headerValue = fc.string({ unit: fc.constantFrom(..."abcAZ019 ,;=/*+-_.\"'\t~é") });

/** Headers that are mostly right. */
export const headers: fc.Arbitrary<Record<string, string>> = fc.record({
  "Content-Type": mostly("application/json"),
  "X-API-Key": mostly(KEY),
  "X-Vendor-SDK-Version": mostly("0.1.0"),
  "Origin": mostly(ORIGIN),
  "Content-Encoding": mostly(""),
});

/** Addresses that are mostly right. */
export const target: fc.Arbitrary<string> = mostlyOf(
  URL_OF_INGEST,
  fc.webUrl({ withQueryParameters: true, withFragments: true }),
);

/** Methods that are mostly right. */
export const method: fc.Arbitrary<string> = mostlyOf("POST", fc.constantFrom("PUT", "DELETE", "PATCH", "OPTIONS"));

function mostly(usual: string): fc.Arbitrary<string> {
  return mostlyOf(usual, headerValue);
}

function mostlyOf(usual: string, odd: fc.Arbitrary<string>): fc.Arbitrary<string> {
  return fc.oneof({ weight: 15, arbitrary: fc.constant(usual) }, { weight: 1, arbitrary: odd });
}

/** Sets fields as `JSON.parse` does: `__proto__` becomes an own one. */
function define(source: object, fields: readonly (readonly [string, unknown])[]): object {
  const copy = { ...source };
  for (const [name, value] of fields) {
    Object.defineProperty(copy, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return copy;
}
