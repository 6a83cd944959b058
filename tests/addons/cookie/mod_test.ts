import { assertEquals, assertNotEquals } from "@std/assert";
import { type Client, createClient } from "../../../src/client/mod.ts";
import { withCookie } from "../../../src/addons/cookie/mod.ts";
import { createTestBrowser, type TestBrowser, type TestPage } from "../../../src/testing/mod.ts";
import type { InitConfig } from "../../../mod.ts";

/** The cookies that both subdomains see. */
interface Jar {
  readonly values: Map<string, string>;
  /** Those of `www.shop.example` alone, which browsers list first where they are older. */
  readonly narrow: Map<string, string>;
  /** What was written, as it was written. */
  readonly writes: string[];
  reads: number;
}

/** A page of a subdomain. Each subdomain has an origin, so storage, of its own. */
interface Visit {
  readonly browser: TestBrowser;
  readonly page: TestPage;
  readonly client: Client;
}

/** Registers a test with cookies, of which the browser refuses those of `co.example`. */
function cookieTest(name: string, run: (jar: Jar) => void | Promise<void>): void {
  Deno.test(name, async () => {
    const jar: Jar = { values: new Map(), narrow: new Map(), writes: [], reads: 0 };
    const document = {
      get cookie(): string {
        jar.reads++;
        return [...jar.narrow, ...jar.values].map((pair) => pair.join("=")).join("; ");
      },
      set cookie(text: string) {
        const [, name = "", value = ""] = /^(.+?)=(.*?);/.exec(text) ?? [];
        const values = /Domain=\w+\.shop\.example;/.test(text) ? jar.narrow : jar.values;
        const isRemoval = text.includes("Max-Age=0");
        if (values === jar.narrow && isRemoval && !values.has(name)) return; // nothing is there
        jar.writes.push(text);
        if (text.includes("Domain=co.example")) return;
        if (isRemoval) values.delete(name);
        else values.set(name, value);
      },
    };
    Object.defineProperty(globalThis, "document", { value: document, configurable: true });
    try {
      await run(jar);
    } finally {
      Reflect.deleteProperty(globalThis, "document");
    }
  });
}

function visit(
  host: string,
  config: Partial<InitConfig> = {},
  options: Partial<Omit<Visit, "client">> & { readonly domain?: string } = {},
): Visit {
  const { browser = createTestBrowser({ ids: () => crypto.randomUUID() }) } = options;
  const { domain = host.split(".").slice(-2).join(".") } = options;
  const page = browser.open(`https://${host}/`);
  const environment = withCookie(page.environment, { domain });
  return { browser, page, client: createClient({ apiKey: "pk_test", ...config }, environment) };
}

/** Records a step, lets everything leave, and returns whose it was. */
async function stepOf({ browser, page, client }: Visit): Promise<string | undefined> {
  client.step("step");
  await browser.advance(5000);
  return page.events.at(-1)?.identity?.anonymousId;
}

cookieTest("withCookie() makes one visitor and one session of two subdomains", async ({ values, writes }) => {
  const www = visit("www.shop.example");
  const app = visit("app.shop.example");

  const visitor = await stepOf(www);
  await stepOf(app);

  const [first, second] = [www, app].map(({ page }) => page.events.at(-1));
  assertEquals(second?.identity?.anonymousId, visitor);
  assertEquals(second?.sessionId, first?.sessionId);
  assertEquals([...values.keys()], ["vendor.sdk.visitor", "vendor.sdk.session"]);
  assertEquals(
    writes[0],
    `vendor.sdk.visitor=${visitor}; Domain=shop.example; Path=/; Max-Age=33696000; Secure; SameSite=Lax`,
  );
  assertEquals(writes.filter((text) => text.startsWith("vendor.sdk.visitor")).length, 1);
});

cookieTest("withCookie() touches no cookie while consent is pending", async (jar) => {
  const { browser, page, client } = visit("www.shop.example", { consent: "pending", trackPageviews: "auto" });
  await browser.advance(5000);
  page.hide();
  page.show();
  await browser.advance(5000);
  assertEquals([page.events.length, jar.reads, jar.writes], [1, 0, []]);

  client.setConsent("granted");
  await browser.advance(5000);
  client.setConsent("pending");
  const { reads } = jar;
  page.pushState("/teas");
  await browser.advance(5000);

  assertEquals(jar.reads - reads, 0);
  assertEquals(page.requests.at(-1)?.body.events[0]?.context?.pageUrl, "https://www.shop.example/teas");
});

