import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { Vendor } from "../../../mod.ts";
import {
  addRules,
  dropQuery,
  maskMailAndTokens,
  maskPath,
  type Rule,
  type RuledEvent,
} from "../../../src/addons/rules/mod.ts";
import { INSIDE } from "../../../src/client/inside.ts";
import { type Client, createClient, type Environment } from "../../../src/client/mod.ts";
import { captureVendor, createTestBrowser } from "../../../src/testing/mod.ts";
import { openPage } from "../../support/visit.ts";
import { FROM, textOf, URL, visit } from "./rules_visit.ts";

Deno.test("a rule sees all that the application and the page put into events", async () => {
  const seen: RuledEvent[] = [];
  const { browser, page, client } = visit([(event) => (seen.push(event), event)], {
    consent: "pending",
    trackPageviews: "auto",
  });
  await browser.advance(1000);
  page.pushState("/basket");
  await browser.advance(5000);
  client.identify("ann", { plan: "pro" });
  client.setConsent("granted");
  page.setTitle("Basket");
  client.step("checkout", { items: 3 });
  page.pushState("/thanks");
  await browser.advance(5000);

  const traits = { plan: "pro" };
  assertEquals(seen, [
    {
      kind: "aggregate",
      name: "$pageview",
      url: "https://shop.example/users/7",
      referrer: "https://mail.example",
      title: "",
    },
    {
      kind: "aggregate",
      name: "$pageview",
      url: "https://shop.example/basket",
      referrer: "https://shop.example",
      title: "",
    },
    {
      kind: "step",
      name: "checkout",
      properties: { items: 3 },
      traits,
      url: "https://shop.example/basket",
      referrer: "https://shop.example/users/7",
      title: "Basket",
    },
    {
      kind: "pageview",
      name: "$pageview",
      properties: undefined,
      traits,
      url: "https://shop.example/thanks",
      referrer: "https://shop.example/basket",
      title: "Basket",
    },
  ]);
});

Deno.test("what rules return is what is stored and sent, in this visit and the next", async () => {
  const all: Rule = (event) => ({
    ...event,
    name: "changed",
    properties: { items: 3 },
    traits: { plan: "pro" },
    url: "https://shop.example/users/:id",
    referrer: "",
    title: "Account",
  });
  const first = visit([all]);
  first.browser.goOffline();
  first.client.identify("user-7", { plan: "pro", mail: "ann@mail.example" });
  first.client.step("opened by Ann", { items: 3, card: "4111" });
  await first.browser.advance(10_000);
  first.page.crash();
  const stored = textOf(first);

  const { browser, page } = visit([], {}, first.browser);
  browser.goOnline();
  await browser.advance(60_000);

  for (const secret of ["secret", "Ann", "ann@mail.example", "4111"]) {
    assertEquals([stored.includes(secret), textOf({ ...first, page }).includes(secret)], [false, false], secret);
  }
  const [event] = page.events;
  assertEquals([event?.name, event?.properties, event?.identity?.traits], ["changed", { items: 3 }, { plan: "pro" }]);
  assertEquals([event?.context?.pageUrl, event?.context?.referrer, event?.context?.pageTitle], [
    "https://shop.example/users/:id",
    undefined,
    "Account",
  ]);
});

Deno.test("null drops an event and counts it", async () => {
  const { browser, page, client } = visit([(event) => event.name === "b" ? null : event]);
  for (const name of ["a", "b", "c"]) client.step(name);
  await browser.advance(5000);

  assertEquals([page.events.map(({ name }) => name), client.drops(), page.logs], [["a", "c"], { redacted: 1 }, []]);
});

Deno.test("rules run a task after the call, in order, and a null ends it", async () => {
  const order: string[] = [];
  const note = (name: string): Rule => (event) => (order.push(name), event);
  const { browser, client } = visit([note("1"), note("2")]);
  addRules(client, note("3"), () => null, note("4"));
  addRules(client, note("5"));

  client.step("a");
  const during = [...order];
  await browser.advance(5000);

  assertEquals([during, order, client.drops()], [[], ["1", "2", "3"], { redacted: 1 }]);
});

