/**
 * What the model-based test found, each as the shortest sequence of calls that shows it.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { EXIT_LEASE_MS, LOOK_SPREAD_MS } from "../../src/client/base/limits.ts";
import { entryKeys } from "../support/entries.ts";
import { namesOf, startVisit } from "../support/visit.ts";
import { refuse } from "../support/refuse.ts";

Deno.test("a batch that always fails holds up no later event", async () => {
  const { browser, client, page } = startVisit({ flushInterval: 1000 });
  browser.respond(({ body }) => ({ status: body.events.some(({ name }) => name === "poison") ? 500 : 202 }));
  client.step("poison");
  await browser.advance(1000);

  client.step("later");
  await browser.advance(600_000);

  assertEquals(namesOf(page.events), ["later"]);
});

Deno.test("a page that comes back adopts what others left while it slept", async () => {
  const { browser, client, page } = startVisit();
  client.step("wakes");
  await browser.advance(60_000);
  page.freeze();
  browser.respond({ status: 503 });
  const other = startVisit({}, { browser });
  other.client.step("left");
  other.page.close();
  await browser.settle();
  browser.respond({ status: 202 });

  page.restore();
  await browser.advance(EXIT_LEASE_MS + LOOK_SPREAD_MS);

  assertEquals(namesOf(page.events), ["wakes", "left"]);
});

Deno.test("a page that followed another one's reset() finds a denial when it comes back", async () => {
  const { browser, client, page } = startVisit();
  const other = startVisit({}, { browser });
  await browser.settle();
  other.client.reset();
  await browser.settle();
  page.freeze();
  other.client.setConsent("denied");
  await browser.settle();

  page.restore();

  assertEquals(client.getConsent(), "denied");
});

Deno.test("the leases of others don't put off the look at what was left", async () => {
  const { browser } = startVisit();
  await browser.advance(5000);
  browser.respond({ status: 503 });
  const busy = startVisit({ flushInterval: 100 }, { browser });
  const other = startVisit({}, { browser });
  other.client.step("left");
  other.page.close();
  await browser.settle();

  const sent = browser.requests.length;
  const dueMs = EXIT_LEASE_MS + LOOK_SPREAD_MS;
  for (let passedMs = 0; passedMs <= dueMs; passedMs += 400) {
    busy.client.step("busy"); // it saves, and renews its lease
    busy.page.hide();
    busy.page.show();
    await browser.advance(400);
  }

  const names = new Set(namesOf(browser.requests.slice(sent).flatMap(({ body }) => body.events)));
  assertEquals(names.has("left"), true);
});

Deno.test("the halves of a batch that was too large survive a crash", async () => {
  const { browser, client, page } = startVisit({ flushInterval: 1000 });
  browser.goOffline();
  client.step("first");
  client.step("second");
  await browser.advance(60_000);
  browser.respond(({ body }) => body.events.length > 1 ? { status: 413 } : "hang");

  browser.goOnline();
  await browser.settle();
  page.crash();

  assertEquals(entryKeys(browser).length, 2);
});

Deno.test("all events of a batch are counted when the ingest turns its key away, those that the device had too", async () => {
  const { browser, client } = startVisit({ flushInterval: 60_000 });
  client.step("saved");
  await browser.advance(30_000);
  client.step("last");
  browser.respond(refuse());

  await client.flush();
  await browser.settle();

  assertEquals([client.drops(), entryKeys(browser)], [{ stopped: 2 }, []]);
});

Deno.test("a page that was frozen as soon as it had loaded hears of a denial once it's back", async () => {
  const { browser, client, page } = startVisit();
  page.freeze();
  page.restore();
  await browser.settle();

  startVisit({ consent: "denied" }, { browser });
  await browser.settle();

  assertEquals(client.getConsent(), "denied");
});