cookieTest("withCookie() keeps what isn't delivered in the storage of its origin", ({ values }) => {
  const { browser, page, client } = visit("www.shop.example");
  browser.respond("hang");

  client.step("left");
  page.close();

  const keys = [...browser.storage.keys()].map((key) => key.split(".").slice(0, 3).join("."));
  assertEquals(keys.sort(), ["vendor.sdk.lease", "vendor.sdk.outbox"]);
  assertEquals(values.size, 2);
});

cookieTest("a denial on a subdomain holds on another one with its next event, which is never sent", async (jar) => {
  const www = visit("www.shop.example");
  const app = visit("app.shop.example");
  await stepOf(www);
  await stepOf(app);

  www.client.setConsent("denied");
  assertEquals(jar.values.size, 0);
  app.client.step("too late");
  await app.browser.advance(5000);

  assertEquals(app.client.getConsent(), "denied");
  assertEquals(app.page.events.map(({ name }) => name), ["step"]);
  assertEquals([...jar.values, ...app.browser.storage], []);
});

cookieTest("a denial on a subdomain holds on another one that flushes or hides", async (jar) => {
  for (const look of ["flush", "hide"] as const) {
    const www = visit("www.shop.example");
    const app = visit("app.shop.example");
    await stepOf(www);
    await stepOf(app);
    app.client.step("waits");
    await app.browser.advance(10);

    www.client.setConsent("denied");
    if (look === "flush") app.client.flush();
    else app.page.hide();
    await app.browser.advance(5000);

    assertEquals(app.client.getConsent(), "denied", look);
    assertEquals(app.page.events.map(({ name }) => name), ["step"], look);
    assertEquals([...jar.values, ...app.browser.storage], [], look);
  }
});

cookieTest("a denial on a subdomain holds on another one that is shown or restored, until a grant", async () => {
  for (const [leave, comeBack] of [["hide", "show"], ["freeze", "restore"]] as const) {
    const www = visit("www.shop.example");
    const app = visit("app.shop.example");
    const before = await stepOf(www);
    await stepOf(app);
    app.page[leave]();

    www.client.setConsent("denied");
    app.page[comeBack]();
    await app.browser.settle();
    assertEquals(app.client.getConsent(), "denied");
    app.client.setConsent("granted");
    const after = await stepOf(app);

    assertNotEquals(after, before);
    assertEquals(app.client.getConsent(), "granted");
    app.client.setConsent("denied");
  }
});

cookieTest("a denial on a subdomain holds on another one that resets", async (jar) => {
  const www = visit("www.shop.example");
  const app = visit("app.shop.example");
  await stepOf(www);
  await stepOf(app);

  www.client.setConsent("denied");
  app.client.reset();
  await app.browser.advance(5000);

  assertEquals(app.client.getConsent(), "denied");
  assertEquals([...jar.values, ...app.browser.storage], []);
  assertEquals(jar.writes.filter((text) => /^vendor\.sdk\.visitor=\w/.test(text)).length, 1);
});

cookieTest("reset() on a subdomain ends the user on another one when that is shown", async ({ values }) => {
  const www = visit("www.shop.example");
  const app = visit("app.shop.example");
  app.client.identify("user-1");
  const before = await stepOf(www);
  await stepOf(app);
  app.page.hide();

  www.client.reset();
  await www.browser.settle();
  const next = values.get("vendor.sdk.visitor");
  app.page.show();
  await app.browser.settle();
  const after = await stepOf(app);

  assertNotEquals(next, before);
  assertEquals(after, next);
  assertEquals(app.page.events.map(({ identity }) => identity?.userId), ["user-1", null]);
  assertEquals(values.get("vendor.sdk.visitor"), next);
});

cookieTest("a denial and a grant of the page itself make a new visitor", async ({ values }) => {
  const www = visit("www.shop.example");
  const before = await stepOf(www);

  www.client.setConsent("denied");
  www.client.setConsent("granted");
  const after = await stepOf(www);

  assertNotEquals(after, before);
  assertEquals(values.get("vendor.sdk.visitor"), after);
});

cookieTest("what was recorded before a reset() on another subdomain arrives", async () => {
  const www = visit("www.shop.example");
  const app = visit("app.shop.example");
  await stepOf(www);
  const before = await stepOf(app);
  app.client.step("waits");
  await app.browser.advance(10);

  www.client.reset();
  await www.browser.settle();
  app.client.flush();
  await app.browser.advance(5000);

  const arrived = app.page.events.map(({ name, identity }) => [name, identity?.anonymousId]);
  assertEquals(arrived, [["step", before], ["waits", before]]);
});

cookieTest("reset() on a subdomain keeps its session, whatever the other one has to finish", async ({ values }) => {
  const www = visit("www.shop.example");
  const app = visit("app.shop.example");
  await stepOf(www);
  await stepOf(app);

  www.client.reset();
  await stepOf(www);
  const session = values.get("vendor.sdk.session");
  app.client.step("of the visitor before");
  await app.client.flush();

  assertEquals(values.get("vendor.sdk.session"), session);
});