Deno.test("a pageview keeps its name", async () => {
  const { browser, page, client } = visit([(event) => ({ ...event, name: "visit" })], { trackPageviews: true });
  await browser.advance(10_000);

  assertEquals([page.events, client.drops()], [[], { redacted: 1 }]);
});

Deno.test("maskMailAndTokens() masks addresses wherever they are, and keeps the step", async () => {
  const { browser, page, client } = visit([maskMailAndTokens()]);
  client.identify("7", { mail: "ann@mail.example" });
  client.step("invite", { mail: "ann@mail.example", seats: 3 });
  await browser.advance(10_000);

  assertEquals(page.requests[0]?.text.includes("ann@"), false);
  assertEquals(page.events[0]?.properties, { mail: "[mail]", seats: 3 });
});

Deno.test("an event doesn't go to the account that a rule moves to", async () => {
  const { browser, page, vendor } = openPage({ url: URL });
  vendor.init({ apiKey: "pk_1" });
  addRules(vendor, (event) => {
    if (event.name === "a") vendor.init({ apiKey: "pk_2" });
    return event;
  });
  vendor.step("a");
  await browser.settle();
  vendor.step("b");
  await browser.advance(10_000);

  assertEquals(page.requests.map(({ headers }) => headers["X-API-Key"]), ["pk_2"]);
  assertEquals(page.events.map(({ name }) => name), ["b"]);
});

Deno.test("a rule that is taken out sees no more, and a second time does nothing", async () => {
  const { browser, page, client } = visit([]);
  const remove = addRules(client, () => null);
  addRules(client, (event) => ({ ...event, title: "Account" }));
  client.step("a");
  await browser.settle();
  remove();
  remove();
  client.step("b");
  await browser.advance(10_000);

  assertEquals(page.events.map(({ name, context }) => [name, context?.pageTitle]), [["b", "Account"]]);
});

Deno.test("rules that take themselves out leave no event to fewer of the others", async () => {
  const { browser, page, client } = visit([]);
  const remove = addRules(client, (event) => (remove(), event));
  addRules(client, dropQuery());
  client.step("a");
  client.step("b");
  await browser.advance(10_000);

  const teas = "https://shop.example/users/7";
  assertEquals(page.events.map(({ context }) => context?.pageUrl), [teas, teas]);
});

for (const isBefore of [true, false]) {
  Deno.test(`rules set ${isBefore ? "before" : "after"} init() in its task see the first page`, async () => {
    const browser = createTestBrowser();
    const { page, vendor } = openPage({ browser, url: URL, referrer: FROM });
    const set = (): void => void addRules(vendor, dropQuery(), maskPath(/\d+/, ":id"));
    if (isBefore) set();
    vendor.init({ apiKey: "pk_test", trackPageviews: true });
    vendor.step("a");
    if (!isBefore) set();
    await browser.advance(10_000);

    assertEquals(page.events.map(({ name, context }) => [name, context?.pageUrl, context?.referrer]), [
      ["$pageview", "https://shop.example/users/:id", "https://mail.example/inbox"],
      ["a", "https://shop.example/users/:id", "https://mail.example/inbox"],
    ]);
  });
}

Deno.test("rules set in a later task see what isn't kept yet: a pageview that awaits its title, and what is behind it", async () => {
  const browser = createTestBrowser();
  const { page, vendor } = openPage({ browser, url: URL });
  vendor.init({ apiKey: "pk_test", trackPageviews: true });
  await browser.advance(900);
  vendor.step("behind");
  await browser.advance(50);
  addRules(vendor, dropQuery());
  await browser.advance(10_000);
  vendor.step("after");
  await browser.advance(10_000);

  const ruled = "https://shop.example/users/7";
  assertEquals(page.events.map(({ name, context }) => [name, context?.pageUrl]), [
    ["$pageview", ruled],
    ["behind", ruled],
    ["after", ruled],
  ]);
});

