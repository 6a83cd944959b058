import { assertEquals, assertLessOrEqual } from "@std/assert";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { createRandom } from "../../faults/random.ts";
import { startVisit } from "../../support/visit.ts";

/** Ten minutes of a page that stays in front, and how often something happens on it, in milliseconds. */
const VISIT_MS = 600_000;
const EVENT_INTERVAL_MS = 2000;

/** Most requests in that time. */
const MAX_REQUESTS = 12;

/** Stays on a page whose requests all fail, as a blocker or a policy makes them, and returns how many there were. */
async function countRequests(random: () => number): Promise<number> {
  const { browser, page, client } = startVisit({}, { browser: createTestBrowser({ random }) });
  browser.respond({ status: 0 });
  for (let passedMs = 0; passedMs < VISIT_MS; passedMs += EVENT_INTERVAL_MS) {
    client.step("blocked");
    await browser.advance(EVENT_INTERVAL_MS);
  }
  const requests = page.requests.length;
  client.close();
  return requests;
}

Deno.test("a page whose endpoint is blocked makes twelve requests at most in ten minutes", async () => {
  const seeds = Array.from({ length: 20 }, (_, index) => createRandom(index + 1).next);
  const extremes = [() => 0, () => 1 - Number.EPSILON];

  const counts: number[] = [];
  for (const random of [...seeds, ...extremes]) counts.push(await countRequests(random));

  assertLessOrEqual(Math.max(...counts), MAX_REQUESTS, counts.join());
  assertEquals(counts.filter((count) => count === 0), []);
});
