import { assert, assertEquals, assertThrows } from "@std/assert";
import { stub } from "@std/testing/mock";
import { Vendor } from "../../mod.ts";
import { createClient } from "../../src/client/mod.ts";
import { type CapturedPage, type CaptureOptions, captureVendor } from "../../src/testing/mod.ts";

/** Captures Vendor for a test, and lets it go afterwards: the tests of a file share it. */
function withCapture(options: CaptureOptions, run: (page: CapturedPage) => void | Promise<void>): () => Promise<void> {
  return async () => {
    const page = captureVendor(Vendor, options);
    try {
      await run(page);
    } finally {
      page.restore();
    }
  };
}

function namesOf({ events }: CapturedPage): string[] {
  return events.map(({ name }) => name);
}

Deno.test(
  "captureVendor() has a step in the task of its call, with its properties and user, and sends nothing",
  withCapture({ url: "https://shop.example/teas", title: "Teas" }, (page) => {
    Vendor.identify("user-42", { plan: "pro" });
    Vendor.step("signup", { plan: "pro" });

    const [signup, ...others] = page.steps("signup");
    assertEquals(others, []);
    assertEquals(signup?.properties, { plan: "pro" });
    assertEquals(signup?.identity?.userId, "user-42");
    assertEquals(signup?.identity?.traits, { plan: "pro" });
    assertEquals(signup?.context?.pageUrl, "https://shop.example/teas");
    assertEquals(signup?.context?.pageTitle, "Teas");
    assertEquals(page.tab.requests, []);
  }),
);

Deno.test("captureVendor() sends nothing by a look at the events, whatever the timers", async () => {
  for (const config of [{ flushInterval: 1000 }, { flushInterval: 0 }, { maxBatchSize: 1 }]) {
    await withCapture({ init: { apiKey: "pk", ...config } }, (page) => {
      Vendor.step("a");
      assertEquals(namesOf(page), ["a"]);
      assertEquals(page.tab.requests, []);
    })();
  }
  await withCapture({}, async (page) => {
    page.browser.respond({ status: 503, retryAfterMs: 1000 });
    Vendor.step("a");
    await Vendor.flush();
    assertEquals(namesOf(page), ["a"]);
    assertEquals(page.tab.requests.length, 1);
  })();
});

Deno.test(
  "captureVendor() has nothing of a page that is prerendered until it's shown",
  withCapture({ isPrerendering: true }, async (page) => {
    Vendor.step("a");
    assertEquals(namesOf(page), []);

    page.tab.activate();
    await page.browser.settle();

    assertEquals(namesOf(page), ["a"]);
  }),
);

Deno.test(
  "captureVendor() has each event once, in order, whether it was sent or not",
  withCapture({}, async (page) => {
    Vendor.step("a");
    await Vendor.flush();
    Vendor.step("b");
    void Vendor.flush();
    Vendor.step("c");
    assertEquals(namesOf(page), ["a", "b", "c"]);

    await page.browser.advance(5000);
    Vendor.step("d");

    assertEquals(namesOf(page), ["a", "b", "c", "d"]);
    assertEquals(page.tab.requests.map(({ body }) => body.events.map(({ name }) => name)), [["a"], ["b"], ["c"]]);
  }),
);

Deno.test(
  "captureVendor() keeps an event that waits for another attempt, and loses one that the ingest refused",
  withCapture({}, async (page) => {
    page.browser.respond({ status: 503 });
    Vendor.step("a");
    await Vendor.flush();
    assertEquals(namesOf(page), ["a"]);

    page.browser.respond({ status: 400 });
    await page.browser.advance(5000);
    assertEquals(namesOf(page), []);
  }),
);

Deno.test(
  "captureVendor() has a pageview and what came behind it before its title is awaited",
  withCapture({ init: { apiKey: "pk", trackPageviews: true }, title: "Shop" }, (page) => {
    page.tab.pushState("/teas");
    page.tab.setTitle("Teas");
    Vendor.step("tea_chosen");

    assertEquals(page.pageviews.map(({ context }) => [context?.pageUrl, context?.pageTitle]), [
      ["http://localhost/", "Shop"],
      ["http://localhost/teas", "Teas"],
    ]);
    assertEquals(page.steps().map(({ name }) => name), ["tea_chosen"]);
  }),
);

Deno.test(
  "captureVendor() has nothing of pending and denied consent, and nothing that a denial took back",
  withCapture({ init: { apiKey: "pk", consent: "pending" } }, (page) => {
    Vendor.step("while pending");
    assertEquals(namesOf(page), []);

    Vendor.setConsent("granted");
    Vendor.step("granted");
    assertEquals(namesOf(page), ["granted"]);

    Vendor.setConsent("denied");
    Vendor.step("denied");
    assertEquals(namesOf(page), []);
  }),
);

Deno.test(
  "captureVendor() changes nothing by a look at the events: an aggregate still becomes a full pageview",
  withCapture({ url: "http://localhost/?q=tea", init: { apiKey: "pk", trackPageviews: "auto", consent: "pending" } }, (
    page,
  ) => {
    const look = () => page.pageviews.map(({ identity, context }) => [!!identity, context?.pageUrl]);
    assertEquals(look(), [[false, "http://localhost/"]]);

    Vendor.setConsent("granted");

    assertEquals(look(), [[true, "http://localhost/?q=tea"]]);
  }),
);

