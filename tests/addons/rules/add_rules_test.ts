import { assertEquals } from "@std/assert";
import { is } from "valibot";
import { stub } from "@std/testing/mock";
import { type InitConfig, Vendor } from "../../../mod.ts";
import { type Client, createClient, type Environment } from "../../../src/client/mod.ts";
import { INSIDE } from "../../../src/client/inside.ts";
import {
  addRules,
  dropQuery,
  maskMailAndTokens,
  maskPath,
  type Rule,
  type RuledEvent,
} from "../../../src/addons/rules/mod.ts";
import { AGGREGATE_BODY } from "../../../src/ingest/contract/aggregate_body.ts";
import { captureVendor, createTestBrowser, type TestBrowser, type TestPage } from "../../../src/testing/mod.ts";
import { entryKeys } from "../../support/entries.ts";
import { openPage } from "../../support/visit.ts";

const URL = "https://shop.example/users/7?token=secret&q=tea";
const FROM = "https://mail.example/inbox?to=ann@mail.example";

interface Visit {
  readonly browser: TestBrowser;
  readonly page: TestPage;
  readonly client: Client;
}

function visit(
  rules: readonly Rule[],
  config: Partial<InitConfig> = {},
  browser: TestBrowser = createTestBrowser(),
): Visit {
  const page = browser.open(URL, { title: "Account of Ann", referrer: FROM });
  const client = createClient({ apiKey: "pk_test", ...config }, page.environment);
  addRules(client, ...rules);
  return { browser, page, client };
}

/** Returns everything that the browser was given to keep or to send. */
function textOf({ browser, page }: Visit): string {
  const { storage } = page.environment;
  return JSON.stringify([
    browser.requests.map(({ text }) => text),
    storage.keys("").map((key) => storage.get(key)),
  ]);
}

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

function nest(levels: number): Record<string, unknown> {
  return levels === 0 ? {} : { in: nest(levels - 1) };
}

const FAILING: Readonly<Record<string, (event: RuledEvent) => unknown>> = {
  "throws": () => {
    throw new Error("no");
  },
  "returns nothing": () => {},
  "returns a promise": (event) => Promise.resolve(event),
  "returns a name that is too long": (event) => ({ ...event, name: "n".repeat(101) }),
  "returns properties that are none": (event) => ({ ...event, properties: "text" }),
  "returns properties that can't be written": (event) => ({ ...event, properties: { event, n: 1n } }),
  "returns properties over the limit": (event) => ({ ...event, properties: { text: "t".repeat(32_768) } }),
  "returns traits over the limit": (event) => ({ ...event, traits: { text: "t".repeat(8192) } }),
  "returns properties of more levels than the ingest takes": (event) => ({ ...event, properties: nest(200) }),
  "returns a title that is no text": (event) => ({ ...event, title: 7 }),
};

for (const [what, rule] of Object.entries(FAILING)) {
  Deno.test(`an event for which a rule ${what} is neither stored nor sent, with a warning`, async () => {
    const { browser, page, client } = visit([rule as Rule]);
    client.step("secret");
    page.hide();
    await browser.advance(60_000);

    assertEquals(textOf({ browser, page, client }).includes("secret"), false);
    const [warning = "", ...others] = page.logs.map(({ message }) => message);
    assertEquals(warning.startsWith("[Vendor] event dropped: "), true, warning);
    assertEquals([client.drops(), others], [{ redacted: 1 }, []]);
    client.close();
  });
}

Deno.test("a pageview keeps its name", async () => {
  const { browser, page, client } = visit([(event) => ({ ...event, name: "visit" })], { trackPageviews: true });
  await browser.advance(10_000);

  assertEquals([page.events, client.drops()], [[], { redacted: 1 }]);
});

Deno.test("a rule can't add to an aggregate what consent doesn't allow", async () => {
  const more: Rule = (event) => ({
    ...event,
    properties: { a: 1 },
    traits: { b: 2 },
    url: URL,
    referrer: FROM,
    title: "Account of Ann",
  });
  const { browser, page } = visit([more], { consent: "pending", trackPageviews: "auto" });
  await browser.advance(10_000);

  const [event] = page.events;
  assertEquals(Object.keys(event ?? {}), ["id", "name", "timestamp", "context"]);
  assertEquals([event?.context?.pageUrl, event?.context?.referrer, event?.context?.pageTitle], [
    "https://shop.example/users/7",
    "https://mail.example",
    undefined,
  ]);
});

