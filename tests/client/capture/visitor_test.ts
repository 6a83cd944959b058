import { assertEquals, assertMatch, assertNotEquals } from "@std/assert";
import { SESSION_IDLE_MS, SESSION_MAX_MS } from "../../../src/client/base/limits.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { at, namesOf, only, startVisit, UUID_V4, type Visit } from "../../support/visit.ts";

const MINUTE_MS = 60_000;
/** How long a session lasts without an event, as the guides say. */
const IDLE_MINUTES = 30;
/** A good part of a session, two of which are longer than it. */
const PART_MS = 0.7 * SESSION_IDLE_MS;
const SESSION_KEY = "vendor.sdk.session";

Deno.test(`a session goes on while events come within ${IDLE_MINUTES} minutes of each other, 24 hours in all`, async () => {
  const visit = startVisit();

  const sessions = [];
  const pauses = 24 * 60 / IDLE_MINUTES;
  for (let i = 0; i <= pauses; i++) sessions.push(await sessionAfter(visit, IDLE_MINUTES * MINUTE_MS - 1));

  assertEquals(new Set(sessions).size, 1); // 24 hours since the first, but for a millisecond of each pause
  assertNotEquals(await sessionAfter(visit, pauses), sessions[0]);
});

Deno.test(`a session ends after ${IDLE_MINUTES} minutes without an event, and the visitor stays who they were`, async () => {
  const visit = startVisit();
  visit.client.identify("user-1", { plan: "pro" });

  const first = await sessionAfter(visit, 0);
  const second = await sessionAfter(visit, IDLE_MINUTES * MINUTE_MS);

  const [before, after] = visit.page.events.map(({ identity }) => identity);
  assertNotEquals(first, second);
  assertEquals(after, before);
});

Deno.test("a session is shared by the tabs of an origin: what one keeps going or starts holds for the other", async () => {
  const first = startVisit();
  const second = startVisit({}, { browser: first.browser });
  const session = await sessionAfter(first, 0);

  const shared = await sessionAfter(second, 0);
  await sessionAfter(second, PART_MS);
  const kept = await sessionAfter(first, PART_MS);
  const started = await sessionAfter(second, SESSION_IDLE_MS);
  const taken = await sessionAfter(first, 0);

  assertEquals([shared, kept, taken], [session, session, started]);
  assertNotEquals(started, session);
});

Deno.test("a session goes on over loads, as long as it lasts", async () => {
  const first = startVisit();
  const session = await sessionAfter(first, 0);
  first.page.close();
  const second = startVisit({}, { browser: first.browser });
  const soon = await sessionAfter(second, PART_MS);
  second.page.close();
  const third = startVisit({}, { browser: first.browser });

  const late = await sessionAfter(third, SESSION_IDLE_MS);

  assertEquals(soon, session);
  assertNotEquals(late, session);
});

Deno.test("a session goes on over pages that each last a few seconds and have one event", async () => {
  const browser = createTestBrowser();

  for (let load = 0; load < 40; load++) {
    const { page } = startVisit({ trackPageviews: true }, { browser });
    await browser.advance(4000);
    page.close();
    await browser.advance(SESSION_IDLE_MS / 20);
  }

  const ids = new Map(browser.events.map(({ id, sessionId }) => [id, sessionId]));
  assertEquals([ids.size, new Set(ids.values()).size], [40, 1]);
});

Deno.test("a load or a grant without an event doesn't keep a session going", async () => {
  const first = startVisit();
  const session = await sessionAfter(first, 0);
  const stored = first.browser.storage.get(SESSION_KEY);
  await first.browser.advance(PART_MS);
  const second = startVisit({ consent: "pending" }, { browser: first.browser });
  second.client.setConsent("granted");
  await first.browser.advance(1);
  assertEquals(first.browser.storage.get(SESSION_KEY), stored);

  assertNotEquals(await sessionAfter(second, PART_MS), session);
});

Deno.test("a call that waited for a prerendered page to be shown doesn't put the session's end back", async () => {
  const { browser, page, client, accepted } = startVisit({ trackPageviews: true }, { isPrerendering: true });
  client.step("early");
  await browser.advance(PART_MS);
  page.activate();
  await browser.advance(SESSION_IDLE_MS / 2);
  client.step("late");

  const events = await accepted();
  assertEquals(namesOf(events), ["early", "$pageview", "late"]);
  assertEquals(new Set(events.map(({ sessionId }) => sessionId)).size, 1);
});

