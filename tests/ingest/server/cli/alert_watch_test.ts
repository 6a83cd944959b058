import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { watchAlerts } from "../../../../src/ingest/server/cli/alert_watch.ts";
import type { ServerKey } from "../../../../src/ingest/server/cli/keys_file.ts";
import { buildPageview, SITE } from "../../reports/fixtures.ts";
import { createReferenceStore } from "../../reports/reference_store.ts";
import { KEY } from "../../reports/report_store.ts";

const HOOK = "https://hooks.example/T0/secret";

const SHOP: ServerKey = { apiKey: KEY, name: "shop", origins: [SITE], zone: "Europe/Berlin", alertWebhook: HOOK };

const HOUR_MS = 3_600_000;

/** Pageviews of a day, from which on nobody consents. */
function day(date: string, { full, aggregate }: Readonly<Record<"full" | "aggregate", number>>): StoredEvent[] {
  const timestamp = `${date}T12:00:00.000Z`;
  const views = (count: number, collection: "full" | "aggregate"): readonly StoredEvent[] =>
    Array.from({ length: count }, () => buildPageview({ timestamp, pageUrl: `${SITE}/`, collection }));
  return [...views(full, "full"), ...views(aggregate, "aggregate")];
}

const EVENTS = [
  ...day("2026-03-02", { full: 100, aggregate: 20 }),
  ...day("2026-03-03", { full: 100, aggregate: 20 }),
  ...day("2026-03-09", { full: 0, aggregate: 120 }),
  ...day("2026-03-10", { full: 0, aggregate: 120 }),
];

/** Watches from the morning of Tuesday 10 March on. */
function watch(statuses: readonly number[] = []) {
  const time = new FakeTime(Date.parse("2026-03-10T08:00:00.000Z"));
  const told: unknown[] = [];
  const logged: unknown[] = [];
  const keys = [SHOP];
  const watching = watchAlerts({
    keys: () => keys,
    reader: createReferenceStore(() => EVENTS),
    log: (level, message, fields) => void logged.push([level, message, fields]),
    now: Date.now,
    fetch: (url, { body }) => {
      const { site, day, alerts } = JSON.parse(String(body));
      told.push([url, site, day, alerts.length]);
      return Promise.resolve(new Response(null, { status: statuses[told.length - 1] ?? 200 }));
    },
  });
  return {
    ...{ time, told, logged, keys },
    [Symbol.dispose]: () => {
      watching.stop();
      time.restore();
    },
  };
}

Deno.test("the server tells the webhook of a day an hour after its end by the clocks of the key, and once", async () => {
  using watched = watch();
  const { time, told, logged } = watched;

  await time.tickAsync(16 * HOUR_MS - 1);
  // Monday was over at the start.
  assertEquals(told, []);
  await time.tickAsync(30 * HOUR_MS);

  assertEquals(told, [[HOOK, SITE, "2026-03-10", 1]]);
  assertEquals(logged, [
    ["info", "a day was looked at for alerts", { key: "shop", site: SITE, day: "2026-03-10", alerts: 1 }],
    ["info", "a day was looked at for alerts", { key: "shop", site: SITE, day: "2026-03-11", alerts: 0 }],
  ]);
});

Deno.test("the server tells a webhook again that didn't take it, and logs nothing of its address", async () => {
  using watched = watch([500, 204]);
  const { time, told, logged } = watched;

  await time.tickAsync(17 * HOUR_MS);

  assertEquals(told, Array(2).fill([HOOK, SITE, "2026-03-10", 1]));
  assertEquals(logged[0], [
    "error",
    "alerts failed",
    { key: "shop", reason: "the webhook didn't take the alert: 500" },
  ]);
});

Deno.test("the server looks for alerts of keys that came later, and of those that have a webhook alone", async () => {
  using watched = watch();
  const { time, told, logged, keys } = watched;

  const { alertWebhook: _, ...quiet } = SHOP;
  keys.splice(0, 1, quiet);
  await time.tickAsync(40 * HOUR_MS);
  assertEquals([told, logged], [[], []]);
  keys.splice(0, 1, SHOP);
  await time.tickAsync(HOUR_MS);

  // Nothing has happened on Wednesday.
  assertEquals([told.length, logged.length], [0, 1]);
});
