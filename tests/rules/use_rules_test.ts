import { assertEquals } from "@std/assert";
import { is } from "valibot";
import { type Client, createClient, type InitConfig } from "../../src/client.ts";
import { type RedactableEvent, type Redaction, withRedaction } from "../../src/rules/mod.ts";
import { AGGREGATE_BODY } from "../../src/ingest/contract/aggregate_body.ts";
import { createTestBrowser, type TestBrowser, type TestPage } from "../../src/testing/mod.ts";

const URL = "https://shop.example/users/7?token=secret&q=tea";
const FROM = "https://mail.example/inbox?to=ann@mail.example";

interface Visit {
  readonly browser: TestBrowser;
  readonly page: TestPage;
  readonly client: Client;
}

function visit(
  rules: readonly Redaction[],
  config: Partial<InitConfig> = {},
  browser: TestBrowser = createTestBrowser(),
): Visit {
  const page = browser.open(URL, { title: "Account of Ann", referrer: FROM });
  const client = createClient({ apiKey: "pk_test", ...config }, withRedaction(page.environment, ...rules));
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
  const seen: RedactableEvent[] = [];
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
  const all: Redaction = (event) => ({
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
  const note = (name: string): Redaction => (event) => (order.push(name), event);
  const browser = createTestBrowser();
  const { environment } = browser.open(URL);
  const inner = withRedaction(environment, note("1"), note("2"));
  const client = createClient({ apiKey: "pk_test" }, withRedaction(inner, note("3"), () => null, note("4")));

  client.step("a");
  const during = [...order];
  await browser.advance(5000);

  assertEquals([during, order, client.drops()], [[], ["1", "2", "3"], { redacted: 1 }]);
});

const FAILING: Readonly<Record<string, (event: RedactableEvent) => unknown>> = {
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
  "returns a title that is no text": (event) => ({ ...event, title: 7 }),
};

for (const [what, rule] of Object.entries(FAILING)) {
  Deno.test(`an event for which a rule ${what} is neither stored nor sent, with a warning`, async () => {
    const { browser, page, client } = visit([rule as Redaction]);
    client.step("secret");
    page.hide();
    await browser.advance(60_000);

    assertEquals(textOf({ browser, page, client }).includes("secret"), false);
    assertEquals([client.drops(), page.logs.map(({ message }) => message)], [
      { redacted: 1 },
      ["[Vendor] event dropped: redaction failed"],
    ]);
    client.close();
  });
}

Deno.test("a pageview keeps its name", async () => {
  const { browser, page, client } = visit([(event) => ({ ...event, name: "visit" })], { trackPageviews: true });
  await browser.advance(10_000);

  assertEquals([page.events, client.drops()], [[], { redacted: 1 }]);
});

Deno.test("a rule can't add to an aggregate what consent doesn't allow", async () => {
  const more: Redaction = (event) => ({
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
    const rule: Redaction = (event) => event.url.endsWith("/b") ? { ...event, url } : event;
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

Deno.test("debug says why a rule failed", async () => {
  const { browser, page, client } = visit([() => {
    throw new TypeError("no properties");
  }], { debug: true });
  client.step("a");
  await browser.advance(10_000);

  assertEquals(page.logs.at(-1)?.message.includes("redacted: a"), true);
  assertEquals(page.logs.some(({ message }) => message.includes("TypeError: no properties")), true);
});

Deno.test("the rule of the guide masks addresses wherever they are, and keeps the step", async () => {
  const maskMail = (text: string): string => text.replace(/[^\s@/?=&]+(?:@|%40)[^\s@/?=&]+/g, "[mail]");
  const withoutMail: Redaction = ({ traits: _, ...event }) => ({
    ...event,
    title: maskMail(event.title),
    url: maskMail(event.url),
    referrer: maskMail(event.referrer),
    properties: event.properties && JSON.parse(
      JSON.stringify(event.properties),
      (_key, value) => typeof value === "string" ? maskMail(value) : value,
    ),
  });
  const { browser, page, client } = visit([withoutMail]);
  client.identify("7", { mail: "ann@mail.example" });
  client.step("invite", { mail: "ann@mail.example", seats: 3 });
  await browser.advance(10_000);

  assertEquals(page.requests[0]?.text.includes("ann@"), false);
  assertEquals(page.events[0]?.properties, { mail: "[mail]", seats: 3 });
});

Deno.test("a grant after a dropped aggregate records its page in full, and takes no other aggregate back", async () => {
  const rule: Redaction = (event) => event.kind === "aggregate" && event.url.endsWith("/b") ? null : event;
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
  Deno.test(`a rule that sets ${state} lets no event out`, async () => {
    const { browser, page, client } = visit([(event) => {
      client.setConsent(state);
      return event;
    }]);
    client.step("a");
    client.step("b");
    await browser.advance(60_000);

    assertEquals([page.requests, client.drops()], [[], { consent: 2 }]);
  });
}

Deno.test("withRedaction() leaves a place without a page as it is", () => {
  const nowhere = { canCollect: false, log: () => {} } as const;

  assertEquals(withRedaction(nowhere, () => null) === nowhere, true);
});