for (const url of ["", "/users", "https://[mail]/", "mailto:ann@mail.example"]) {
  Deno.test(`an aggregate whose URL a rule turns into ${JSON.stringify(url)} is dropped, and its batch isn't`, async () => {
    const rule: Rule = (event) => event.url.endsWith("/b") ? { ...event, url } : event;
    const { browser, page, client } = visit([rule], { consent: "pending", trackPageviews: "auto" });
    browser.respond(({ body }) => ({ status: is(AGGREGATE_BODY, body) ? 202 : 400 }));
    await browser.advance(10);
    for (const path of ["/b", "/c"]) {
      page.pushState(path);
      await browser.advance(10);
    }
    await browser.advance(10_000);

    assertEquals(page.events.map(({ context }) => context?.pageUrl), [
      "https://shop.example/users/7",
      "https://shop.example/c",
    ]);
    assertEquals(client.drops(), { redacted: 1 });
  });
}

Deno.test("an aggregate has the origin and path of an application's page too, where a rule returns one", async () => {
  const rule: Rule = (event) => ({ ...event, url: "tauri://ann:secret@localhost/teas?q=oolong" });
  const { browser, page } = visit([rule], { consent: "pending", trackPageviews: "auto" });
  browser.respond(({ body }) => ({ status: is(AGGREGATE_BODY, body) ? 202 : 400 }));
  await browser.advance(10_000);

  assertEquals(page.events.map(({ context }) => context?.pageUrl), ["tauri://localhost/teas"]);
});

Deno.test("an event for which a rule throws costs no other one, and its warning says why", async () => {
  const { browser, page, client } = visit([(event) => {
    if (event.name === "b") throw new TypeError("no properties");
    return event;
  }]);
  for (const name of ["a", "b", "c", "b", "d"]) client.step(name);
  await browser.advance(10_000);

  assertEquals(page.events.map(({ name }) => name), ["a", "c", "d"]);
  assertEquals([client.drops(), page.logs.map(({ message }) => message)], [
    { redacted: 2 },
    ["[Vendor] event dropped: TypeError: no properties"],
  ]);
});

Deno.test("texts that a rule makes too long are left out, and the event stays", async () => {
  const long = "a".repeat(9000);
  const rule: Rule = (event) => ({
    ...event,
    title: long,
    url: `https://shop.example/teas?q=${long}`,
    referrer: `https://mail.example/${long}`,
  });
  const { browser, page, client } = visit([rule]);
  client.step("a");
  await browser.advance(10_000);

  const { context } = page.events[0] ?? {};
  assertEquals([context?.pageUrl, context?.referrer, context?.pageTitle], [
    "https://shop.example/teas",
    undefined,
    undefined,
  ]);
});

for (
  const [referrer, expected] of [
    ["https://ann:secret@mail.example:443/inbox", "https://mail.example"],
    ["android-app:com.example", undefined],
    ["mail", undefined],
  ] as const
) {
  Deno.test(`an aggregate has the origin of the referrer that a rule returns: ${referrer}`, async () => {
    const { browser, page } = visit([(event) => ({ ...event, referrer })], {
      consent: "pending",
      trackPageviews: "auto",
    });
    browser.respond(({ body }) => ({ status: is(AGGREGATE_BODY, body) ? 202 : 400 }));
    await browser.advance(10_000);

    assertEquals(page.events.map(({ context }) => context?.referrer), [expected]);
  });
}

Deno.test("maskMailAndTokens() masks addresses wherever they are, and keeps the step", async () => {
  const { browser, page, client } = visit([maskMailAndTokens()]);
  client.identify("7", { mail: "ann@mail.example" });
  client.step("invite", { mail: "ann@mail.example", seats: 3 });
  await browser.advance(10_000);

  assertEquals(page.requests[0]?.text.includes("ann@"), false);
  assertEquals(page.events[0]?.properties, { mail: "[mail]", seats: 3 });
});

