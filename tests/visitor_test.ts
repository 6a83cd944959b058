import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { at, only, startVisit, UUID_V4, type Visit } from "./support/visit.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

Deno.test("anonymousId and sessionId are UUIDs of version 4", async () => {
  const { accepted, client } = startVisit();

  client.step("a");

  const { identity, sessionId } = only(await accepted());
  assertMatch(identity?.anonymousId ?? "", UUID_V4);
  assertMatch(sessionId ?? "", UUID_V4);
  client.close();
});

Deno.test("a session goes on while events come within 30 minutes of each other", async () => {
  const visit = startVisit();

  const first = await sessionAfter(visit, 0);
  const second = await sessionAfter(visit, 30 * MINUTE_MS - 1);
  const third = await sessionAfter(visit, 30 * MINUTE_MS - 1);

  assertEquals([second, third], [first, first]);
  visit.client.close();
});

Deno.test("a session ends after 30 minutes without an event", async () => {
  const visit = startVisit();

  const first = await sessionAfter(visit, 0);
  const second = await sessionAfter(visit, 30 * MINUTE_MS);

  assertNotEquals(first, second);
  visit.client.close();
});

Deno.test("a session ends after 24 hours in all", async () => {
  const visit = startVisit();

  const first = await sessionAfter(visit, 0);
  const sessions = [];
  for (let i = 0; i < 72; i++) sessions.push(await sessionAfter(visit, 20 * MINUTE_MS));

  assertEquals(sessions.slice(0, 71), Array(71).fill(first));
  assertNotEquals(sessions.at(71), first);
  visit.client.close();
});

Deno.test("a new session leaves the visitor who they were", async () => {
  const visit = startVisit();
  visit.client.identify("user-1", { plan: "pro" });
  await sessionAfter(visit, 0);

  await sessionAfter(visit, HOUR_MS);

  const [before, after] = visit.page.events.map(({ identity }) => identity);
  assertEquals(after, before);
  visit.client.close();
});

Deno.test("a session is shared by the tabs of an origin", async () => {
  const first = startVisit();
  const second = startVisit({}, { browser: first.browser });

  assertEquals(await sessionAfter(second, 0), await sessionAfter(first, 0));
  first.client.close();
  second.client.close();
});

Deno.test("a session that another tab kept going goes on", async () => {
  const first = startVisit();
  const second = startVisit({}, { browser: first.browser });
  const session = await sessionAfter(first, 0);
  await sessionAfter(second, 0);

  await sessionAfter(second, 20 * MINUTE_MS);
  const later = await sessionAfter(first, 20 * MINUTE_MS);

  assertEquals(later, session);
  first.client.close();
  second.client.close();
});

Deno.test("a session that another tab started after the old one ended is taken over", async () => {
  const first = startVisit();
  const second = startVisit({}, { browser: first.browser });
  const old = await sessionAfter(first, 0);

  const started = await sessionAfter(second, HOUR_MS);
  const taken = await sessionAfter(first, 0);

  assertNotEquals(started, old);
  assertEquals(taken, started);
  first.client.close();
  second.client.close();
});

Deno.test("a session goes on over loads within 30 minutes, and ends after", async () => {
  const first = startVisit();
  const session = await sessionAfter(first, 0);
  first.page.close();
  const second = startVisit({}, { browser: first.browser });
  const soon = await sessionAfter(second, 29 * MINUTE_MS);
  second.page.close();
  const third = startVisit({}, { browser: first.browser });

  const late = await sessionAfter(third, 31 * MINUTE_MS);

  assertEquals(soon, session);
  assertNotEquals(late, session);
  third.client.close();
});

Deno.test("a session is written at most every 5 seconds", async () => {
  const { browser, page, client } = startVisit();
  client.step("a");
  const { writes } = countWrites(browser.storage);

  for (let i = 0; i < 49; i++) {
    await browser.advance(100);
    client.step("a");
  }
  const before = writes();
  await browser.advance(100);
  client.step("a");
  client.step("a");

  assertEquals([before, writes()], [0, 1]);
  assertEquals(page.events.length > 0, true);
  client.close();
});

Deno.test("a stored activity in the future counts as now", async () => {
  const first = startVisit();
  const session = await sessionAfter(first, 0);
  first.page.close();
  first.browser.setNow(first.browser.now() - 48 * HOUR_MS);
  const second = startVisit({}, { browser: first.browser });

  const same = await sessionAfter(second, 0);
  const still = await sessionAfter(second, 29 * MINUTE_MS);
  const next = await sessionAfter(second, 31 * MINUTE_MS);

  assertEquals([same, still], [session, session]);
  assertNotEquals(next, session);
  second.client.close();
});

Deno.test("a stored start in the future counts as now: the session lasts 24 hours at most", async () => {
  const first = startVisit();
  const session = await sessionAfter(first, 0);
  first.page.close();
  first.browser.setNow(first.browser.now() - 48 * HOUR_MS);
  const second = startVisit({}, { browser: first.browser });

  const sessions = [];
  for (let i = 0; i < 74; i++) sessions.push(await sessionAfter(second, 20 * MINUTE_MS));

  assertEquals([sessions.at(0) === session, sessions.at(-1) === session], [true, false]);
  second.client.close();
});

Deno.test("a clock set back on a live page lets the session go on, not for ever", async () => {
  const visit = startVisit();
  const session = await sessionAfter(visit, 0);
  visit.browser.setNow(visit.browser.now() - 48 * HOUR_MS);

  const same = await sessionAfter(visit, 0);
  const next = await sessionAfter(visit, 31 * MINUTE_MS);

  assertEquals(same, session);
  assertNotEquals(next, session);
  visit.client.close();
});

/** Lets time pass, records an event, and returns its session. */
async function sessionAfter({ browser, client, accepted }: Visit, durationMs: number): Promise<string | undefined> {
  await browser.advance(durationMs);
  client.step("a");
  return at(await accepted(), -1).sessionId;
}

/** Counts writes to the device from now on. */
function countWrites(storage: Map<string, string>): { readonly writes: () => number } {
  let count = 0;
  const set = storage.set.bind(storage);
  storage.set = (key, value) => {
    if (key === "vendor.sdk.session") count++;
    return set(key, value);
  };
  return { writes: () => count };
}
