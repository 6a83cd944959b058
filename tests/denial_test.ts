import { assertEquals, assertNotEquals } from "@std/assert";
import { createClient } from "../src/client.ts";
import { createTestBrowser, type TestBrowser, type TestPage } from "../src/testing/mod.ts";

const VISITOR_KEY = "vendor.sdk.visitor";

function openTab(browser: TestBrowser, path: string): { page: TestPage; client: ReturnType<typeof createClient> } {
  const page = browser.open(`https://shop.example${path}`);
  return { page, client: createClient({ apiKey: "pk_test" }, page.environment) };
}

Deno.test("denial in one tab ends collection in the others and discards what they queued", async () => {
  const browser = createTestBrowser();
  const first = openTab(browser, "/first");
  const second = openTab(browser, "/second");
  second.client.step("queued");

  first.client.setConsent("denied");
  await browser.settle();
  second.client.step("later");
  await browser.advance(60_000);

  assertEquals(second.client.getConsent(), "denied");
  assertEquals(browser.requests, []);
  assertEquals([...browser.storage.keys()], []);
});

Deno.test("reset() in one tab makes the others go on as the new visitor, in the new session", async () => {
  const browser = createTestBrowser();
  const first = openTab(browser, "/first");
  const second = openTab(browser, "/second");
  const before = browser.storage.get(VISITOR_KEY);

  first.client.reset();
  await browser.settle();
  first.client.step("a");
  second.client.step("b");
  await browser.advance(60_000);

  const [a, b] = browser.events;
  assertNotEquals(browser.storage.get(VISITOR_KEY), before);
  assertEquals(b?.identity?.anonymousId, browser.storage.get(VISITOR_KEY));
  assertEquals(b?.sessionId, a?.sessionId);
});

Deno.test("a page that was in the back/forward cache when consent was denied collects nothing after it", async () => {
  const browser = createTestBrowser();
  const cached = openTab(browser, "/cached");
  cached.page.freeze();
  openTab(browser, "/other").client.setConsent("denied");
  await browser.settle();
  const { length } = browser.requests;

  cached.page.restore();
  cached.client.step("later");
  await browser.advance(60_000);

  assertEquals(cached.client.getConsent(), "denied");
  assertEquals(browser.requests.length, length);
  assertEquals([...browser.storage.keys()], []);
});

Deno.test("an identifier that the device never took isn't gone from it", async () => {
  const browser = createTestBrowser();
  browser.fillStorage();
  const { page, client } = openTab(browser, "/full");
  openTab(browser, "/other").client.setConsent("denied");
  page.freeze();
  page.restore();

  client.step("a");
  await browser.advance(60_000);

  assertEquals(client.getConsent(), "granted");
  assertEquals(page.events.map(({ name }) => name), ["a"]);
});

Deno.test("a denial after a reset() in the same tab is heard, too", async () => {
  const browser = createTestBrowser();
  const first = openTab(browser, "/first");
  const second = openTab(browser, "/second");
  second.client.step("queued");

  first.client.reset();
  await browser.settle();
  first.client.setConsent("denied");
  await browser.settle();
  await browser.advance(60_000);

  assertEquals(second.client.getConsent(), "denied");
  assertEquals(browser.requests, []);
  assertEquals([...browser.storage.keys()], []);
});

Deno.test("a site that clears its own storage, and is left for another tab, goes on collecting", async () => {
  const browser = createTestBrowser();
  const { page, client } = openTab(browser, "/account");
  client.step("before");

  browser.storage.clear(); // as at a logout
  page.hide();
  page.show();
  client.step("after");
  await browser.advance(60_000);

  assertEquals(client.getConsent(), "granted");
  assertEquals(page.events.map(({ name }) => name), ["before", "after"]);
});

Deno.test("what another tab writes of its own is no denial, where the site cleared its storage", async () => {
  const browser = createTestBrowser();
  const { page, client } = openTab(browser, "/account");
  const other = browser.open("https://shop.example/cart");
  client.step("before");
  await browser.advance(10_000);
  browser.storage.clear(); // as at a logout

  other.environment.storage.set("cart", "1 tea");
  await browser.settle();
  client.step("after");
  await browser.advance(60_000);

  assertEquals(client.getConsent(), "granted");
  assertEquals(page.events.map(({ name }) => name), ["before", "after"]);
});

Deno.test("a denial in another tab is heard where the site cleared its storage before", async () => {
  const browser = createTestBrowser();
  const { client } = openTab(browser, "/account");
  client.step("before");
  await browser.advance(10_000);
  browser.storage.clear(); // as at a logout
  client.step("after");
  await browser.advance(10_000);

  createClient({ apiKey: "pk_test", consent: "denied" }, browser.open("https://shop.example/").environment);
  await browser.settle();
  client.step("denied");
  await browser.advance(60_000);

  assertEquals(client.getConsent(), "denied");
  assertEquals([browser.events.map(({ name }) => name), [...browser.storage.keys()]], [["before", "after"], []]);
});

Deno.test("reset() in one tab leaves the user of the others as it is", async () => {
  const browser = createTestBrowser();
  const first = openTab(browser, "/first");
  const second = openTab(browser, "/second");
  second.client.identify("user-1");

  first.client.reset();
  await browser.settle();
  second.client.step("b");
  await browser.advance(60_000);

  assertEquals(browser.events.map(({ identity }) => identity?.userId), ["user-1"]);
});
