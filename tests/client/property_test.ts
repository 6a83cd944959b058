import { assertEquals, assertLessOrEqual } from "@std/assert";
import fc from "fast-check";
import { checkBody } from "../../src/ingest/http/read_batch.ts";
import { attempt } from "../../src/client/base/attempt.ts";
import { toJson } from "../../src/client/json.ts";
import { MAX_PROPERTIES_BYTES } from "../../src/client/base/limits.ts";
import { cook, recipes } from "../support/hostile_recipe.ts";
import { at, startVisit, type Visit } from "../support/visit.ts";

const names = fc.oneof(fc.string({ unit: "binary", maxLength: 120 }), fc.constant("a"));

Deno.test("property: whatever goes into a call, the body is valid and the next event arrives", async () => {
  await fc.assert(
    fc.asyncProperty(names, recipes, async (name, recipe) => {
      const visit = startVisit();
      const { client } = visit;
      client.step(name, cook(recipe) as object);
      client.step(cook(recipe) as string, { value: cook(recipe) });
      client.step("wrapped", { value: cook(recipe) });
      client.identify(name, cook(recipe) as object);
      client.step("identified");
      client.identify(cook(recipe) as string, { value: cook(recipe) });
      client.setConsent(cook(recipe) as "granted");
      client.step("next", { ok: true });

      const { name: last, properties } = at(await visit.accepted(), -1);
      assertEquals([last, properties], ["next", { ok: true }]);
      assertBodies(visit);
    }),
    { numRuns: 500 },
  );
});

Deno.test("property: whatever a page's URL, referrer and title are, both kinds of body are valid", async () => {
  const urls = fc.webUrl({ withQueryParameters: true, withFragments: true });
  await fc.assert(
    fc.asyncProperty(urls, urls, fc.string({ unit: "binary" }), async (url, referrer, title) => {
      for (const consent of ["pending", "granted"] as const) {
        const visit = startVisit({ trackPageviews: "auto", consent }, { url, title, referrer });
        visit.page.pushState("/another/page?of=it#now");
        assertEquals((await visit.accepted()).length, 2);
        assertBodies(visit);
      }
    }),
    { numRuns: 200 },
  );
});

Deno.test("property: the text of what JSON knows is what JSON.stringify() makes of it", () => {
  const json = fc.dictionary(fc.string({ unit: "binary" }), fc.jsonValue({ stringUnit: "binary", maxDepth: 5 }));
  fc.assert(fc.property(json, (value) => assertEquals(toJson(value), JSON.stringify(value))));
});

Deno.test("property: the text of whatever is read is a JSON object", () => {
  fc.assert(
    fc.property(recipes, (recipe) => {
      const text = attempt(() => toJson({ value: cook(recipe) })) ?? "{}";

      assertEquals(Object.prototype.toString.call(JSON.parse(text)), "[object Object]");
    }),
    { numRuns: 500 },
  );
});

/** Asserts of the bytes that left what the ingest asserts. */
function assertBodies({ page }: Visit): void {
  for (const { text } of page.requests) {
    const checked = checkBody(new TextEncoder().encode(text));
    assertEquals("status" in checked ? checked : undefined, undefined);
  }
  for (const { properties } of page.events) {
    const bytes = new TextEncoder().encode(JSON.stringify(properties) ?? "").length;
    assertLessOrEqual(bytes, MAX_PROPERTIES_BYTES);
  }
}
