import { assertEquals, assertMatch } from "@std/assert";
import { createTestBrowser } from "../src/testing/mod.ts";
import { at, only, startVisit, UUID_V4, type Visit, warningsOf } from "./support/visit.ts";

Deno.test("identifiers live in memory where storage is blocked", async () => {
  const browser = createTestBrowser();
  browser.blockStorage();
  const visit = startVisit({}, { browser });

  const first = await sessionAfter(visit, 0);
  const second = await sessionAfter(visit, 1000);

  const ids = visit.page.events.map(({ identity }) => identity?.anonymousId);
  assertEquals([first === second, ids[0] === ids[1], visit.browser.storage.size], [true, true, 0]);
  visit.client.close();
});

Deno.test("identifiers live in memory where storage is full", async () => {
  const browser = createTestBrowser();
  browser.fillStorage();
  const visit = startVisit({}, { browser });

  const first = await sessionAfter(visit, 0);
  const second = await sessionAfter(visit, 6000);

  const ids = visit.page.events.map(({ identity }) => identity?.anonymousId);
  assertEquals([first === second, ids[0] === ids[1], visit.browser.storage.size], [true, true, 0]);
  visit.client.close();
});

Deno.test("stored values that are no identifiers are replaced, and cost no event", async () => {
  const first = startVisit();
  first.client.step("a");
  await first.accepted();
  for (const key of [...first.browser.storage.keys()]) first.browser.storage.set(key, '"<broken> }');
  const second = startVisit({}, { browser: first.browser });

  second.client.step("b");

  const { identity, sessionId } = only(await second.accepted());
  assertMatch(identity?.anonymousId ?? "", UUID_V4);
  assertMatch(sessionId ?? "", UUID_V4);
  first.client.close();
  second.client.close();
});

Deno.test("every key starts with vendor.sdk., and no other key is touched", async () => {
  const { browser, client, accepted } = startVisit({ trackPageviews: true });
  browser.storage.set("vendor.sdkother", "1");

  client.identify("user-1");
  client.step("a");
  await accepted();
  client.reset();
  client.step("b");
  await accepted();

  const keys = [...browser.storage.keys()].filter((key) => !key.startsWith("vendor.sdk."));
  assertEquals(keys, ["vendor.sdkother"]);
  client.close();
});

Deno.test("userId and traits are never stored", async () => {
  const { browser, page, client, accepted } = startVisit();

  client.identify("user-1", { plan: "pro" });
  client.step("a");
  await accepted();
  page.close();

  const stored = [...browser.storage].flat().join(" ");
  assertEquals([stored.includes("user-1"), stored.includes("pro")], [false, false]);
  assertEquals(warningsOf(page), []);
});

/** Lets time pass, records an event, and returns its session. */
async function sessionAfter({ browser, client, accepted }: Visit, durationMs: number): Promise<string | undefined> {
  await browser.advance(durationMs);
  client.step("a");
  return at(await accepted(), -1).sessionId;
}
