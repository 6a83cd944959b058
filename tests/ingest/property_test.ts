import { assert, assertEquals } from "@std/assert";
import fc from "fast-check";
import { createIngest, createMemorySink, createSqliteSink } from "../../src/ingest/mod.ts";
import { AGGREGATE, FULL, KEY, ORIGIN, URL_OF_INGEST } from "./fixtures.ts";

const KEYS = [{ apiKey: KEY, origins: [ORIGIN] }];

/** Statuses of CONTRACT 27 that a sink which works can lead to. */
const STATUSES = [202, 204, 400, 401, 403, 404, 405, 413, 415];

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

const body = fc.oneof(
  { weight: 4, arbitrary: nearlyValid },
  { weight: 2, arbitrary: fc.json() },
  { weight: 1, arbitrary: fc.string({ unit: "binary" }) },
  { weight: 1, arbitrary: fc.uint8Array({ maxLength: 64 }).map((bytes) => new Uint8Array(bytes)) },
);

const headerValue = fc.string({ unit: fc.constantFrom(..."abcAZ019 ,;=/*+-_.\"'\t~é") });

const headers = fc.record({
  "Content-Type": mostly("application/json"),
  "X-API-Key": mostly(KEY),
  "X-Vendor-SDK-Version": mostly("0.1.0"),
  "Origin": mostly(ORIGIN),
  "Content-Encoding": mostly(""),
});

const target = mostlyOf(URL_OF_INGEST, fc.webUrl({ withQueryParameters: true, withFragments: true }));

const method = mostlyOf("POST", fc.constantFrom("PUT", "DELETE", "PATCH", "OPTIONS"));

Deno.test("createIngest() gives only answers of the contract, whatever is sent", async () => {
  const errors: unknown[] = [];
  const memory = createMemorySink();
  const sqlite = await createSqliteSink({ path: ":memory:" });
  const onError = (error: unknown) => errors.push(error);
  const now = () => 0;
  const ingests = [memory, sqlite].map((sink) => createIngest({ keys: KEYS, sink, now, onError }));
  const seen = new Set<number>();

  await fc.assert(
    fc.asyncProperty(body, headers, target, method, async (body, headers, target, method) => {
      const answers = await Promise.all(
        ingests.map((ingest) => ingest(new Request(target, { method, headers, body }))),
      );
      const [first, second] = await Promise.all(answers.map((answer) => answer.text()));
      const status = answers[0]?.status ?? 0;

      seen.add(status);
      assert(STATUSES.includes(status), `status ${status}`);
      assertEquals(answers.map((answer) => answer.headers.get("Access-Control-Allow-Origin")), ["*", "*"]);
      assertEquals(answers[1]?.status, status);
      assertEquals(second, first);
      assertEquals(Object.keys(status === 204 ? {} : JSON.parse(String(first))), shapeOf(status));
    }),
    { numRuns: 1500 },
  );
  const stored = await memory.events();
  const reread = await sqlite.events();
  await sqlite.close();

  assertEquals(errors, []);
  assertEquals(JSON.stringify(reread), JSON.stringify(stored));
  // A property that never got past the first check would show nothing.
  for (const status of [202, 204, 400, 401, 403, 404, 405, 415]) assert(seen.has(status), `never saw ${status}`);
});

function shapeOf(status: number): readonly string[] {
  if (status === 202) return ["accepted", "duplicates"];
  return status === 204 ? [] : ["error"];
}

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