Deno.test(
  "reset() starts over: no event, no user, the first visitor, time and ids, nothing stored",
  withCapture({}, async (page) => {
    const visit = () => {
      Vendor.step("a");
      return page.events;
    };
    Vendor.identify("user-42");
    Vendor.step("before");
    page.reset();
    const first = visit();
    Vendor.identify("user-42");
    await page.browser.advance(60_000);
    Vendor.setConsent("denied");

    page.reset();

    assertEquals([...page.browser.storage], []);
    assertEquals(page.events, []);
    assertEquals(visit(), first);
    assertEquals(first[0]?.identity?.userId, null);
    assertEquals(first[0]?.timestamp, "2026-01-01T00:00:00.000Z");
  }),
);

Deno.test(
  "reset() repeats the init() of the application, and forgets that of a test",
  withCapture({}, (page) => {
    Vendor.init({ apiKey: "pk_app", trackPageviews: true, consent: "pending" }); // as a module does at its import
    page.reset();
    assertEquals(Vendor.getConsent(), "pending");

    Vendor.init({ apiKey: "pk_test_of_denial", consent: "denied" });
    page.reset();

    assertEquals(Vendor.getConsent(), "pending");
    Vendor.setConsent("granted");
    assertEquals(namesOf(page), ["$pageview"]);
    void Vendor.flush();
    assertEquals(page.tab.requests[0]?.headers["X-API-Key"], "pk_app");
  }),
);

Deno.test(
  "reset() lets a flush() end that waits for an answer",
  withCapture({}, async (page) => {
    page.browser.respond("hang");
    Vendor.step("a");
    const flushed = Vendor.flush();

    page.reset();

    await flushed;
  }),
);

Deno.test(
  "captureVendor() leaves the start to the application where it's asked to, and says what was ignored",
  withCapture({ init: false }, async (page) => {
    using warn = stub(console, "warn");
    Vendor.step("too early");
    page.reset();
    Vendor.step("too early");
    await page.browser.settle();

    assertEquals(page.events, []);
    const message = "[Vendor] step() ignored: call init() first";
    assertEquals(page.tab.logs, [{ level: "warn", message }]);
    assertEquals(warn.calls.map(({ args }) => args), [[message], [message]]);
    Vendor.init({ apiKey: "pk" });
    Vendor.step("a");
    assertEquals(namesOf(page), ["a"]);
  }),
);

Deno.test("captureVendor() leaves everything as it is where the configuration is wrong", () => {
  const page = captureVendor(Vendor);

  assertThrows(() => captureVendor(Vendor, { init: { apiKey: "" } }), Error);
  assertThrows(() => Vendor.init({ apiKey: "" }), Error);
  Vendor.step("a");
  page.reset();
  Vendor.step("b");

  assertEquals(namesOf(page), ["b"]);
  page.restore();
});

Deno.test("captureVendor() ends what ran before unsent, a capture too", async () => {
  const before = captureVendor(Vendor, { init: { apiKey: "pk", trackPageviews: true } });
  const { tab, browser } = before;
  Vendor.step("unsent");

  const page = captureVendor(Vendor);
  Vendor.step("a");
  await browser.advance(60_000);

  assertEquals(tab.requests, []);
  assertEquals([...browser.storage], []);
  assertEquals(namesOf(page), ["a"]);
  page.restore();
});

Deno.test("restore() leaves Vendor as after its import", () => {
  const page = captureVendor(Vendor);
  assertEquals(Vendor.getConsent(), "granted");

  page.restore();
  Vendor.init({ apiKey: "pk" });

  Vendor.step("nowhere");
  assertEquals(Vendor.getConsent(), "pending"); // there is no document here
  assertEquals(page.events, []);
});

Deno.test("captureVendor() says what it takes", () => {
  const client = createClient({ apiKey: "pk" });
  const scriptTag = Object.assign({ init() {} }, client);
  const mock = { init() {} };

  assertThrows(() => captureVendor(scriptTag), TypeError, "script tag's Vendor can't be captured");
  assertThrows(() => captureVendor(mock), TypeError, "a mock");
  assertThrows(() => captureVendor(undefined as never), TypeError, "captureVendor() takes the Vendor of @vendor/sdk");
});

Deno.test("captureVendor() has types for an application's own steps", () => {
  type Steps = { signup: { plan: "free" | "pro" }; search: { query?: string }; logout: undefined };
  const page = captureVendor<Steps>(Vendor);
  Vendor.step("signup", { plan: "pro" });
  Vendor.step("logout");

  const plan: "free" | "pro" | undefined = page.steps("signup")[0]?.properties.plan;
  const query: string | undefined = page.steps("search")[0]?.properties?.query;
  const none: undefined = page.steps("logout")[0]?.properties;
  // @ts-expect-error: no step of this name
  assertEquals(page.steps("signip"), []);
  // @ts-expect-error: no property of this name
  assertEquals(page.steps("signup")[0]?.properties.coupon, undefined);
  for (const step of page.steps()) if (step.name === "signup") assert(step.properties.plan);

  assertEquals([plan, query, none], ["pro", undefined, undefined]);
  page.restore();
});