Deno.test("a grant after a dropped aggregate records its page in full, and takes no other aggregate back", async () => {
  const rule: Rule = (event) => event.kind === "aggregate" && event.url.endsWith("/b") ? null : event;
  const { browser, page, client } = visit([rule], { consent: "pending", trackPageviews: "auto" });
  await browser.advance(1000);
  page.pushState("/b");
  await browser.advance(1000);
  client.setConsent("granted");
  await browser.advance(10_000);

  assertEquals(page.events.map(({ context, identity }) => [context?.pageUrl, !!identity]), [
    ["https://shop.example/users/7", false],
    ["https://shop.example/b", true],
  ]);
});

for (const state of ["denied", "pending"] as const) {
  for (const trackPageviews of [false, "auto"] as const) {
    Deno.test(`a rule that sets ${state} lets no event out and stores none, pageviews ${trackPageviews}`, async () => {
      const { browser, page, client } = visit([(event) => {
        client.setConsent(state);
        return event.kind === "aggregate" ? null : event;
      }], { trackPageviews });
      client.step("a");
      client.step("b");
      await browser.advance(10_000);
      page.hide();
      await browser.advance(60_000);

      assertEquals(page.requests, []);
      assertEquals(entryKeys(browser), []);
      assertEquals(client.drops(), { consent: trackPageviews ? 3 : 2 });
    });
  }
}

Deno.test("a rule that sets denied leaves nothing on the device, and a later grant brings nothing back", async () => {
  let isDenying = true;
  const { browser, page, client } = visit([(event) => {
    if (isDenying) client.setConsent("denied");
    return event;
  }], { trackPageviews: true });
  client.step("a");
  await browser.advance(10_000);
  const stored = [...browser.storage.keys()];
  isDenying = false;
  client.setConsent("granted");
  client.step("b");
  await browser.advance(10_000);

  assertEquals(stored, []);
  assertEquals(page.events.map(({ name }) => name), ["b"]);
});

Deno.test("what was captured before a rule denied consent stays void when it grants it again", async () => {
  let isFirst = true;
  const { browser, page, client } = visit([(event) => {
    if (isFirst) { for (const state of ["denied", "granted"] as const) client.setConsent(state); }
    isFirst = false;
    return event;
  }]);
  for (const name of ["a", "b"]) client.step(name);
  await browser.settle();
  client.step("c");
  await browser.advance(10_000);

  assertEquals([page.events.map(({ name }) => name), client.drops()], [["c"], { consent: 2 }]);
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

Deno.test("a page stays counted once, without a visitor, where a rule grants consent for its aggregate", async () => {
  const { browser, page, client } = visit([(event) => {
    client.setConsent("granted");
    return event;
  }], { consent: "pending", trackPageviews: "auto" });
  await browser.advance(10_000);

  assertEquals(page.events.map(({ name, identity }) => [name, identity]), [["$pageview", undefined]]);
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

for (const thrown of [Symbol("x"), Object.create(null)]) {
  Deno.test(`addRules(): a rule that throws a ${typeof thrown} costs its event, and holds up no withdrawal`, async () => {
    const { browser, page, vendor } = openPage();
    addRules(vendor, (event) => {
      if (event.name === "a") throw thrown;
      return event;
    });
    vendor.init({ apiKey: "pk" });
    for (const name of ["b", "a", "c"]) vendor.step(name);
    await browser.advance(10_000);
    vendor.step("a");
    vendor.setConsent("pending");

    assertEquals([page.events.map(({ name }) => name), vendor.getConsent()], [["b", "c"], "pending"]);
  });
}

Deno.test("a rule whose errors differ makes one warning, its first, and the next rule its own", async () => {
  const failing = (what: string): Rule => (event) => {
    if (event.name.startsWith(what)) throw new Error(`no ${event.name}`);
    return event;
  };
  const { browser, page, client } = visit([failing("a"), failing("b")]);
  for (const name of ["a1", "a2", "b1", "a3", "b2", "c"]) client.step(name);
  await browser.advance(10_000);

  assertEquals([page.events.map(({ name }) => name), client.drops()], [["c"], { redacted: 5 }]);
  assertEquals(page.logs.map(({ message }) => message), [
    "[Vendor] event dropped: Error: no a1",
    "[Vendor] event dropped: Error: no b1",
  ]);
});

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
