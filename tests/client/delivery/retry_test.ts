import { assertEquals } from "@std/assert";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { at, namesOf, startVisit, type Visit } from "../../support/visit.ts";

const BACKOFFS = [
  { random: 0, seconds: [0.5, 1, 2, 4, 8, 16, 32, 64, 128, 150, 150] },
  { random: 0.999_999, seconds: [1, 2, 4, 8, 16, 32, 64, 128, 256, 300, 300] },
];

for (const { random, seconds } of BACKOFFS) {
  Deno.test(`createClient() backs off from 1 s to 5 minutes, half of it fixed, with random numbers of ${random}`, async () => {
    const { browser, page, client } = startVisit();
    browser.setRandom(random);
    browser.respond({ status: 503 });

    client.step("a");
    await browser.advance(1_200_000);

    const times = page.requests.map(({ timeMs }) => timeMs).slice(0, seconds.length + 1);
    const waits = times.slice(1).map((timeMs, i) => Math.round((timeMs - at(times, i)) / 100) / 10);
    assertEquals(waits, seconds);
    client.close();
  });
}

Deno.test("createClient() starts its backoff over after an answer", async () => {
  const { browser, page, client } = startVisit();
  browser.respond({ status: 503 });
  client.step("a");
  await browser.advance(40_000);
  browser.respond({ status: 202 });
  await browser.advance(60_000);
  browser.respond({ status: 503 });
  const before = page.requests.length;

  client.step("b");
  await browser.advance(5000 + 750);

  assertEquals(page.requests.length - before, 2);
  client.close();
});

/** What a page does while it waits, and whether that ends a backoff. */
const MOMENTS: readonly { what: string; endsBackoff: boolean; act: (visit: Visit) => unknown }[] = [
  { what: "flush()", endsBackoff: false, act: ({ client }) => client.flush() },
  { what: "the timer", endsBackoff: false, act: ({ client }) => client.step("b") },
  { what: "the size", endsBackoff: false, act: ({ client }) => Array.from({ length: 120 }, () => client.step("b")) },
  { what: "page hide", endsBackoff: true, act: ({ page }) => page.hide() },
  {
    what: "becoming visible",
    endsBackoff: true,
    async act({ browser, page }) {
      browser.respond(({ keepalive }) => ({ status: keepalive ? 503 : 202 }));
      page.hide();
      await browser.settle();
      page.show();
    },
  },
  {
    what: "the network's return",
    endsBackoff: true,
    act({ browser }) {
      browser.goOffline();
      browser.goOnline();
    },
  },
];

for (const { what, endsBackoff, act } of MOMENTS) {
  Deno.test(`createClient() ${endsBackoff ? "ends" : "doesn't end"} a backoff at ${what}`, async () => {
    const visit = await startWaiting(503, { durationMs: 60_000 });
    const { browser, page, client } = visit;

    await act(visit);
    await browser.advance(10_000);

    assertEquals(page.events.length > 0, endsBackoff);
    client.close();
  });

  Deno.test(`createClient() doesn't shorten a Retry-After at ${what}`, async () => {
    const visit = await startWaiting(429, { retryAfterMs: 20_000 });
    const { browser, page, client } = visit;

    await act(visit);
    await browser.advance(19_999);
    const before = page.requests.length;
    await browser.advance(1);

    assertEquals([before, namesOf(page.events)[0]], [1, "a"]);
    client.close();
  });
}

const RETRY_AFTERS = [
  { status: 408, retryAfterMs: 10_000, waitedMs: 10_000 },
  { status: 425, retryAfterMs: 10_000, waitedMs: 10_000 },
  { status: 429, retryAfterMs: 86_400_000, waitedMs: 300_000 },
  { status: 500, retryAfterMs: 10_000, waitedMs: 10_000 },
  { status: 503, retryAfterMs: 299_999, waitedMs: 299_999 },
  { status: 503, retryAfterMs: 0, waitedMs: 750 },
];