Deno.test("an event has the session of its own time, however late it's finished", async () => {
  const visit = startVisit({ trackPageviews: true });
  const session = await sessionAfter(visit, 0);
  await visit.browser.advance(SESSION_IDLE_MS - 1);

  visit.page.pushState("/cart"); // awaits its title
  await visit.browser.advance(500);

  assertEquals(at(await visit.accepted(), -1).sessionId, session);
});

Deno.test("a session is written at most every 5 seconds", async () => {
  const { browser, client } = startVisit();
  client.step("a");
  await browser.settle();
  const written = new Set<string | undefined>();

  for (let i = 0; i < 100; i++) {
    await browser.advance(100);
    client.step("a");
    await browser.settle();
    written.add(browser.storage.get(SESSION_KEY));
  }

  assertEquals(written.size, 3);
});

Deno.test("stored times in the future count as now: the session goes on, and ends in the end", async () => {
  const first = startVisit();
  const session = await sessionAfter(first, 0);
  first.page.close();
  first.browser.setNow(first.browser.now() - 2 * SESSION_MAX_MS);
  const second = startVisit({}, { browser: first.browser });

  const sessions = [];
  const count = Math.ceil(SESSION_MAX_MS / PART_MS) + 1;
  for (let i = 0; i < count; i++) sessions.push(await sessionAfter(second, PART_MS));

  assertEquals([sessions.at(0) === session, sessions.at(-1) === session], [true, false]);
});

Deno.test("a clock set back on a live page lets the session go on, not for ever", async () => {
  const visit = startVisit();
  const session = await sessionAfter(visit, 0);
  visit.browser.setNow(visit.browser.now() - 2 * SESSION_MAX_MS);

  const same = await sessionAfter(visit, 0);
  const next = await sessionAfter(visit, SESSION_IDLE_MS);

  assertEquals(same, session);
  assertNotEquals(next, session);
});

for (const access of ["blockStorage", "fillStorage"] as const) {
  Deno.test(`${access}(): identifiers live in memory`, async () => {
    const visit = startVisit({}, { browser: createTestBrowser() });
    visit.browser[access]();

    const first = await sessionAfter(visit, 0);
    const second = await sessionAfter(visit, 6000);

    const ids = visit.page.events.map(({ identity }) => identity?.anonymousId);
    assertEquals([first === second, ids[0] === ids[1], visit.browser.storage.size], [true, true, 0]);
  });
}

Deno.test("stored values that are no identifiers are replaced, and cost no event", async () => {
  const broken = '"<broken> }';
  const browser = createTestBrowser({ storage: { "vendor.sdk.visitor": broken, [SESSION_KEY]: broken } });
  const { client, accepted } = startVisit({}, { browser });

  client.step("b");

  const { identity, sessionId } = only(await accepted());
  assertMatch(identity?.anonymousId ?? "", UUID_V4);
  assertMatch(sessionId ?? "", UUID_V4);
  assertEquals([...browser.storage.values()].join().includes(broken), false);
});

Deno.test("every key starts with vendor.sdk., and no other key is touched, by a denial neither", async () => {
  const browser = createTestBrowser({ storage: { "vendor.sdkother": "1" } });
  const { client, accepted } = startVisit({ trackPageviews: true }, { browser });

  client.identify("user-1");
  client.step("a");
  await accepted();
  client.reset();
  client.step("b");
  await accepted();
  const keys = [...browser.storage.keys()].filter((key) => !key.startsWith("vendor.sdk."));
  client.setConsent("denied");

  assertEquals([keys, [...browser.storage.keys()]], [["vendor.sdkother"], ["vendor.sdkother"]]);
});

/** Lets time pass, records an event, and returns its session. */
async function sessionAfter({ browser, client, accepted }: Visit, durationMs: number): Promise<string | undefined> {
  await browser.advance(durationMs);
  client.step("a");
  return at(await accepted(), -1).sessionId;
}
