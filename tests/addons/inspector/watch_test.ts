import { assert, assertEquals } from "@std/assert";
import { createClient } from "../../../src/client/mod.ts";
import { INSIDE } from "../../../src/client/inside.ts";
import { MAX_ENTRIES } from "../../../src/addons/inspector/entries.ts";
import { findWatched } from "../../../src/addons/inspector/find_inspector.ts";
import { createWatch, type Watch } from "../../../src/addons/inspector/watch.ts";
import { createInstance, type Instance } from "../../../src/client/instance.ts";
import { createTestBrowser, type TestBrowser, type TestPage } from "../../../src/testing/mod.ts";
import type { InitConfig } from "../../../src/client/base/types.ts";
import { refuse } from "../../support/refuse.ts";

interface Stage {
  readonly browser: TestBrowser;
  readonly page: TestPage;
  readonly client: Instance;
  readonly watch: Watch;
}

/** Watches a client as the panel does. */
function watchOf(client: Pick<Instance, typeof INSIDE | "getConsent">): Watch {
  const inside = findWatched(client);
  assert(inside);
  const watch = createWatch({ inside: () => inside, getConsent: client.getConsent });
  inside.hooks.on.push(watch.hear);
  return watch;
}

function start(config: Partial<InitConfig> = {}): Stage {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas?sort=price", { title: "Teas" });
  const client = createInstance(page.environment);
  const watch = watchOf(client);
  client.init({ apiKey: "pk_test", ...config });
  return { browser, page, client, watch };
}

/** Returns the lines as state, name and note. */
function linesOf({ watch }: Pick<Stage, "watch">): readonly string[] {
  return watch.entries().map(({ state, name, note }) => [state, name, note].filter((text) => text).join(" | "));
}

/** Returns the lines of events, which alone have no brackets. */
function eventsOf(stage: Pick<Stage, "watch">): readonly string[] {
  return linesOf(stage).filter((line) => !/^(note|warning|done|ignored|held back) \|/.test(line));
}

Deno.test("an event goes from recorded over waiting and sent to delivered, and its line has its JSON", async () => {
  const stage = start();
  const { browser, page, client, watch } = stage;
  const seen: string[] = [];
  watch.onChange(() => seen.push(watch.entries().find(({ name }) => name === "signup")?.state ?? "none"));

  client.step("signup", { plan: "pro" });
  await browser.advance(5000);

  assertEquals([...new Set(seen)], ["recorded", "waiting", "sent", "delivered"]);
  assertEquals(linesOf(stage), ["note | consent is granted", "done | init()", "delivered | signup | 202"]);
  assertEquals(JSON.parse(watch.entries()[2]?.json ?? ""), page.events[0]);
});

Deno.test("calls that consent holds back, wrong calls, warnings and other calls have a line each", () => {
  const stage = start({ consent: "pending" });
  const { client } = stage;

  client.step("early", { plan: "pro" });
  client.setConsent("granted");
  client.step("");
  client.step("large", { text: "x".repeat(40_000) });
  client.step("unreadable", {
    toJSON() {
      throw "no keys";
    },
  });
  client.page();
  client.setConsent("denied");
  client.identify("user-42");

  assertEquals(linesOf(stage), [
    "note | consent is pending",
    "done | init()",
    'held back | step("early") | consent is pending',
    "note | consent is granted",
    'done | setConsent("granted")',
    'ignored | step("") | name must be 1-100 characters',
    'ignored | step("large") | properties over 32 KiB',
    "warning | properties left out: no keys",
    "dropped | unreadable | consent",
    "dropped | $pageview | consent",
    "done | page()",
    "note | consent is denied",
    'done | setConsent("denied")',
    'held back | identify("user-42") | consent is denied',
  ]);
});

Deno.test("a denial drops drafts, what waits, what is under way and what is stored", async () => {
  const stage = start();
  const { browser, client, watch } = stage;
  browser.goOffline();
  client.step("stored");
  await browser.advance(8000);
  client.setConsent("pending");
  await browser.settle();
  assertEquals(eventsOf(stage), ["stored | stored | a later visit with consent sends it"]);
  browser.goOnline();
  browser.respond("hang");
  client.setConsent("granted");
  client.step("under way");
  await browser.advance(10_000);
  client.step("waiting");
  await browser.settle();
  client.step("draft");
  assertEquals(watch.entries().map(({ state }) => state).filter((state) => state !== "note" && state !== "done"), [
    ...["sent", "waiting", "waiting", "recorded"],
  ]);

  client.setConsent("denied");
  await browser.settle();

  assertEquals(eventsOf(stage).map((line) => line.split(" | ")[0]), ["dropped", "dropped", "dropped", "dropped"]);
  assertEquals([watch.status().waiting, watch.status().underWay, watch.status().drops], [0, 0, { consent: 4 }]);
});

