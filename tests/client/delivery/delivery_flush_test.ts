import { assertEquals } from "@std/assert";
import { createClient } from "../../../src/client/mod.ts";
import type { Change, Hooks } from "../../../src/client/hooks.ts";
import { INSIDE } from "../../../src/client/inside.ts";
import { createInstance } from "../../../src/client/instance.ts";
import { createHeadlessEnvironment } from "../../../src/client/platform/headless.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { at, namesOf, startVisit, type Visit } from "../../support/visit.ts";
import { refuse } from "../../support/refuse.ts";

Deno.test("flush() sends the pageview that awaits its title, and what comes after it", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: true });
  client.step("a");

  await settled(browser, client.flush());

  assertEquals(namesOf(page.events), ["$pageview", "a"]);
  client.close();
});

for (
  const [who, listen] of [
    ["a rule", ({ beforeSend }, hear) =>
      beforeSend.push((event) => {
        hear(event.draft.name);
        return event;
      })],
    ["a listener", ({ on }, hear) =>
      on.push((change: Change) => {
        if (change.type === "queued") hear(change.event.draft.name);
      })],
  ] as readonly (readonly [string, (hooks: Hooks, hear: (name: string) => void) => void])[]
) {
  Deno.test(`flush() by ${who} leaves events in the order of their calls`, async () => {
    const browser = createTestBrowser();
    const page = browser.open("https://shop.example/teas");
    const instance = createInstance(page.environment);
    instance.init({ apiKey: "pk_test" });
    listen(instance[INSIDE].hooks, (name) => {
      if (name === "1") instance.flush();
    });
    const names = Array.from({ length: 1100 }, (_, i) => `${i}`);
    for (const name of names) instance.step(name);
    await browser.advance(10_000);

    assertEquals(namesOf(page.events), names);
    instance.close();
  });
}

Deno.test("flush() resolves when all is acknowledged, what came meanwhile too", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  client.step("a");
  client.step("b");
  const isDone = watch(client.flush());
  client.step("c");

  const seen: boolean[] = [];
  for (let i = 0; i < 3; i++) {
    await browser.settle();
    seen.push(isDone());
    at(page.requests, i).answer({ status: 202 });
  }
  await browser.settle();

  assertEquals([seen, isDone()], [[false, false, false], true]);
  client.close();
});

Deno.test("flush() while another one runs waits for its own events", async () => {
  const { browser, page, client } = startVisit();
  browser.respond("hang");
  client.step("a");
  client.flush();
  await browser.settle();
  client.step("b");
  const isDone = watch(client.flush());

  at(page.requests, 0).answer({ status: 202 });
  await browser.settle();
  const before = isDone();
  at(page.requests, 1).answer({ status: 202 });
  await browser.settle();

  assertEquals([before, isDone()], [false, true]);
  client.close();
});

/** What keeps an event from being sent now, before `flush()` and after it. */
const OBSTACLES: readonly {
  readonly what: string;
  readonly before?: (visit: Visit) => unknown;
  readonly after?: (visit: Visit) => unknown;
}[] = [
  { what: "no event at all, for all were acknowledged", before: ({ client }) => client.flush() },
  { what: "a drop", before: ({ browser }) => browser.respond({ status: 400 }) },
  { what: "a backoff", before: ({ browser }) => browser.respond({ status: 503 }) },
  { what: "a Retry-After", before: ({ browser }) => browser.respond({ status: 429, retryAfterMs: 60_000 }) },
  { what: "a stop", before: ({ browser }) => browser.respond(refuse()) },
  { what: "no network", before: ({ browser }) => browser.goOffline() },
  { what: "pending", before: ({ client }) => client.setConsent("pending") },
  { what: "denied", before: ({ client }) => client.setConsent("denied") },
  { what: "close()", before: ({ client }) => client.close() },
  { what: "denied meanwhile", after: ({ client }) => client.setConsent("denied") },
  { what: "close() meanwhile", after: ({ client }) => client.close() },
];

for (const { what, before, after } of OBSTACLES) {
  Deno.test(`flush() resolves at once where there is ${what}, and again`, async () => {
    const visit = startVisit();
    const { browser, client } = visit;
    client.step("a");
    void before?.(visit);
    await browser.settle();

    const flushed = client.flush();
    after?.(visit);

    await settled(browser, flushed);
    await settled(browser, client.flush());
    client.close();
  });
}

Deno.test("flush() resolves where there is no page", async () => {
  const client = createClient({ apiKey: "pk" }, createHeadlessEnvironment());

  await client.flush();
});

Deno.test("flush() resolves where the page has put something that throws in place of its timers", async () => {
  const { environment } = createTestBrowser().open("https://shop.example/");
  let isReplaced = false;
  const client = createClient({ apiKey: "pk" }, {
    ...environment,
    setTimer(callback, delayMs) {
      if (isReplaced) throw new Error("mine");
      return environment.setTimer(callback, delayMs);
    },
  });
  client.step("a");

  isReplaced = true;

  assertEquals(await client.flush(), undefined);
});

Deno.test("flush() leaves no timer of 30 seconds behind, for which a process would wait", async () => {
  const { environment } = createTestBrowser().open("https://shop.example/");
  const delays = new Map<symbol, number>();
  const client = createClient({ apiKey: "pk" }, {
    ...environment,
    setTimer(callback, delayMs) {
      const timer = Symbol();
      delays.set(timer, delayMs);
      const cancel = environment.setTimer(callback, delayMs);
      return () => {
        delays.delete(timer);
        cancel();
      };
    },
  });
  client.step("a");

  await client.flush();
  await Promise.resolve();

  assertEquals([...delays.values()].filter((delayMs) => delayMs === 30_000), []);
  client.close();
});

Deno.test("flush() resolves after 30 seconds at the latest", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.respond("hang");
  client.step("a");
  client.step("b");
  const isDone = watch(client.flush());
  await browser.advance(29_000);
  at(page.requests, 0).answer({ status: 202 });

  await browser.advance(999);
  const before = isDone();
  await browser.advance(1);

  assertEquals([before, isDone(), at(page.requests, 1).state], [false, true, "pending"]);
  client.close();
});

/** Fails unless the promise resolves without time passing. */
async function settled(browser: Visit["browser"], promise: Promise<void>): Promise<void> {
  const isDone = watch(promise);
  await browser.settle();
  assertEquals(isDone(), true, "not resolved");
}

function watch(promise: Promise<void>): () => boolean {
  let isDone = false;
  promise.then(() => isDone = true);
  return () => isDone;
}
