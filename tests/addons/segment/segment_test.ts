import { assertEquals } from "@std/assert";
import { createClient } from "../../../src/client/mod.ts";
import { type Analytics, createAnalytics } from "../../../src/addons/segment/segment.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import type { StepEvent } from "../../../mod.ts";

interface Stage {
  readonly analytics: Analytics;
  readonly client: ReturnType<typeof createClient>;
  /** What `console.warn` was told. */
  readonly warnings: readonly string[];
  /** Lets everything leave, and returns what did. */
  events(): Promise<readonly StepEvent[]>;
}

async function withAnalytics(run: (stage: Stage) => Promise<void>): Promise<void> {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas");
  const client = createClient({ apiKey: "pk_test" }, page.environment);
  const warnings: string[] = [];
  const { warn } = console;
  console.warn = (message) => warnings.push(message);
  try {
    await run({
      analytics: createAnalytics(client),
      client,
      warnings,
      async events() {
        await browser.advance(5000);
        return page.events;
      },
    });
  } finally {
    console.warn = warn;
  }
}

Deno.test("track() takes the forms that analytics.js takes, and calls back each time", () =>
  withAnalytics(async ({ analytics, events }) => {
    let calls = 0;
    const callback = (): void => void calls++;

    await analytics.track("plain");
    await analytics.track("with properties", { plan: "pro" });
    await analytics.track("with options", { plan: "pro" }, { integrations: { All: false } }, callback);
    await analytics.track("without options", { plan: "pro" }, callback);
    await analytics.track("without properties", callback);
    await analytics.track("null", null, null, null);
    await analytics.track({ event: "object", properties: { plan: "pro" } }, { timestamp: new Date(0) }, callback);
    await analytics.track({ event: "bare object" }, callback);

    const pro = { plan: "pro" };
    assertEquals((await events()).map(({ name, properties }) => [name, properties]), [
      ["plain", undefined],
      ["with properties", pro],
      ["with options", pro],
      ["without options", pro],
      ["without properties", undefined],
      ["null", undefined],
      ["object", pro],
      ["bare object", undefined],
    ]);
    assertEquals(calls, 5);
  }));

Deno.test("identify() takes the forms that analytics.js takes, and traits of one user add up", () =>
  withAnalytics(async ({ analytics, events, warnings }) => {
    let calls = 0;
    const callback = (): void => void calls++;
    const identifyThenStep = async (...args: Parameters<Analytics["identify"]>): Promise<void> => {
      await analytics.identify(...args);
      await analytics.track("step");
    };

    await identifyThenStep({ source: "ad" });
    await identifyThenStep(42, { plan: "free" }, {}, callback);
    await identifyThenStep({ plan: "pro" }, callback);
    await identifyThenStep(null, { seats: 3 }, callback);
    await identifyThenStep("42", callback);
    await identifyThenStep("43", { plan: "free" });
    analytics.reset();
    await identifyThenStep("44");

    const identities = (await events()).map(({ identity }) => [identity?.userId, identity?.traits]);
    assertEquals(identities, [
      [null, undefined],
      ["42", { source: "ad", plan: "free" }],
      ["42", { source: "ad", plan: "pro" }],
      ["42", { source: "ad", plan: "pro", seats: 3 }],
      ["42", { source: "ad", plan: "pro", seats: 3 }],
      ["43", { plan: "free" }],
      ["44", {}],
    ]);
    assertEquals(calls, 4);
    assertEquals(warnings, ["[Vendor] identify() without a user ID: its traits wait for one"]);
  }));

Deno.test("identify() forgets with a denial what it knew, and takes nothing before the next grant", () =>
  withAnalytics(async ({ analytics, client, events }) => {
    await analytics.identify("42", { plan: "pro" });
    client.setConsent("denied");
    await analytics.identify("43", { seats: 3 });
    client.setConsent("granted");
    await analytics.identify({ source: "ad" });
    await analytics.track("step");
    await analytics.identify("42");
    await analytics.track("step");

    const identities = (await events()).map(({ identity }) => [identity?.userId, identity?.traits]);
    assertEquals(identities, [[null, undefined], ["42", { source: "ad" }]]);
  }));

Deno.test("a call during a denial forgets the user of identify()", () =>
  withAnalytics(async ({ analytics, client, events }) => {
    await analytics.identify("42", { plan: "pro" });
    client.setConsent("denied");
    await analytics.track("step");
    client.setConsent("granted");
    await analytics.identify({ source: "ad" });
    await analytics.track("step");

    assertEquals((await events()).map(({ identity }) => identity?.userId), [null]);
  }));

Deno.test("page() records a pageview whatever it's handed, and warns once of what it doesn't keep", () =>
  withAnalytics(async ({ analytics, events, warnings }) => {
    let calls = 0;
    const callback = (): void => void calls++;

    await analytics.page();
    await analytics.page(callback);
    assertEquals(warnings, []);
    await analytics.page("Install");
    await analytics.page("Docs", "Install", { version: 2 }, {}, callback);
    await analytics.page({ version: 2 }, callback);

    assertEquals((await events()).map(({ name }) => name), Array(5).fill("$pageview"));
    assertEquals(calls, 3);
    assertEquals(warnings, ["[Vendor] page() keeps no category, name or properties: use track() for them"]);
  }));

Deno.test("group() and alias() warn once each, record nothing, and call back", () =>
  withAnalytics(async ({ analytics, events, warnings }) => {
    let calls = 0;
    const callback = (): void => void calls++;

    for (let i = 0; i < 2; i++) {
      await analytics.group("acme", { plan: "pro" }, {}, callback);
      await analytics.alias("42", callback);
    }
    await analytics.ready(callback);

    assertEquals(await events(), []);
    assertEquals(calls, 5);
    assertEquals(warnings, [
      "[Vendor] group() ignored: use a trait or a property",
      "[Vendor] alias() ignored: identify() keeps the visitor",
    ]);
  }));

Deno.test("calls of analytics.js work unbound, and never throw", () =>
  withAnalytics(async ({ analytics, events, warnings }) => {
    const { track, identify } = analytics;
    const trap = {
      get plan(): string {
        throw new Error("a getter of the page");
      },
    };

    await track("unbound");
    await identify("42", trap);
    await track("next");

    assertEquals((await events()).map(({ name }) => name), ["unbound", "next"]);
    assertEquals(warnings, ["[Vendor] ignored: unreadable"]);
  }));
