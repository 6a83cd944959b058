import { assert, assertEquals } from "@std/assert";
import { createClient, type PageEnvironment } from "../../src/client/mod.ts";
import { resolveConfig } from "../../src/client/config.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import type { InitConfig } from "../../src/client/base/types.ts";
import { namesOf, startVisit, warningsOf } from "../support/visit.ts";

const API_KEY = "pk_live_123";

Deno.test("SPEC 2.1 debug: default is false, nothing but warnings is written", async () => {
  const { accepted, page, client } = startVisit();

  client.step("a");
  client.setConsent("pending");
  await accepted();

  assertEquals(page.logs, []);
});

Deno.test("SPEC 2.1 debug: true writes lifecycle messages prefixed [Vendor]", async () => {
  const { accepted, page, client } = startVisit({ debug: true });

  client.step("a");
  client.setConsent("pending");
  await accepted();

  const messages = page.logs.flatMap(({ level, message }) => level === "log" ? [message] : []);
  assert(messages.length > 0);
  assertEquals(messages.filter((message) => !message.startsWith("[Vendor] ")), []);
});

Deno.test("SPEC 2.1: an option that isn't there is one warning that names it, and nothing else changes", async () => {
  const { page, client, accepted } = startVisit({ trackpageviews: true, debug: undefined } as object);

  client.step("a");
  await accepted();

  assertEquals(warningsOf(page), ["[Vendor] init() has no option trackpageviews"]);
  assertEquals(namesOf(page.events), ["a"]);
});

Deno.test("SPEC 2.1 and 8 flushInterval: default is 5000 ms", async () => {
  const { browser, page, client } = startVisit();

  client.step("a");
  await browser.advance(4999);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, page.requests.length], [0, 1]);
});

for (const flushInterval of [-1.5, 0, 86_400_000, NaN]) {
  Deno.test(`SPEC 2.1 and 8 flushInterval: ${flushInterval} is used as given`, () => {
    const delays: number[] = [];
    const { environment } = createTestBrowser().open("https://shop.example/");
    const setTimer: PageEnvironment["setTimer"] = (callback, delayMs) => {
      delays.push(delayMs);
      return environment.setTimer(callback, delayMs);
    };
    const client = createClient({ apiKey: API_KEY, flushInterval }, { ...environment, setTimer });

    client.step("a");

    assertEquals(delays.includes(flushInterval), true);
  });
}

Deno.test("SPEC 2.1 and 8 maxBatchSize: default is 50 events per request", async () => {
  const { accepted, page, client } = startVisit();

  for (let i = 0; i < 51; i++) client.step("a");
  await accepted();

  assertEquals(page.requests.map(({ body }) => body.events.length), [50, 1]);
});

Deno.test("SPEC 2.1 maxBatchSize: the configured value is not mutated", () => {
  const config: InitConfig = Object.freeze({ apiKey: API_KEY, maxBatchSize: 1000.5 });

  const { maxBatchSize } = resolveConfig(config);

  assertEquals([maxBatchSize, config.maxBatchSize], [1000.5, 1000.5]);
});

Deno.test("SPEC 2.1 trackPageviews: default is false", async () => {
  const { page, accepted } = startVisit();

  page.pushState("/cart");

  assertEquals(await accepted(), []);
});

Deno.test("SPEC 2.1 consent: the SDK does not store it, the application passes it on every load", async () => {
  const first = startVisit({ consent: "granted" });
  first.client.step("a");
  await first.browser.settle();
  first.client.setConsent("pending");
  first.page.close();

  const second = startVisit({}, { browser: first.browser });

  assertEquals(second.client.getConsent(), "granted");
  const stored = [...first.browser.storage].flat().join(" ");
  assertEquals(["pending", "granted", "denied"].filter((state) => stored.includes(state)), []);
});