Deno.test("a failed request waits, says until when, and is sent once more", async () => {
  const stage = start();
  const { browser, client, watch } = stage;
  const text = Promise.resolve('{"error":{"message":"a moment"}}');
  browser.respond({ status: 503, retryAfterMs: 20_000, text });
  client.step("signup");
  await browser.advance(5000);

  assertEquals(linesOf(stage).slice(2), ["waiting | signup | 503: a moment", "note | the next attempt is in 20.0 s"]);
  const { waiting, underWay, retryMs } = watch.status();
  assertEquals([waiting, underWay, retryMs], [1, 0, 20_000]);

  browser.respond("hang");
  await browser.advance(21_000);
  assertEquals(eventsOf(stage), ["sent | signup | once more"]);
  assertEquals([watch.status().waiting, watch.status().underWay, watch.status().retryMs], [0, 1, 0]);

  await browser.advance(30_000);
  assertEquals(eventsOf(stage), ["waiting | signup | no answer"]);
});

Deno.test("what the ingest refuses is refused with its words, and what goes with it is dropped", async () => {
  const stage = start();
  const { browser, client } = stage;
  browser.blockStorage();
  browser.respond({ status: 400, text: Promise.resolve('{"error":{"message":"no such key"}}') });
  client.step("bad");
  await browser.advance(5000);
  browser.respond({ status: 413 });
  client.step("large");
  await browser.advance(5000);
  browser.respond({ status: 503, retryAfterMs: 20_000 });
  client.step("early");
  await browser.advance(5000);
  client.step("late");
  browser.respond(({ body }) => body.events.some(({ name }) => name === "late") ? refuse() : { status: 503 });
  await browser.advance(60_000);

  assertEquals(eventsOf(stage), [
    "refused | bad | 400: no such key",
    "refused | large | 413",
    "dropped | early | stopped",
    "refused | late | 401: no such key",
  ]);
  assert(linesOf(stage).includes("warning | stopped until init(): 401: no such key"));
  assertEquals(stage.watch.status().drops, { rejected: 1, too_large: 1, stopped: 2 });
});

Deno.test("what a refusal leaves on the device is stored", async () => {
  const stage = start({ maxBatchSize: 1 });
  stage.browser.respond({ status: 503 });
  stage.client.step("refused");
  stage.client.step("signup");
  await stage.browser.advance(1000);
  stage.browser.respond(refuse());
  await stage.browser.advance(60_000);

  assertEquals(eventsOf(stage), [
    "refused | refused | 401: no such key",
    "stored | signup | a later visit with consent sends it",
  ]);
});

Deno.test("a batch that is too large for the ingest is shown in halves", async () => {
  const stage = start();
  stage.browser.respond(({ body }) => ({ status: body.events.length > 1 ? 413 : 202 }));
  stage.client.step("one");
  stage.client.step("two");
  await stage.browser.advance(5000);

  assertEquals(eventsOf(stage), ["delivered | one | 202", "delivered | two | 202"]);
});

Deno.test("a pageview that a redirect moves is one, of the last URL; one that it takes back is no view", async () => {
  const stage = start({ trackPageviews: true });
  const { browser, page } = stage;
  await browser.advance(6000);
  for (let visit = 0; visit < 2; visit++) {
    page.pushState("/account");
    page.replaceState("/sign-in");
    await browser.advance(6000);
  }

  assertEquals(eventsOf(stage).map((line) => line.split(" | ")[0]), ["delivered", "delivered", "taken back"]);
  assert(stage.watch.entries().at(-2)?.json?.includes("/sign-in"));
});

