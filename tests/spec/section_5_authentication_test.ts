import { assertEquals } from "@std/assert";
import { startVisit } from "../support/visit.ts";

Deno.test("SPEC 2.1 and 5 rule 1: every ingest request carries the key in the header X-API-Key, retries and hiding too", async () => {
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

Deno.test("SPEC 2.1 and 5 rule 2: the key appears in no request body, and not on the device", async () => {
  const { browser, page, client, accepted } = startVisit({
    trackPageviews: "auto",
    consent: "pending",
    apiKey: "pk_1",
  });

  await accepted();
  client.setConsent("granted");
  client.identify("user-1", { plan: "pro" });
  client.step("a", { ok: true });
  await accepted();

  const texts = [...page.requests.map(({ text }) => text), ...[...browser.storage].flat()];
  assertEquals([page.requests.length, texts.filter((text) => text.includes("pk_1"))], [2, []]);
});

Deno.test("SPEC 5 rule 3: the key is publishable, and sent as it is", async () => {
  const { client, page, accepted } = startVisit({ apiKey: "pk live/1+2=" });

  client.step("a");
  await accepted();

  assertEquals(page.requests.map(({ headers }) => headers["X-API-Key"]), ["pk live/1+2="]);
});