cookieTest("withCookie() takes over the visitor that the origin had", async ({ values }) => {
  const id = crypto.randomUUID();
  const browser = createTestBrowser({ storage: { "vendor.sdk.visitor": id, other: "kept" } });
  const www = visit("www.shop.example", {}, { browser });
  const other = createTestBrowser({ storage: { "vendor.sdk.visitor": crypto.randomUUID() } });
  const app = visit("app.shop.example", {}, { browser: other });

  assertEquals([await stepOf(www), await stepOf(app)], [id, id]);
  assertEquals(values.get("vendor.sdk.visitor"), id);
  assertEquals([...browser.storage.keys(), ...other.storage.keys()], ["other"]);
});

cookieTest("what another tab does to storage tells nothing of a visitor in cookies", async () => {
  const www = visit("www.shop.example");
  www.client.identify("user-1");
  const before = await stepOf(www);

  www.browser.open("https://www.shop.example/").clearStorage();
  await www.browser.settle();

  assertEquals(await stepOf(www), before);
  assertEquals(www.page.events.map(({ identity }) => identity?.userId), ["user-1", "user-1"]);
});

cookieTest("withCookie() uses storage where the browser refuses the domain, and warns once", async ({ values }) => {
  const first = visit("shop.co.example");
  const visitor = await stepOf(first);
  const second = visit("shop.co.example", {}, first);
  assertEquals(await stepOf(second), visitor);
  second.client.identify("user-1");
  first.page.clearStorage();
  await second.browser.settle();
  await stepOf(second);
  assertEquals(second.page.events.at(-1)?.identity?.userId, null);

  first.client.setConsent("denied");
  await second.browser.settle();

  assertEquals(second.client.getConsent(), "denied");
  assertEquals([values.size, first.browser.storage.size], [0, 0]);
  assertEquals(first.page.logs.map(({ level, message }) => `${level}: ${message}`), [
    "warn: [Vendor] no cookies: the browser sets none for co.example",
  ]);
});

cookieTest("withCookie() uses storage for a domain that isn't the page's", ({ writes }) => {
  const page = createTestBrowser().open("https://notshop.example/");

  const environment = withCookie(page.environment, { domain: "shop.example" });

  assertEquals(environment, page.environment);
  assertEquals(page.logs.map(({ message }) => message), ["[Vendor] no cookies: notshop.example isn't in shop.example"]);
  assertEquals(writes, []);
});

Deno.test("withCookie() leaves a place without a page as it is", () => {
  const nowhere = { canCollect: false, log: () => {} } as const;

  assertEquals(withCookie(nowhere, { domain: "shop.example" }), nowhere);
});

Deno.test("withCookie() uses storage where cookies throw, as in a sandboxed frame", async () => {
  const www = visit("www.shop.example"); // there is no document at all here

  assertEquals(await stepOf(www), www.browser.storage.get("vendor.sdk.visitor"));
});

cookieTest(
  "withCookie() takes over what was there for a part of the domain, and a denial erases that, too",
  async (jar) => {
    const host = "www.shop.example";
    const before = visit(host, {}, { domain: host });
    const { browser } = before;
    const visitor = await stepOf(before);
    before.client.close();
    await browser.advance(3_600_000);

    const after = [visit(host, {}, { browser }), visit(host, {}, { browser })];
    const visitors = [];
    for (const each of after) visitors.push(await stepOf(each));
    const [first, second] = after.map(({ page }) => page.events.at(-1)?.sessionId);

    assertEquals(visitors, [visitor, visitor]);
    assertEquals([second, first === before.page.events.at(-1)?.sessionId], [first, false]);
    assertEquals([jar.narrow.size, [...jar.values.keys()]], [0, ["vendor.sdk.visitor", "vendor.sdk.session"]]);

    jar.narrow.set("vendor.sdk.visitor", "old").set("vendor.sdk.session", "old");
    visit(host, { consent: "denied" }, { browser });
    assertEquals([jar.narrow.size, jar.values.size], [0, 0]);
  },
);

cookieTest(
  "withCookie() lets a denial end a visitor who is new since reset(), and who was there for a part of the domain",
  async (jar) => {
    const host = "www.shop.example";
    jar.narrow.set("vendor.sdk.visitor", crypto.randomUUID());
    const page = visit(host);
    page.client.reset();
    await stepOf(page);

    page.client.setConsent("denied");
    await page.browser.advance(1000);

    assertEquals([[...jar.narrow], [...jar.values]], [[], []]);
  },
);
