import { assertEquals, assertThrows } from "@std/assert";
import { resolveConfig } from "../../src/config.ts";
import type { InitConfig } from "../../src/types.ts";
import { startVisit } from "../support/visit.ts";

Deno.test("SPEC 5 rule 1: every ingest request carries the key in the header X-API-Key, retries and hiding too", async () => {
  const { browser, client, page } = startVisit({ apiKey: "pk_live_1", trackPageviews: "auto", consent: "pending" });
  browser.respond({ status: 503 });
  await browser.advance(10_000);
  browser.respond({ status: 202 });
  await browser.advance(60_000);

  client.setConsent("granted");
  client.step("a");
  page.close();

  const keys = page.requests.map(({ headers }) => headers["X-API-Key"]);
  assertEquals([keys.length > 2, new Set(keys)], [true, new Set(["pk_live_1"])]);
});

Deno.test("SPEC 5 rule 2: the key never appears in the request body", async () => {
  const { client, page, accepted } = startVisit({ apiKey: "pk_live_1", trackPageviews: true });

  client.identify("user-1", { plan: "pro" });
  client.step("a", { ok: true });
  await accepted();

  assertEquals(page.requests.map(({ text }) => text.includes("pk_live_1")), [false]);
});

Deno.test("SPEC 5 rule 2: nor on the device", async () => {
  const { client, browser, accepted } = startVisit({ apiKey: "pk_live_1", trackPageviews: true });

  client.step("a");
  await accepted();

  assertEquals([...browser.storage].flat().filter((text) => text.includes("pk_live_1")), []);
});

Deno.test("SPEC 5 rule 3: the key is publishable, and sent as it is", async () => {
  const { client, page, accepted } = startVisit({ apiKey: "pk live/1+2=" });

  client.step("a");
  await accepted();

  assertEquals(page.requests.map(({ headers }) => headers["X-API-Key"]), ["pk live/1+2="]);
});

Deno.test("SPEC 5 rule 5: init() fails when the key is missing", () => {
  assertThrows(() => resolveConfig({} as InitConfig), Error, "Missing required configuration");
});

Deno.test("SPEC 5 rule 5: init() fails when the key is empty", () => {
  assertThrows(() => resolveConfig({ apiKey: "" }), Error, "Missing required configuration");
});