Deno.test("an aggregate that a grant replaces is taken back where it was queued before anybody watched", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas", { title: "Teas" });
  const client = createInstance(page.environment);
  client.init({ apiKey: "pk_test", trackPageviews: "auto", consent: "pending" });
  await browser.advance(1000);
  const watch = watchOf(client);
  watch.status(); // as the panel does, which finds what is queued

  client.setConsent("granted");
  await browser.advance(6000);

  assertEquals(eventsOf({ watch }).map((line) => line.split(" | ")[0]), ["taken back", "delivered"]);
});

Deno.test("an aggregate that a grant replaces is taken back, from the drafts or from the queue", async () => {
  for (const delayMs of [0, 100]) {
    const stage = start({ trackPageviews: "auto", consent: "pending" });
    if (delayMs) await stage.browser.advance(delayMs);
    stage.client.setConsent("granted");
    await stage.browser.advance(6000);

    assertEquals(eventsOf(stage).map((line) => line.split(" | ")[0]), ["taken back", "delivered"]);
  }
});

Deno.test("redacted events have a line, and others the JSON that a rule made of them", async () => {
  const stage = start();
  stage.client[INSIDE].hooks.beforeSend.push((event) => {
    if (event.draft.name === "broken") throw new Error("a rule that fails");
    return event.draft.name === "secret" ? undefined : { ...event, text: event.text.replace("old", "new") };
  });
  for (const name of ["secret", "old", "secret", "broken"]) stage.client.step(name);
  await stage.browser.advance(5000);

  assertEquals(eventsOf(stage), [
    ...["redacted | secret", "delivered | old | 202", "redacted | secret", "redacted | broken"],
  ]);
  assertEquals(JSON.parse(stage.watch.entries().find(({ json }) => json)?.json ?? "").name, "new");
  assertEquals(stage.watch.status().drops, { redacted: 3 });
});

Deno.test("what waits already is there when the inspector opens, and what an earlier page left when it's found", async () => {
  const browser = createTestBrowser();
  browser.goOffline();
  const earlier = browser.open("https://shop.example/");
  createClient({ apiKey: "pk_test" }, earlier.environment).step("left");
  await browser.advance(6000);
  earlier.crash();
  await browser.advance(60_000);
  const { environment } = browser.open("https://shop.example/");
  const client = createClient({ apiKey: "pk_test", flushInterval: 10_000 }, environment);
  client.step("early");
  await browser.settle();

  const watch = watchOf(client as unknown as Instance);
  assertEquals(linesOf({ watch }), ["waiting | early | from an earlier page, or from before the inspector"]);
  browser.goOnline();
  await browser.advance(20_000);

  assertEquals(eventsOf({ watch }), ["delivered | early | 202", "delivered | left | 202"]);
});

Deno.test("the status says whom events belong to and what is stored, and reads nothing unless consent is granted", async () => {
  const { browser, page, client, watch } = start({ consent: "pending", trackPageviews: "auto" });
  await browser.advance(100);
  const { storage } = page.touched;
  const { owner, stored, waiting } = watch.status();
  assertEquals([owner, stored, waiting, page.touched.storage], [undefined, undefined, 1, storage]);

  client.setConsent("granted");
  client.step("signup");
  await browser.advance(3000);
  const { identity, sessionId } = JSON.parse(watch.entries().find(({ name }) => name === "signup")?.json ?? "");
  const status = watch.status();
  assertEquals(status.owner, { visitor: identity.anonymousId, session: sessionId, user: null });
  assertEquals(status.stored?.map(({ meaning }) => meaning), [
    "a page that lives, and sends its own events",
    "2 undelivered events",
    "the session, a random ID and two times",
    "the visitor, a random ID",
  ]);

  client.identify("user-42");
  client.identify("");
  assertEquals(watch.status().owner?.user, "user-42");
  client.reset();
  assertEquals(watch.status().owner, undefined);
  client.setConsent("denied");
  assertEquals([watch.status().owner, watch.status().stored], [undefined, undefined]);
});

Deno.test("the list is bounded, and clearing it keeps what isn't done", async () => {
  const stage = start();
  const { browser, client, watch } = stage;
  for (let index = 0; index < MAX_ENTRIES + 50; index++) client.step(`step ${index}`);
  await browser.advance(10_000);
  assertEquals(watch.entries().length, MAX_ENTRIES);
  assertEquals(linesOf(stage).at(-1), "delivered | step 549 | 202");

  client.step("fresh");
  watch.clear();
  assertEquals(linesOf(stage), ["recorded | fresh"]);
});
