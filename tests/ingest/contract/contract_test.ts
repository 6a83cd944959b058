import { assert, assertEquals } from "@std/assert";
import { Validator } from "@seriousme/openapi-schema-validator";
import * as jsonSchema from "@cfworker/json-schema";
import aggregateSchema from "../../../src/ingest/contract/generated/aggregate_pageviews.schema.json" with {
  type: "json",
};
import fullSchema from "../../../src/ingest/contract/generated/event_request.schema.json" with { type: "json" };
import openapi from "../../../src/ingest/contract/generated/openapi.json" with { type: "json" };
import type { AggregatePageviewPayload, EventContext } from "../../../src/client/base/types.ts";
import { MALFORMED, TAKEN } from "./corpus.ts";
import { AGGREGATE, EVENT, FULL, manyEvents } from "../fixtures.ts";

type Check = (body: unknown) => boolean;

/** Faults that JSON Schema has no words for. */
const BEYOND_SCHEMAS = new Set([
  "body must be JSON",
  "body must be UTF-8",
  "body must not nest deeper than 100 levels",
]);

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

Deno.test("the OpenAPI document has every answer of the contract", () => {
  const { post, options } = openapi.paths["/v1/events"];

  assertEquals(Object.keys(post.responses), ["202", "400", "401", "403", "404", "405", "413", "415", "429", "503"]);
  assertEquals(Object.keys(options.responses), ["204"]);
  assertEquals(Object.keys(post.responses["429"].headers).includes("Retry-After"), true);
  assertEquals(Object.keys(post.responses["503"].headers).includes("Retry-After"), true);
});
