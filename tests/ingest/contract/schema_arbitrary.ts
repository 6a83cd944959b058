/**
 * Bodies made up from the published schemas, and bodies that are off by a little.
 *
 * @module
 */
import fc from "fast-check";
import aggregateSchema from "../../../src/ingest/contract/generated/aggregate_pageviews.schema.json" with {
  type: "json",
};
import fullSchema from "../../../src/ingest/contract/generated/event_request.schema.json" with { type: "json" };

/** The part of JSON Schema that the published ones use. */
interface Schema {
  readonly $ref?: string;
  readonly $defs?: Readonly<Record<string, Schema>>;
  readonly type?: string;
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema | boolean>>;
  readonly required?: readonly string[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly minLength?: number;
  readonly maxLength?: number;
  readonly pattern?: string;
  readonly format?: string;
}

/** One change to a body: at some place, something else. */
interface Mutation {
  readonly place: number;
  readonly kind: "replace" | "remove" | "rename" | "repeat";
  readonly value: unknown;
}

const PAGE_URLS = [
  "https://shop.example",
  "https://shop.example/",
  "http://localhost:3000/a%20b/ü",
  "tauri://localhost/x",
];

const REFERRERS = ["https://search.example", "http://127.0.0.1:8080", "https://xn--bcher-kva.example"];

/** Values that stand where another one should. */
const STRANGE = fc.oneof(
  fc.jsonValue(),
  fc.constantFrom<unknown>(null, "", 0, -1, 1e308, [], {}, true, "2026-02-30T00:00:00Z", "aggregate", "\ud800", "a\0b"),
  fc.constantFrom("identity", "sessionId", "userId", "traits").map((name) => ({ [name]: 1 })),
  fc.constantFrom("x", "😀").map((unit) => unit.repeat(101)),
);

function arbitraryOf(schema: Schema, root: Schema): fc.Arbitrary<unknown> {
  if (schema.$ref !== undefined) return arbitraryOf(root.$defs?.[schema.$ref.replace("#/$defs/", "")] ?? {}, root);
  if ("const" in schema) return fc.constant(schema.const);
  if (schema.enum !== undefined) return fc.constantFrom(...schema.enum);
  if (schema.anyOf !== undefined) return fc.oneof(...schema.anyOf.map((option) => arbitraryOf(option, root)));
  if (schema.type === "null") return fc.constant(null);
  if (schema.type === "number") return fc.double({ noNaN: true, noDefaultInfinity: true });
  if (schema.type === "string") return textOf(schema);
  if (schema.type === "array") return fc.array(arbitraryOf(schema.items ?? {}, root), { maxLength: 6 });
  if (schema.properties === undefined) return fc.dictionary(fc.string(), fc.jsonValue(), { maxKeys: 4 });
  const fields: Record<string, fc.Arbitrary<unknown>> = Object.fromEntries(
    Object.entries(schema.properties).map(([name, field]) => [name, arbitraryOf(Object(field), root)]),
  );
  return fc.record(fields, { requiredKeys: [...schema.required ?? []] });
}

function textOf({ format, pattern = "", minLength = 0, maxLength = 300 }: Schema): fc.Arbitrary<string> {
  if (format === "date-time") {
    const [min, max] = [new Date("0001-01-01T00:00:00Z"), new Date("9999-12-31T23:59:59Z")];
    return fc.date({ min, max, noInvalidDate: true }).map((date) => date.toISOString());
  }
  if (pattern.startsWith("^[a-z]") && pattern.endsWith("(/[^\\x00-\\x1f?#]*)?$")) return fc.constantFrom(...PAGE_URLS);
  if (pattern.startsWith("^[a-z]")) return fc.constantFrom(...REFERRERS);
  if (pattern.startsWith("^[0-9A-Fa-f]{8}")) return fc.uuid();
  if (pattern.startsWith("^[0-9]")) return fc.constantFrom("0.1.0", "12.0.0-rc.1+build-7");
  // By code point, as JSON Schema counts.
  return fc.string({ unit: "binary", minLength, maxLength: Math.min(maxLength, 40) });
}

/** Bodies that keep every rule. */
export const validBody: fc.Arbitrary<unknown> = fc.oneof(
  arbitraryOf(fullSchema as Schema, fullSchema as Schema),
  arbitraryOf(aggregateSchema as Schema, aggregateSchema as Schema),
);

const mutation: fc.Arbitrary<Mutation> = fc.record({
  place: fc.nat(),
  kind: fc.constantFrom("replace", "remove", "rename", "repeat"),
  value: STRANGE,
});

/** Bodies that were changed in a place or two, which may or may not matter. */
export const mutatedBody: fc.Arbitrary<unknown> = fc
  .tuple(validBody, fc.array(mutation, { minLength: 1, maxLength: 3 }))
  .map(([body, mutations]) => mutations.reduce(mutate, structuredClone(body)));

function mutate(body: unknown, { place, kind, value }: Mutation): unknown {
  const places = listPlaces(body);
  const at = places[place % Math.max(1, places.length)];
  if (at === undefined) return body;
  const { parent, name } = at;
  const old = Reflect.get(parent, name);
  if (kind === "replace") define(parent, name, value);
  if (kind === "remove") Reflect.deleteProperty(parent, name);
  if (kind === "rename") define(parent, `${name}_`, old);
  if (kind === "repeat") define(parent, name, Array.from({ length: 101 }, () => old));
  return JSON.parse(JSON.stringify(body));
}

function listPlaces(value: unknown): readonly { readonly parent: object; readonly name: string }[] {
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([name, item]) => [{ parent: value, name }, ...listPlaces(item)]);
}

// Assigned, `__proto__` would be a prototype instead of a field.
function define(parent: object, name: string, value: unknown): void {
  Object.defineProperty(parent, name, { value, enumerable: true, configurable: true, writable: true });
}