for (const { status, retryAfterMs, waitedMs } of RETRY_AFTERS) {
  Deno.test(`createClient() waits ${waitedMs} ms at ${status} with a Retry-After of ${retryAfterMs} ms`, async () => {
    const { browser, page, client } = await startWaiting(status, { retryAfterMs });
    browser.setNow(browser.now() + 86_400_000); // whatever the clock shows

    await browser.advance(waitedMs - 1);
    const before = page.requests.length;
    await browser.advance(1);

    assertEquals([before, page.requests.length], [1, 2]);
    client.close();
  });
}

for (const [first, second] of [[20_000, 5000], [5000, 20_000], [20_000, 0]] as const) {
  Deno.test(`createClient() waits for the longer of two Retry-Afters, ${first} and ${second} ms`, async () => {
    const { browser, page, client } = startVisit({ maxBatchSize: 1 });
    browser.respond("hang");
    client.step("a");
    client.step("b");
    page.hide();
    at(page.requests, 0).answer({ status: 429, retryAfterMs: first });
    at(page.requests, 1).answer({ status: 503, retryAfterMs: second });
    browser.respond({ status: 202 });

    await browser.advance(19_999);
    const before = page.requests.length;
    await browser.advance(1);

    assertEquals([before, namesOf(page.events)], [2, ["a", "b"]]);
    client.close();
  });
}

Deno.test("createClient() holds aggregates back as well while a Retry-After lasts", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto" });
  browser.respond({ status: 429, retryAfterMs: 20_000 });
  await browser.advance(5000);
  browser.respond({ status: 202 });

  client.setConsent("pending");
  page.pushState("/cart");
  await browser.advance(19_999);
  const before = page.requests.length;
  await browser.advance(1);

  assertEquals([before, page.requests.length], [1, 2]);
  client.close();
});

Deno.test("createClient() backs off offline, and goes on at once online", async () => {
  const { browser, page, client } = startVisit({ maxBatchSize: 1 });
  browser.goOffline();
  client.step("a");
  await browser.advance(600_000);
  const attempts = page.requests.length;

  browser.goOnline();
  await browser.settle();

  assertEquals([attempts < 15, namesOf(page.events)], [true, ["a"]]);
  client.close();
});

Deno.test("createClient() waits for a second again after an hour offline", async () => {
  const { browser, page, client } = startVisit();
  browser.goOffline();
  client.step("a");
  await browser.advance(3_600_000);
  browser.respond({ status: 0 }); // no name is resolved yet
  browser.goOnline();
  await browser.settle();
  browser.respond({ status: 202 });
  await browser.advance(10_000);

  assertEquals(namesOf(page.events), ["a"]);
  client.close();
});

Deno.test("createClient() loses nothing in an outage over several visits", async () => {
  const browser = createTestBrowser();
  browser.respond({ status: 502 });
  for (let visit = 0; visit < 6; visit++) {
    const { page, client } = startVisit({}, { browser });
    for (let i = 0; i < 60; i++) client.step(`${visit}.${i}`);
    await browser.advance(600_000);
    client.close();
    page.close();
  }
  let requests = 0;
  browser.respond(() => ({ status: requests++ % 3 ? 202 : 502 }));

  const { client } = startVisit({}, { browser });
  await browser.advance(600_000);

  assertEquals([new Set(browser.events.map(({ id }) => id)).size, client.drops()], [360, {}]);
  client.close();
});

/** Sends an event into such answers for a while, by default into one; later requests are accepted. */
async function startWaiting(
  status: number,
  { retryAfterMs = 0, durationMs = 5000 }: { readonly retryAfterMs?: number; readonly durationMs?: number },
): Promise<Visit> {
  const visit = startVisit();
  visit.browser.respond({ status, retryAfterMs });
  visit.client.step("a");
  await visit.browser.advance(durationMs);
  visit.browser.respond({ status: 202 });
  return visit;
}
