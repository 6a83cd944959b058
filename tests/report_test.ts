import { assert, assertEquals } from "@std/assert";
import { createClient } from "../src/client.ts";
import { createInstance } from "../src/instance.ts";
import { createTestBrowser } from "../src/testing/mod.ts";
import { startVisit, type Visit, warningsOf } from "./support/visit.ts";

Deno.test("warnings come once per kind, whatever debug is", () => {
  const quiet = startVisit({ debug: false });
  const verbose = startVisit({ debug: true });

  for (const { client } of [quiet, verbose]) {
    client.step("");
    client.step("");
    client.identify("");
    client.identify("");
    client.setConsent("no" as "denied");
    client.setConsent("nope" as "denied");
  }

  assertEquals([warningsOf(quiet.page).length, warningsOf(verbose.page).length], [3, 3]);
  quiet.client.close();
  verbose.client.close();
});

Deno.test("every line is prefixed [Vendor]", async () => {
  const { page, client, accepted } = startVisit({ debug: true, maxBatchSize: 500, trackPageviews: true });

  client.step("");
  client.step("a", 1 as unknown as object);
  client.setConsent("pending");
  client.step("b");
  client.setConsent("denied");
  await accepted();

  assert(page.logs.length > 4);
  assertEquals(page.logs.filter(({ message }) => !message.startsWith("[Vendor] ")), []);
  client.close();
});

Deno.test("debug tells that a call was discarded for want of consent", () => {
  const { page, client } = startVisit({ debug: true, consent: "pending" });

  client.step("a");
  client.page();

  const lines = page.logs.map(({ level, message }) => [level, /step\(\)|page\(\)/.exec(message)?.[0]]);
  assertEquals(lines.slice(-2), [["debug", "step()"], ["debug", "page()"]]);
  client.close();
});

Deno.test("without debug a call discarded for want of consent is silent", () => {
  const { page, client } = startVisit({ consent: "denied" });

  client.step("a");
  client.page();
  client.identify("user-1");

  assertEquals(page.logs, []);
  client.close();
});

Deno.test("drops() counts every drop by reason", async () => {
  const visit = startVisit();

  await dropOne(visit, 400);
  await dropOne(visit, 422);
  visit.client.step("large", { text: "x".repeat(40_000) });
  visit.client.step("withdrawn");
  visit.client.setConsent("denied");

  assertEquals(visit.client.drops(), { rejected: 2, too_large: 1, consent: 1 });
  visit.client.close();
});

Deno.test("no warning ever quotes a key, a user or an event", async () => {
  const visit = startVisit({ apiKey: "pk_secret", debug: true });
  visit.client.identify("user-secret", { mail: "secret@example.org" });

  await dropOne(visit, 400);
  visit.client.step("secret".repeat(100));
  visit.client.identify("secret".repeat(1000));

  assertEquals(visit.page.logs.filter(({ message }) => message.includes("secret")), []);
  visit.client.close();
});

Deno.test("a maxBatchSize that is no number neither throws nor is capped", () => {
  const symbol = startVisit({ maxBatchSize: Symbol("s") as unknown as number });
  const text = startVisit({ maxBatchSize: "200" as unknown as number });

  assertEquals([warningsOf(symbol.page), warningsOf(text.page)], [[], []]);
  symbol.client.close();
  text.client.close();
});

/** Records an event that the ingest answers with a status. */
async function dropOne({ browser, client, accepted }: Visit, status: number): Promise<void> {
  browser.respond({ status });
  client.step("a");
  await accepted();
}

Deno.test("a page that tracks what is written to its console gets each line once, and no error", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const lines: string[] = [];
  const log = (_level: string, message: string): void => {
    lines.push(message);
    vendor.step("", { message });
    vendor.step("console", { message });
  };
  const vendor = createInstance({ ...page.environment, log });

  vendor.step("too early");
  vendor.init({ apiKey: "pk_test", debug: true });
  vendor.step("");
  await browser.advance(60_000);

  assertEquals(lines.slice(0, 2), [
    "[Vendor] step() ignored: call init() first",
    "[Vendor] step() ignored: invalid argument",
  ]);
  assertEquals(lines.length < 20, true);
  vendor.close();
});

Deno.test("a console that throws breaks nothing", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const client = createClient({ apiKey: "pk_test", debug: true, maxBatchSize: 200 }, {
    ...page.environment,
    log() {
      throw new Error("no console in tests");
    },
  });

  client.step("");
  client.step("a");
  await browser.advance(5000);

  assertEquals(page.events.map(({ name }) => name), ["a"]);
  client.close();
});

Deno.test("a page that tracks the warning of a drop loses no more than without", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond({ status: 0 });
  const vendor = createInstance({ ...page.environment, log: () => vendor.step("console") });
  vendor.init({ apiKey: "pk_test" });
  for (let i = 0; i < 30; i++) vendor.step(`${i}`);
  await browser.advance(10_000);
  for (let i = 30; i < 10_031; i++) vendor.step(`${i}`);
  browser.respond({ status: 202 });

  page.hide();
  page.show();
  await browser.advance(600_000);

  // The first 30 make way as a batch, and one for the page's own event.
  const names = new Set(page.events.map(({ name }) => name));
  assertEquals([names.size, names.has("10030"), vendor.drops()], [10_000, true, { queue_full: 32 }]);
  vendor.close();
});

Deno.test("nothing leaves with a page whose console denies consent when it hears of a drop", async () => {
  const browser = createTestBrowser();
  browser.goOffline();
  const text = "x".repeat(20_000);
  const earlier = startVisit({ apiKey: "pk_earlier", maxBatchSize: 1 }, { browser });
  for (let i = 0; i < 52; i++) earlier.client.step("fills the device", { text });
  await browser.advance(1000);
  earlier.page.crash();
  await browser.advance(60_000);
  const { page, client } = startVisit({}, { browser });
  await browser.advance(2000); // the lease of the page before is over
  const { log } = page.environment;
  page.environment.log = (level, message) => {
    log(level, message);
    client.setConsent("denied");
  };
  browser.goOnline();
  client.step("a", { text });

  page.hide();

  assertEquals(warningsOf(page), ["[Vendor] events dropped: queue_full"]);
  assertEquals([client.getConsent(), page.requests], ["denied", []]);
  client.close();
});

Deno.test("a console that denies consent when it hears of a grant has the last word", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const log = (_level: string, message: string): void => {
    if (message.includes("granted")) client.setConsent("denied");
  };
  const client = createClient({ apiKey: "pk_test", consent: "pending", debug: true }, { ...page.environment, log });

  client.setConsent("granted");
  client.step("a");
  await browser.advance(5000);

  assertEquals([client.getConsent(), [...browser.storage.keys()], page.requests], ["denied", [], []]);
  client.close();
});

Deno.test("a console that calls the SDK with every line it's told isn't told of that", () => {
  const { page, client } = startVisit({ debug: true });
  const { log } = page.environment;
  page.environment.log = (level, message) => {
    log(level, message);
    client.setConsent("granted");
    client.step("");
  };
  const before = page.logs.length;

  client.setConsent("granted");

  assertEquals(page.logs.length - before, 1);
  client.close();
});

Deno.test("what a denial costs is counted, and no warning", () => {
  const { page, client } = startVisit();
  client.step("a");

  client.setConsent("denied");

  assertEquals([warningsOf(page), client.drops()], [[], { consent: 1 }]);
  client.close();
});
