import { assertEquals, assertMatch } from "@std/assert";
import { createClient } from "../../src/client/mod.ts";
import { createInstance } from "../../src/client/instance.ts";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { startVisit, type Visit, warningsOf } from "../support/visit.ts";
import { refuse } from "../support/refuse.ts";

Deno.test("warnings come once per kind, whatever debug is", async () => {
  const visits = [startVisit({ debug: false }), startVisit({ debug: true })];

  for (const { client } of [...visits, ...visits]) {
    client.step("");
    client.identify("");
    client.setConsent("no" as "denied");
  }
  await Promise.resolve();

  assertEquals(visits.map(({ page }) => warningsOf(page).length), [3, 3]);
});

Deno.test("a warning names the argument that was left out, and says why", async () => {
  const { page, client } = startVisit();
  const unreadable = {
    get total(): number {
      throw new TypeError("the cart is empty");
    },
  };

  client.step("a", "text" as never);
  client.identify("user-1", unreadable);
  await Promise.resolve();

  assertEquals(warningsOf(page), [
    "[Vendor] properties left out: Error: no object",
    "[Vendor] traits left out: TypeError: the cart is empty",
  ]);
});

Deno.test("a warning of what an application throws comes once, whatever it says each time", async () => {
  const { page, client } = startVisit();
  const throwing = (row: number) => ({
    get total(): number {
      throw new Error(`row ${row} of jane@example.com is detached`);
    },
  });

  for (let row = 0; row < 100; row++) client.step("a", throwing(row));
  await Promise.resolve();

  assertEquals(warningsOf(page), ["[Vendor] properties left out: Error: row 0 of jane@example.com is detached"]);
});

const large = { text: "x".repeat(40_000) };
for (
  const [what, call, line] of [
    ["a step", ({ client }) => client.step("signup"), /recorded.*signup/],
    ["a page view", ({ client }) => client.page(), /recorded.*\$pageview/],
    ["a navigation", ({ page }) => page.pushState("/cart"), /recorded.*\$pageview/],
    ["a user", ({ client }) => client.identify("user-1"), /identify\(\)/],
    ["a sign-out", ({ client }) => client.reset(), /reset\(\)/],
    ["a consent", ({ client }) => client.setConsent("pending"), /setConsent\(\)/],
    ["a step without consent", ({ client }) => {
      client.setConsent("denied");
      client.step("signup");
    }, /step\(\) ignored.*denied/],
    ["a view without consent", ({ client }) => {
      client.setConsent("pending");
      client.page();
    }, /page\(\) ignored.*pending/],
    ["a step without a name, each time", ({ client }) => client.step(""), /step\(\) ignored/],
    ["a step too large, each time", ({ client }) => client.step("large", large), /step\(\) ignored.*32 KiB/],
  ] satisfies readonly [string, (visit: Visit) => void, RegExp][]
) {
  Deno.test(`debug tells what became of ${what}`, async () => {
    const visit = startVisit({ debug: true, trackPageviews: true });
    visit.client.step("");
    visit.client.step("large", large);
    await visit.browser.advance(10_000);
    const before = visit.page.logs.length;

    call(visit);
    await Promise.resolve();

    assertMatch(visit.page.logs.slice(before).map(({ message }) => message).join("\n"), line);
  });
}

Deno.test("debug tells where events go, where no endpoint was given as well", async () => {
  const logs = [undefined, "https://events.example/e"].map((endpoint) => {
    const page = createTestBrowser().open("https://shop.example/");
    createClient({ apiKey: "pk_test", debug: true, ...endpoint && { endpoint } }, page.environment);
    return page.logs;
  });
  await Promise.resolve();

  assertEquals(logs.map(([first]) => first?.message), [
    "[Vendor] endpoint: https://ingest.vendor.example/v1/events",
    "[Vendor] endpoint: https://events.example/e",
  ]);
});

Deno.test("debug tells of each request what left, the answer and the wait, by console.log", async () => {
  const { browser, page, client } = startVisit({ debug: true });
  browser.respond({ status: 503 });
  client.step("a");
  client.step("b");
  await browser.advance(5000);
  browser.respond({ status: 202 });

  await browser.advance(60_000);

  const lines = page.logs.map(({ level, message }) => `${level} ${message}`);
  for (const line of [/sent.*\b2 events/, /answered.*503/, /waiting.*\d+ ms/, /answered.*202/]) {
    assertEquals(lines.some((text) => line.test(text) && text.startsWith("log [Vendor] ")), true, `${line}`);
  }
});

Deno.test("without debug a call that consent doesn't allow is silent", async () => {
  const { page, client } = startVisit({ consent: "denied" });

  client.step("a");
  client.page();
  client.identify("user-1");
  await Promise.resolve();

  assertEquals(page.logs, []);
});

Deno.test("no line tells the key, the user or properties, and each is prefixed [Vendor]", async () => {
  const { browser, page, client } = startVisit({ apiKey: "pk_secret", debug: true, maxBatchSize: 500 });
  client.identify("user-secret", { mail: "secret@example.org" });
  client.step("a", { text: "secret" });
  client.step("secret".repeat(100));
  client.step("large", { text: "secret".repeat(10_000) });
  client.identify("secret".repeat(1000));
  client.identify("user-secret", { text: "secret".repeat(10_000) });
  browser.respond({ status: 400 });
  await client.flush();
  client.step("a", "secret" as unknown as object);
  browser.respond(refuse());
  await client.flush();

  const odd = page.logs.filter(({ message }) => message.includes("secret") || !message.startsWith("[Vendor] "));
  assertEquals([odd, page.logs.length > 10], [[], true]);
});

Deno.test("drops() counts every drop by reason, and a denial costs no warning", async () => {
  const { browser, page, client, accepted } = startVisit();
  for (const status of [400, 422]) {
    browser.respond({ status });
    client.step("a");
    await accepted();
  }
  client.step("large", large);
  await browser.settle();
  const before = warningsOf(page).length;

  client.step("withdrawn");
  client.setConsent("denied");
  await browser.settle();

  assertEquals([client.drops(), warningsOf(page).length - before], [{ rejected: 2, too_large: 1, consent: 1 }, 0]);
});

Deno.test("a page that tracks what is written to its console gets each line once, and no error", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  const lines: string[] = [];
  const log = (_level: string, message: string): void => {
    lines.push(message);
    vendor.step("", { message });
    vendor.step("console", { message });
    vendor.setConsent("granted");
  };
  const vendor = createInstance({ ...page.environment, log });

  vendor.step("too early");
  vendor.init({ apiKey: "pk_test", debug: true });
  vendor.step("");
  await browser.advance(9999); // one flush

  assertEquals(lines.slice(0, 4), [
    "[Vendor] step() ignored: call init() first",
    "[Vendor] endpoint: https://ingest.vendor.example/v1/events",
    "[Vendor] consent: granted",
    "[Vendor] init() done",
  ]);
  assertEquals(lines.length < 12, true, `${lines.length} lines`);
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
});
