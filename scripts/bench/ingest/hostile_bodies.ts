/**
 * Bodies made to cost an ingest as much as they can: much to parse, to check, to refuse or to store.
 *
 * @module
 */
import { AGGREGATE, AGGREGATE_CONTEXT, EVENT, FULL, PAGEVIEW } from "../../../tests/ingest/fixtures.ts";

/** A body that costs much. */
export interface HostileBody {
  /** Name, for the figures. */
  readonly name: string;
  /** Builds its text, of at most so many bytes of UTF-8. */
  readonly build: (bytes: number) => string;
}

/** Makes what a body is filled with, of its place. */
type Unit = string | ((index: number) => string);

const HOLE = "HERE";

/** Room for the body around what fills it. */
const ENVELOPE_BYTES = 4000;

const EVENTS = 100;

const encoder = new TextEncoder();

/** Repeats a unit, with what separates two, as often as there is room. */
function fill(bytes: number, unit: Unit, separator = ","): string {
  if (typeof unit === "string") {
    const count = bytes / encoder.encode(unit + separator).byteLength;
    return Array(Math.max(0, Math.floor(count))).fill(unit).join(separator);
  }
  const pieces: string[] = [];
  for (let left = bytes; left > 0;) {
    const piece = unit(pieces.length);
    left -= piece.length + separator.length;
    if (left > 0) pieces.push(piece);
  }
  return pieces.join(separator);
}

/** Puts a text where a body has the hole. */
function put(body: object, text: string): string {
  return JSON.stringify(body).replace(`"${HOLE}"`, () => text);
}

/** Full and aggregate bodies with an unknown field, or with many. */
function inBoth(name: string, toText: (bytes: number) => string): readonly HostileBody[] {
  return [FULL, AGGREGATE].map((body) => ({
    name: `${name}, ${body === FULL ? "full" : "aggregate"}`,
    build: (bytes) => put({ ...body, x: HOLE }, toText(bytes - ENVELOPE_BYTES)),
  }));
}

function listOf(name: string, unit: Unit): readonly HostileBody[] {
  return inBoth(name, (bytes) => `[${fill(bytes, unit)}]`);
}

function objectOf(name: string, unit: Unit): readonly HostileBody[] {
  return inBoth(name, (bytes) => `{${fill(bytes, unit)}}`);
}

function stringOf(name: string, unit: string): readonly HostileBody[] {
  return inBoth(name, (bytes) => `"${fill(bytes, unit, "")}"`);
}

/** A batch of 100 events, each with its share of a text at the place of the hole. */
function inEvents(
  name: string,
  toText: (bytes: number, index: number) => string,
  { body = FULL, event = { ...EVENT, properties: HOLE } }: { readonly body?: object; readonly event?: object } = {},
): HostileBody {
  return {
    name: `100 events with ${name}`,
    build: (bytes) => {
      const share = bytes / EVENTS - put({ ...event }, "").length - 40;
      const events = Array.from(
        { length: EVENTS },
        (_, index) =>
          put({ ...event, id: `00000000-0000-4000-8000-${String(index).padStart(12, "0")}` }, toText(share, index)),
      );
      return put({ ...body, events: HOLE }, `[${events.join(",")}]`);
    },
  };
}

function pageviewOf(field: "pageUrl" | "referrer", toUrl: (bytes: number) => string): HostileBody["build"] {
  return (bytes) =>
    put(
      { ...AGGREGATE, events: [{ ...PAGEVIEW, context: { ...AGGREGATE_CONTEXT, [field]: HOLE } }] },
      JSON.stringify(toUrl(bytes - ENVELOPE_BYTES)),
    );
}

