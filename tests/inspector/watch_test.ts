import { assert, assertEquals, assertThrows } from "@std/assert";
import { createClient } from "../../src/client.ts";
import { INSIDE } from "../../src/inside.ts";
import { isWatchable, type Watch, watchClient } from "../../src/inspector/watch.ts";
import { MAX_ENTRIES } from "../../src/inspector/entries.ts";
import { createInstance, type Instance } from "../../src/instance.ts";
import { withRedaction } from "../../src/redact/mod.ts";
import {
  createTestBrowser,
  type PageEnvironment,
  type TestBrowser,
  type TestBrowserOptions,
  type TestPage,
} from "../../src/testing/mod.ts";
import type { InitConfig } from "../../src/types.ts";

interface Stage {
  readonly browser: TestBrowser;
  readonly page: TestPage;
  readonly client: Instance;
  readonly watch: Watch;
}

function watchOf(client: Pick<Instance, typeof INSIDE | "getConsent" | "drops">): Watch {
  const inside = client[INSIDE];
  assert(isWatchable(inside));
  return watchClient(client, { ...inside, getConsent: client.getConsent, drops: client.drops });
}

function start(config: Partial<InitConfig> = {}, options: TestBrowserOptions = {}): Stage {
  const browser = createTestBrowser(options);
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

Deno.test("an event goes from recorded over waiting and sent to delivered, and its line has its JSON", async () => {
  const stage = start();
  const { browser, page, client, watch } = stage;
  const seen: string[] = [];
  watch.onChange(() => seen.push(watch.entries().find(({ name }) => name === "signup")?.state ?? "none"));

  client.step("signup", { plan: "pro" });
  await browser.advance(5000);

  assertEquals([...new Set(seen)], ["recorded", "waiting", "sent", "delivered"]);
  assertEquals(linesOf(stage), ["done | init() | consent: granted", "delivered | signup | 202"]);
  assertEquals(JSON.parse(watch.entries()[1]?.json ?? ""), page.events[0]);
});

Deno.test("what consent holds back says why, and which call it was", () => {
  const stage = start({ consent: "pending" });

  stage.client.step("signup", { plan: "pro" });
  stage.client.setConsent("denied");
  stage.client.identify("user-42");

  assertEquals(linesOf(stage), [
    "done | init() | consent: pending",
    'held back | step("signup") | consent is pending',
    'done | setConsent("denied")',
    'held back | identify("user-42") | consent is denied',
  ]);
});

Deno.test("an init() that throws says why, and throws", () => {
  const stage = start();

  assertThrows(() => stage.client.init({ apiKey: "" }), Error, "Missing required configuration");

  assertEquals(linesOf(stage).at(-1), "ignored | init() | Error: Missing required configuration");
});

Deno.test("wrong calls, warnings and events that are too large have a line each", () => {
  const stage = start();

  stage.client.step("");
  stage.client.step("large", { text: "x".repeat(40_000) });
  stage.client.step("cyclic", new Proxy({}, { ownKeys: () => [].map.call(null as never, () => "") as never }));

  assertEquals(linesOf(stage), [
    "done | init() | consent: granted",
    'ignored | step("") | invalid argument',
    'dropped | step("large") | too_large',
    'warning | step("cyclic") | left out: unreadable',
    "recorded | cyclic",
  ]);
});

Deno.test("a denial drops drafts, what waits and what is under way", async () => {
  const stage = start();
  const { browser, client } = stage;
  browser.respond("hang");
  client.step("under way");
  await browser.advance(5000);
  client.step("waiting");
  await browser.settle();
  client.step("draft");

  client.setConsent("denied");
  await browser.settle();

  assertEquals(linesOf(stage), [
    "done | init() | consent: granted",
    "dropped | under way | consent",
    "dropped | waiting | consent",
    "dropped | draft | consent",
    'done | setConsent("denied")',
  ]);
});

Deno.test("a failed request waits, says until when, and is sent once more", async () => {
  const stage = start();
  const { browser, client, watch } = stage;
  browser.respond({ status: 503, retryAfterMs: 20_000 });
  client.step("signup");
  await browser.advance(5000);

  assertEquals(linesOf(stage).slice(1), ["waiting | signup | 503", "note | the next attempt is in 20.0 s"]);
  const { waiting, underWay, retryMs } = watch.status();
  assertEquals([waiting, underWay, retryMs], [1, 0, 20_000]);

  browser.respond({ status: 202 });
  await browser.advance(21_000);

  assertEquals(linesOf(stage)[1], "delivered | signup | 202");
  assertEquals([watch.status().waiting, watch.status().retryMs], [0, 0]);
});

Deno.test("a request that is never answered says so, and is sent once more", async () => {
  const stage = start();
  const { browser, client } = stage;
  browser.respond("hang");
  client.step("signup");

  await browser.advance(35_100);
  assertEquals(linesOf(stage)[1], "waiting | signup | no answer");

  await browser.advance(1000);
  assertEquals(linesOf(stage)[1], "sent | signup | once more");
});

Deno.test("an event that waits is dropped, not refused, where the ingest refuses another one", async () => {
  const stage = start();
  const { browser, client } = stage;
  browser.respond({ status: 503, retryAfterMs: 20_000 });
  browser.blockStorage();
  client.step("early");
  await browser.advance(5000);
  client.step("late");
  browser.respond(({ body }) => ({ status: body.events.some(({ name }) => name === "late") ? 401 : 503 }));
  await browser.advance(60_000);

  const [, early, , late] = linesOf(stage).filter((line) => !line.startsWith("note") || line.includes("20.0"));
  assertEquals([early, late], ["dropped | early | stopped", "refused | late | 401"]);
});

Deno.test("what the ingest refuses is refused with its status, and what it stops is dropped", async () => {
  const stage = start();
  const { browser, client, watch } = stage;
  browser.respond({ status: 400 });
  client.step("bad");
  await browser.advance(5000);
  browser.respond({ status: 401 });
  client.step("stopped");
  await browser.advance(5000);

  assertEquals(linesOf(stage).filter((line) => !line.startsWith("done")), [
    "refused | bad | 400",
    "refused | stopped | 401",
    "warning | stopped until init(): 401",
  ]);
  assertEquals(watch.status().drops, { rejected: 1 });
});

Deno.test("what consent no longer covers is stored, where the device has it", async () => {
  const stage = start();
  const { browser, client } = stage;
  browser.goOffline();
  client.step("signup");
  await browser.advance(8000);

  client.setConsent("pending");
  await browser.settle();

  const line = linesOf(stage).find((text) => text.includes("signup"));
  assertEquals(line, "stored | signup | a later visit with consent sends it");
  assertEquals([...browser.storage.keys()].some((key) => key.startsWith("vendor.sdk.outbox.")), true);
});

Deno.test("a batch that is too large for the ingest is shown in halves", async () => {
  const stage = start();
  const { browser, client } = stage;
  browser.respond(({ body }) => ({ status: body.events.length > 1 ? 413 : 202 }));

  client.step("one");
  client.step("two");
  await browser.advance(5000);

  assertEquals(linesOf(stage).slice(1), ["delivered | one | 202", "delivered | two | 202"]);
});

Deno.test("a pageview that a redirect moves is one, of the last URL; one that it takes back is no view", async () => {
  const stage = start({ trackPageviews: true });
  const { browser, page } = stage;
  await browser.advance(6000);

  page.pushState("/account");
  page.replaceState("/sign-in");
  await browser.advance(6000);
  page.pushState("/account");
  page.replaceState("/sign-in");
  await browser.advance(6000);

  assertEquals(linesOf(stage).slice(1).map((line) => line.split(" | ")[0]), ["delivered", "delivered", "taken back"]);
  assertEquals(stage.watch.entries().at(-2)?.json?.includes("/sign-in"), true);
});

Deno.test("an aggregate that a grant replaces is taken back, from the drafts or from the queue", async () => {
  for (const delayMs of [0, 100]) {
    const stage = start({ trackPageviews: "auto", consent: "pending" });
    if (delayMs) await stage.browser.advance(delayMs);

    stage.client.setConsent("granted");
    await stage.browser.advance(6000);

    const states = stage.watch.entries().filter(({ name }) => name === "$pageview").map(({ state }) => state);
    assertEquals(states, ["taken back", "delivered"]);
  }
});

Deno.test("redacted events have a line, under the name that the application gave them", async () => {
  const browser = createTestBrowser();
  const { environment } = browser.open("https://shop.example/");
  const rules = withRedaction(
    environment,
    (event) => event.name === "secret" ? null : { ...event, name: event.name.replace("old", "new") },
    (event) => {
      if (event.name === "broken") throw new Error("a rule that fails");
      return event;
    },
  );
  const client = createClient({ apiKey: "pk_test" }, rules) as unknown as Instance;
  const watch = watchOf(client);

  for (const name of ["secret", "old", "secret", "broken", "plain"]) client.step(name);
  await browser.advance(5000);

  const events = watch.entries().filter(({ state }) => state !== "warning" && state !== "note");
  assertEquals(events.map(({ state, name }) => `${state} ${name}`), [
    "redacted secret",
    "delivered old",
    "redacted secret",
    "redacted broken",
    "delivered plain",
  ]);
  assertEquals(JSON.parse(events[1]?.json ?? "").name, "new");
  assertEquals(watch.status().drops, { redacted: 3 });
});

Deno.test("what waits already is there when the inspector opens, and what an earlier page left when it's found", async () => {
  const browser = createTestBrowser();
  browser.goOffline();
  const earlier = browser.open("https://shop.example/");
  createInstance(earlier.environment).init({ apiKey: "pk_test" });
  const first = createInstance(earlier.environment);
  first.init({ apiKey: "pk_test" });
  first.step("left");
  await browser.advance(6000);
  earlier.crash();
  await browser.advance(60_000);
  const { environment } = browser.open("https://shop.example/");
  const client = createInstance(environment);
  client.init({ apiKey: "pk_test", flushInterval: 10_000 });
  client.step("early");
  await browser.settle();

  const watch = watchOf(client);
  assertEquals(linesOf({ watch }), ["waiting | early | from an earlier page, or from before the inspector"]);
  browser.goOnline();
  await browser.advance(20_000);

  assertEquals(linesOf({ watch }).toSorted(), ["delivered | early | 202", "delivered | left | 202"]);
});

Deno.test("the status says whom events belong to and what is stored, and reads nothing unless consent is granted", async () => {
  const { browser, page, client, watch } = start({ consent: "pending", trackPageviews: "auto" });
  await browser.advance(100);
  const { storage } = page.touched;

  const { owner, stored, waiting } = watch.status();
  assertEquals([owner, stored, waiting], [undefined, undefined, 1]);
  assertEquals(page.touched.storage, storage);

  client.setConsent("granted");
  client.identify("user-42");
  client.step("signup");
  await browser.advance(3000);

  const [event] = watch.entries().filter(({ name }) => name === "signup");
  const { identity, sessionId } = JSON.parse(event?.json ?? "");
  const status = watch.status();
  assertEquals(status.owner, { visitor: identity.anonymousId, session: sessionId, user: "user-42" });
  assertEquals(status.stored?.map(({ meaning }) => meaning), [
    "a page that lives, and sends its own events",
    "2 undelivered events",
    "the session, a random ID and two times",
    "the visitor, a random ID",
  ]);

  client.setConsent("denied");
  assertEquals([watch.status().owner, watch.status().stored], [undefined, undefined]);
});

Deno.test("the status has the user of now: before the next event, and after a second init()", async () => {
  const { browser, client, watch } = start();
  const { identify } = createInstance(browser.open("https://shop.example/").environment);
  client.step("signup");
  await browser.settle();
  assertEquals(watch.status().owner?.user, null);

  client.identify("user-42");
  assertEquals(watch.status().owner?.user, "user-42");
  client.identify("");
  identify("user of another client");
  assertEquals(watch.status().owner?.user, "user-42");

  client.init({ apiKey: "pk_test" });
  assertEquals(watch.status().owner?.user, null);
});

Deno.test("another client in the same environment has no lines", async () => {
  const stage = start();
  const other = createInstance(stage.page.environment);
  other.init({ apiKey: "pk_other" });

  other.step("elsewhere");
  await stage.browser.advance(5000);

  assertEquals(linesOf(stage), ["done | init() | consent: granted"]);
  assertEquals(stage.page.events.length, 1);
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

/** A visit with a bit of everything. Returns all that left and all that was stored. */
async function visit(isWatched: boolean): Promise<unknown> {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas?sort=price", { title: "Teas", referrer: "https://a.example/" });
  const client = createInstance(page.environment);
  const watch = isWatched ? watchOf(client) : undefined;
  const stored: unknown[] = [];
  const pass = async (durationMs: number): Promise<void> => {
    await browser.advance(durationMs);
    watch?.status();
    stored.push([...browser.storage]);
  };
  client.init({ apiKey: "pk_test", trackPageviews: "auto", consent: "pending", debug: true });
  client.step("too early");
  client.identify("user-42", { plan: "pro" });
  await pass(6000);
  client.setConsent("granted");
  const { step } = client;
  step("signup", { plan: "pro", nested: { list: [1, 2] } });
  await pass(500);
  page.pushState("/account");
  page.replaceState("/sign-in");
  page.setTitle("Sign in");
  browser.respond({ status: 503, retryAfterMs: 2000 });
  await pass(6000);
  browser.respond(({ body }) => ({ status: body.events.length > 2 ? 413 : 202 }));
  for (const name of ["a", "b", "c"]) client.step(name);
  client.step("");
  client.step("large", { text: "x".repeat(40_000) });
  await pass(60_000);
  page.hide();
  page.show();
  client.reset();
  client.page();
  client.step("next visitor");
  const flushed = client.flush();
  await pass(10_000);
  await flushed;
  browser.respond({ status: 400 });
  client.step("bad");
  await pass(6000);
  browser.respond("hang");
  client.step("withdrawn");
  await pass(6000);
  client.setConsent("denied");
  client.step("never");
  await pass(6000);
  client.setConsent("granted");
  browser.respond({ status: 202 });
  client.step("again");
  await pass(100);
  page.close();
  await pass(60_000);
  const requests = page.requests.map(({ timeMs, text, headers, keepalive, state, status }) => {
    return { timeMs, text, headers, keepalive, state, status };
  });
  return { requests, stored, logs: page.logs, drops: client.drops(), now: browser.now() };
}

Deno.test("a visit is the same with the inspector and without it: requests, storage, messages and drops", async () => {
  const without = await visit(false);

  assertEquals(await visit(true), without);
});

Deno.test("closing puts every method back, and the client goes on", async () => {
  const { browser, page, client, watch } = start();
  const parts = (): readonly unknown[] => {
    const { environment, report, capture, queue } = client[INSIDE];
    return [client, environment, report, capture, queue].flatMap((part) => Object.values(part));
  };
  const during = parts();
  watch.close();
  const after = parts();
  const fresh = createInstance(page.environment);

  assertEquals(after.filter((method, index) => method !== during[index]).length, 7 + 1 + 3 + 3 + 3);
  assertEquals(after.length, during.length);
  const again = watchOf(client);
  again.close();
  assertEquals(parts().every((method, index) => method === after[index]), true);
  client.step("after");
  fresh.close();
  await browser.advance(5000);
  assertEquals(page.events.map(({ name }) => name), ["after"]);
  assertEquals(watch.entries().length, 1);
});

Deno.test("a method that something else wrapped meanwhile is left to it, and passes on", async () => {
  const { browser, page, client, watch } = start();
  const environment = page.environment as PageEnvironment;
  const { send } = environment;
  let sent = 0;
  environment.send = (request, onAnswer) => {
    sent++;
    return send(request, onAnswer);
  };

  watch.close();
  client.step("signup");
  await browser.advance(5000);

  assertEquals([sent, page.events.length], [1, 1]);
});

Deno.test("in an environment that is frozen the client goes on, and its requests aren't seen", async () => {
  const browser = createTestBrowser();
  const { environment } = browser.open("https://shop.example/");
  const client = createInstance(Object.freeze({ ...environment }));
  client.init({ apiKey: "pk_test" });
  const watch = watchOf(client);

  client.step("signup");
  await browser.advance(5000);

  assertEquals(linesOf({ watch }).at(-1), "waiting | signup");
  assertEquals(browser.events.length, 1);
});