Deno.test("rules set in a later task leave what is kept as it is", async () => {
  const browser = createTestBrowser();
  const { page, vendor } = openPage({ browser, url: URL });
  vendor.init({ apiKey: "pk_test" });
  vendor.step("kept");
  await browser.advance(50);
  addRules(vendor, dropQuery());
  await browser.advance(10_000);

  assertEquals(page.events.map(({ context }) => context?.pageUrl), [URL]);
});

Deno.test("rules stay through another init()", async () => {
  const { browser, page, vendor } = openPage({ url: URL });
  addRules(vendor, dropQuery());
  vendor.init({ apiKey: "pk_1" });
  vendor.init({ apiKey: "pk_2" });
  vendor.step("a");
  await browser.advance(10_000);

  assertEquals(page.events.map(({ context }) => context?.pageUrl), ["https://shop.example/users/7"]);
});

Deno.test("captureVendor() sees the work of rules, of those that were set before it too", () => {
  const first = captureVendor(Vendor); // the application runs in a page
  const remove = addRules(Vendor, (event) => event.name === "secret" ? null : event);
  const page = captureVendor(Vendor, { url: URL });
  const removeOther = addRules(Vendor, dropQuery());
  try {
    for (const name of ["a", "secret"]) Vendor.step(name);
    const seen = page.steps().map(({ name, context }) => [name, context?.pageUrl]);
    page.reset();
    for (const name of ["b", "secret"]) Vendor.step(name);
    const seenAfterReset = page.steps().map(({ name, context }) => [name, context?.pageUrl]);
    remove();
    Vendor.step("secret");

    assertEquals(seen, [["a", "https://shop.example/users/7"]]);
    assertEquals(seenAfterReset, [["b", "https://shop.example/users/7"]]);
    assertEquals(page.steps().map(({ name }) => name), ["b", "secret"]);
  } finally {
    removeOther();
    page.restore();
    first.restore();
  }
});

Deno.test("where there is no page addRules() does nothing", () => {
  const nowhere: Environment = { canCollect: false, log: () => {} };
  const client = createClient({ apiKey: "pk_test" }, nowhere);
  const warn = stub(console, "warn");
  try {
    addRules(client, () => null)();
    const remove = addRules(Vendor, () => null); // tests have no document
    assertEquals([hooksOf(client).length, hooksOf(Vendor).length, warn.calls.length], [0, 0, 0]);
    remove();
  } finally {
    warn.restore();
  }
});

const NO_CLIENTS: Readonly<Record<string, unknown>> = {
  "nothing": undefined,
  "null": null,
  "a mock of Vendor": { getConsent: () => "granted" },
  "a client of another version": { [INSIDE]: { environment: {}, report: {} } },
  "what throws": new Proxy({}, {
    get() {
      throw new Error("no");
    },
  }),
};

for (const [what, target] of Object.entries(NO_CLIENTS)) {
  Deno.test(`addRules() for ${what} is a warning`, () => {
    const warn = stub(console, "warn");
    try {
      addRules(target as Client, () => null)();
      assertEquals(warn.calls.map(({ args }) => args), [
        ["[Vendor] addRules() takes Vendor or a client of this version: no rule is set"],
      ]);
    } finally {
      warn.restore();
    }
  });
}

function hooksOf(target: object): readonly unknown[] {
  const found = Reflect.get(target, INSIDE);
  return (typeof found === "function" ? found()[INSIDE] : found).hooks.beforeSend;
}

Deno.test("a rule gets the visitor's id as its second argument, and none for an aggregate", async () => {
  const seen: (readonly [string, string | undefined])[] = [];
  const { browser, page, client } = visit([(event, id) => (seen.push([event.kind, id]), event)], {
    consent: "pending",
    trackPageviews: "auto",
  });
  await browser.advance(6000);
  client.setConsent("granted");
  client.step("a");
  await browser.advance(10_000);

  const { anonymousId } = page.events[1]?.identity ?? {};
  assertEquals([typeof anonymousId, seen], ["string", [["aggregate", undefined], ["step", anonymousId]]]);
});
