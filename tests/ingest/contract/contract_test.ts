import { assert, assertEquals } from "@std/assert";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as jsonSchema from "@cfworker/json-schema";
import { validator } from "@exodus/schemasafe";
import { Ajv } from "ajv";
import aggregateSchema from "../../../src/ingest/contract/generated/aggregate_pageviews.schema.json" with {
  type: "json",
};
import fullSchema from "../../../src/ingest/contract/generated/event_request.schema.json" with { type: "json" };
import openapi from "../../../src/ingest/contract/generated/openapi.json" with { type: "json" };
import type { AggregatePageviewPayload, EventContext } from "../../../src/client/base/types.ts";
import { MALFORMED, TAKEN } from "./corpus.ts";
import { AGGREGATE, EVENT, FULL, manyEvents } from "../fixtures.ts";
import { BUSY_CODES } from "../../../src/ingest/server/http/answer_busy.ts";

type Check = (body: unknown) => boolean;

/** Faults that JSON Schema has no words for. */
const BEYOND_SCHEMAS = new Set([
  "body must be JSON",
  "body must be UTF-8",
  "body must not nest deeper than 100 levels",
  // A pattern would need Unicode properties or surrogates, of which every language has another notion.
  "events[1].id must be well-formed text",
]);

/** Of a format validators know as much as they like. */
const FORMATS = { "date-time": isDay };

/** What ajv speaks unless told otherwise: the schemas use nothing that is newer. */
const DRAFT_7 = "http://json-schema.org/draft-07/schema#";

const AJV_OPTIONS = { unicodeRegExp: false, strictTypes: false, strictNumbers: false };

/** Validators that share neither code nor dialect of regular expressions: other languages have no Unicode properties. */
const OTHER_VALIDATORS: readonly (readonly [name: string, compile: (schema: object) => Check])[] = [
  [
    "ajv without Unicode in regular expressions",
    (schema) => new Ajv({ ...AJV_OPTIONS, formats: FORMATS }).compile({ ...schema, $schema: DRAFT_7 }),
  ],
  [
    "schemasafe",
    (schema) =>
      validator(schema as Parameters<typeof validator>[0], {
        mode: "spec",
        formatAssertion: true,
        formats: FORMATS,
      }) as Check,
  ],
];

/** The part of the format that the pattern doesn't say. */
function isDay(time: string): boolean {
  return new Date(time).getUTCDate() === Number(time.slice("2026-01-".length, "2026-01-31".length));
}

function createCheck(): Check {
  const full = new jsonSchema.Validator(fullSchema as jsonSchema.Schema, "2020-12");
  const aggregate = new jsonSchema.Validator(aggregateSchema as jsonSchema.Schema, "2020-12");
  return (body) => full.validate(body).valid !== aggregate.validate(body).valid;
}

function parse(body: unknown): unknown {
  return typeof body === "string" ? JSON.parse(body) : body;
}

Deno.test("the published schemas refuse what the ingest refuses", () => {
  const isValid = createCheck();
  const bodies = MALFORMED.filter(([message]) => !BEYOND_SCHEMAS.has(message));

  const taken = bodies.filter(([, body]) => isValid(parse(body))).map(([message]) => message);

  // 1e999 is a number as far as JSON goes.
  assertEquals(taken, ["context.screenHeight must be a number"]);
  assert(bodies.length > 100);
});

Deno.test("the published schemas take what the ingest takes, in one of its two forms", () => {
  const isValid = createCheck();

  const refused = TAKEN.filter(([, body]) => !isValid(parse(body))).map(([description]) => description);

  assertEquals(refused, []);
  assert(isValid(FULL) && isValid(AGGREGATE));
  assert(isValid({ ...FULL, unknown: 1, events: [{ ...EVENT, unknown: 1 }] }));
});

for (const [name, compile] of OTHER_VALIDATORS) {
  Deno.test(`the published schemas compile in ${name}, and say the same there`, () => {
    const [full, aggregate] = [compile(fullSchema), compile(aggregateSchema)];
    const isValid = (body: unknown): boolean => full(body) || aggregate(body);
    const known = MALFORMED.filter(([message]) => !BEYOND_SCHEMAS.has(message));

    const taken = known.filter(([, body]) => isValid(parse(body))).map(([message]) => message);
    const refused = TAKEN.filter(([, body]) => !isValid(parse(body))).map(([description]) => description);

    assertEquals([taken, refused], [["context.screenHeight must be a number"], []]);
  });
}

Deno.test("the published schemas stop at 100 events", () => {
  const isValid = createCheck();

  assert(isValid({ ...FULL, events: manyEvents(100) }));
  assertEquals(isValid({ ...FULL, events: manyEvents(101) }), false);
});

Deno.test("the aggregate schema has the fields of the specification's types, and no other", () => {
  // Types alone can't tell: the schema is narrower on purpose. A field too many or too few fails the type check here.
  type Pageview = AggregatePageviewPayload["events"][number];
  const body: Record<keyof AggregatePageviewPayload, true> = {
    type: true,
    collection: true,
    batchId: true,
    events: true,
    sentAt: true,
  };
  const pageview: Record<keyof Pageview, true> = { id: true, name: true, timestamp: true, context: true };
  const context: (keyof EventContext)[] = ["sdkName", "sdkVersion", "pageUrl", "referrer"];
  const { AggregateContext, AggregatePageview } = aggregateSchema.$defs;

  assertEquals(Object.keys(aggregateSchema.properties), Object.keys(body));
  assertEquals(Object.keys(AggregatePageview.properties), Object.keys(pageview));
  assertEquals(Object.keys(AggregateContext.properties), context);
});

Deno.test("the OpenAPI document is one", async () => {
  const result = await new Validator().validate(structuredClone(openapi));

  assertEquals(result, { valid: true });
});

Deno.test("the OpenAPI document has every answer of the contract, and of the program", () => {
  const { post, options } = openapi.paths["/v1/events"];

  assertEquals(Object.keys(post.responses), [
    ...["202", "400", "401", "403", "404", "405", "408", "413", "415", "417", "429", "431", "503"],
  ]);
  assertEquals(BUSY_CODES.filter((code) => !JSON.stringify(post.responses).includes(code)), []);
  assertEquals(Object.keys(options.responses), ["204"]);
  assertEquals(Object.keys(post.responses["429"].headers).includes("Retry-After"), true);
  assertEquals(Object.keys(post.responses["503"].headers).includes("Retry-After"), true);
});
