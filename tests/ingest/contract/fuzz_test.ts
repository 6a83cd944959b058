import { assert, assertEquals } from "@std/assert";
import * as jsonSchema from "@cfworker/json-schema";
import fc from "fast-check";
import aggregateSchema from "../../../src/ingest/contract/generated/aggregate_pageviews.schema.json" with {
  type: "json",
};
import fullSchema from "../../../src/ingest/contract/generated/event_request.schema.json" with { type: "json" };
import { createIngest, createMemorySink, type Ingest } from "../../../src/ingest/mod.ts";
import { KEY, ORIGIN, post } from "../fixtures.ts";
import { mutatedBody, validBody } from "./schema_arbitrary.ts";

const RUNS = 300;

const full = new jsonSchema.Validator(fullSchema as jsonSchema.Schema, "2020-12");

const aggregate = new jsonSchema.Validator(aggregateSchema as jsonSchema.Schema, "2020-12");

function setUp(): { ingest: Ingest; errors: unknown[] } {
  const errors: unknown[] = [];
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: [ORIGIN] }],
    sink: createMemorySink(),
    onError: (error) => errors.push(error),
  });
  return { ingest, errors };
}

function countEvents(body: unknown): number {
  return (body as { readonly events: readonly unknown[] }).events.length;
}

/** What another implementation of JSON Schema says. */
function judge(body: unknown): boolean {
  return full.validate(body).valid || aggregate.validate(body).valid;
}

Deno.test("createIngest() takes whatever keeps the published schemas", async () => {
  const { ingest, errors } = setUp();

  await fc.assert(
    fc.asyncProperty(validBody, async (body) => {
      const answer = await ingest(post(body));
      const text = await answer.text();

      assertEquals(answer.status, 202, text);
      const { accepted, duplicates } = JSON.parse(text);
      assertEquals(accepted + duplicates, countEvents(body));
    }),
    { numRuns: RUNS },
  );

  assertEquals(errors, []);
});

Deno.test("createIngest() and the published schemas agree on bodies that are off by a little", async () => {
  const { ingest, errors } = setUp();
  const seen = new Map<number, number>();

  await fc.assert(
    fc.asyncProperty(mutatedBody, async (body) => {
      const answer = await ingest(post(body));
      const text = await answer.text();

      seen.set(answer.status, (seen.get(answer.status) ?? 0) + 1);
      // JSON Schema has no words for it that validators of every language know.
      if (!text.includes("must be well-formed text")) assertEquals(answer.status === 202, judge(body), text);
      assert([202, 400, 413].includes(answer.status), text);
    }),
    { numRuns: RUNS },
  );

  assertEquals(errors, []);
  // Bodies that all pass, or all fail, would show nothing.
  assert((seen.get(202) ?? 0) > RUNS / 20 && (seen.get(400) ?? 0) > RUNS / 20, JSON.stringify([...seen]));
});