/** The bodies. */
export const HOSTILE_BODIES: readonly HostileBody[] = [
  ...listOf("zeros", "0"),
  ...listOf("empty strings", '""'),
  ...listOf("empty arrays", "[]"),
  ...listOf("empty objects", "{}"),
  ...listOf("arrays in arrays", "[".repeat(95) + "]".repeat(95)),
  ...listOf("objects in objects", '{"a":'.repeat(95) + "0" + "}".repeat(95)),
  ...listOf("objects of one shape", '{"a":0,"b":0}'),
  ...listOf("objects of a shape each", (index) => `{"${index.toString(36)}a":0}`),
  ...listOf("strings and spaces", `"a"${" ".repeat(60)}`),
  ...listOf("lone surrogates", '"\\ud800"'),
  ...listOf("long numbers", "1".repeat(400) + "e-300"),
  ...listOf("numbers between two", "2.2250738585072011e-308"),
  ...listOf("prototypes", '{"b":0,"__proto__":{},"a":0}'),
  ...listOf("prototypes with escapes", '{"\\u005f_proto__":0}'),
  ...objectOf("fields", (index) => `"${index.toString(36)}k":0`),
  ...objectOf("fields by number", (index) => `"${(index * 4001) % 4_294_967_294}":0`),
  ...objectOf("one field again and again", '"a":0'),
  ...objectOf("one prototype again and again", '"__proto__":0'),
  ...objectOf("names that are escaped", '"\\u0069dentitz":0'),
  ...objectOf("names with a NUL", (index) => `"\\u0000${index}":0`),
  ...stringOf("a long string", "a"),
  ...stringOf("a string of quotes", '\\"'),
  ...stringOf("a string of backslashes", "\\\\"),
  ...stringOf("a string of escapes", "\\u0000"),
  ...stringOf("a string of two bytes each", "ü"),
  ...stringOf("a string of four bytes each", "😀"),
  ...inBoth("spaces", (bytes) => `${" ".repeat(bytes)}0`),
  ...inBoth("a long number", (bytes) => "1".repeat(bytes)),
  ...inBoth("nesting without end", (bytes) => "[".repeat(bytes / 2) + "]".repeat(bytes / 2)),
  {
    name: "a hidden identity behind fields",
    build: (bytes) =>
      put(
        { ...AGGREGATE, x: HOLE },
        `{${fill(bytes - ENVELOPE_BYTES, (index) => `"${index}k":0`)}},"y":{"traits":0},"y":0`,
      ),
  },
  {
    name: "events without end",
    build: (bytes) => put({ ...FULL, events: HOLE }, `[${fill(bytes - ENVELOPE_BYTES, "{}")}]`),
  },
  { name: "JSON that breaks off", build: (bytes) => `[${fill(bytes, "0")},` },
  { name: "a URL of dot segments", build: pageviewOf("pageUrl", (bytes) => `https://a/${fill(bytes, "a/..", "/")}`) },
  {
    name: "a URL in letters of two bytes",
    build: pageviewOf("pageUrl", (bytes) => `https://a/${fill(bytes, "ü", "")}`),
  },
  { name: "a host of labels", build: pageviewOf("pageUrl", (bytes) => `https://${fill(bytes, "ü", ".")}`) },
  {
    name: "a referrer of dot segments",
    build: pageviewOf("referrer", (bytes) => `https://a/${fill(bytes, "a/..", "/")}`),
  },
  { name: "a referrer of labels", build: pageviewOf("referrer", (bytes) => `https://${fill(bytes, "ü", ".")}`) },
  inEvents("lists of zeros", (bytes) => `{"x":[${fill(bytes - 6, "0")}]}`),
  inEvents(
    "properties of names of their own",
    (bytes, event) => `{${fill(bytes, (index) => `"${event}_${index}":0`)}}`,
  ),
  inEvents("a long user id", (bytes) => JSON.stringify(fill(bytes, "ü", "")), {
    event: { ...EVENT, identity: { userId: HOLE } },
  }),
  inEvents("a URL of dot segments", (bytes) => JSON.stringify(`https://a/${fill(bytes - 12, "a/..", "/")}`), {
    event: { ...EVENT, name: "$pageview", context: { ...EVENT.context, pageUrl: HOLE } },
  }),
  inEvents(
    "an aggregate's URL each",
    (bytes) => JSON.stringify(`https://${"a.".repeat(120)}a/${fill(bytes - 260, "b/..", "/")}`),
    {
      body: AGGREGATE,
      event: { ...PAGEVIEW, context: { ...AGGREGATE_CONTEXT, pageUrl: HOLE } },
    },
  ),
];
