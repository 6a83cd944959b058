import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { watchAlerts } from "../../../../src/ingest/server/cli/alert_watch.ts";
import type { ReportReader } from "../../../../src/ingest/ports/reader.ts";
import type { ServerKey } from "../../../../src/ingest/server/cli/keys_file.ts";
import { buildPageview, SITE } from "../../reports/fixtures.ts";
import { createReferenceStore } from "../../reports/reference_store.ts";
import { KEY } from "../../reports/report_store.ts";

const HOOK = "https://hooks.example/T0/secret";

const SHOP: ServerKey = { apiKey: KEY, name: "shop", origins: [SITE], zone: "Europe/Berlin", alertWebhook: HOOK };

const HOUR_MS = 3_600_000;

/** Pageviews of a day, from which on nobody consents. */
function day(
  date: string,
  { full, aggregate, site = SITE }: { readonly full: number; readonly aggregate: number; readonly site?: string },
): StoredEvent[] {
  const timestamp = `${date}T12:00:00.000Z`;
  const views = (count: number, collection: "full" | "aggregate"): readonly StoredEvent[] =>
    Array.from({ length: count }, () => buildPageview({ timestamp, pageUrl: `${site}/`, collection }));
  return [...views(full, "full"), ...views(aggregate, "aggregate")];
}

const EVENTS = [
  ...day("2026-03-02", { full: 100, aggregate: 20 }),
  ...day("2026-03-03", { full: 100, aggregate: 20 }),
  ...day("2026-03-09", { full: 0, aggregate: 120 }),
  ...day("2026-03-10", { full: 0, aggregate: 120 }),
];

interface WatchOptions {
  /** What the webhook answers, one after the other; 200 then. */
  readonly statuses?: readonly number[];
  /** The sites whose messages it never takes. */
  readonly refused?: readonly string[];
  /** When it starts; at noon of Tuesday 10 March where it's absent. */
  readonly start?: string;
  readonly events?: readonly StoredEvent[];
  readonly keys?: readonly ServerKey[];
  /** Replaces functions of the reader. */
  readonly replace?: (reader: ReportReader) => Partial<ReportReader>;
}

/** Watches with a webhook that notes what it's told. */
function watch({ statuses = [], refused = [], start = "2026-03-10T12:00:00.000Z", ...given }: WatchOptions = {}) {
  const time = new FakeTime(Date.parse(start));
  const told: unknown[] = [];
  const logged: unknown[] = [];
  const keys = [...given.keys ?? [SHOP]];
  const reader = createReferenceStore(() => [...given.events ?? EVENTS]);
  const startWatch = () =>
    watchAlerts({
      keys: () => keys,
      reader: { ...reader, ...given.replace?.(reader) },
      log: (level, message, fields) => void logged.push([level, message, fields]),
      now: Date.now,
      fetch: (url, { body }) => {
        const { site, day, alerts } = JSON.parse(String(body));
        told.push([url, site, day, alerts.length]);
        const status = refused.includes(site) ? 400 : statuses[told.length - 1] ?? 200;
        return Promise.resolve(new Response(null, { status }));
      },
    });
  let watching = startWatch();
  return {
    ...{ time, told, logged, keys },
    stop: () => watching.stop(),
    restart: () => {
      watching.stop();
      watching = startWatch();
    },
    [Symbol.dispose]: () => {
      watching.stop();
      time.restore();
    },
  };
}

Deno.test("the server tells the webhook of a day an hour after its end by the clocks of the key, and once", async () => {
  using watched = watch();
  const { time, told, logged } = watched;

  await time.tickAsync(12 * HOUR_MS - 1);
  // Monday was over half a day before the start.
  assertEquals(told, []);
  await time.tickAsync(30 * HOUR_MS);

  assertEquals(told, [[HOOK, SITE, "2026-03-10", 1]]);
  assertEquals(logged, [
    ["info", "a day was looked at for alerts", { key: "shop", site: SITE, day: "2026-03-10", alerts: 1 }],
    ["info", "a day was looked at for alerts", { key: "shop", site: SITE, day: "2026-03-11", alerts: 0 }],
  ]);
});

Deno.test("the server tells of each day, though it's started anew each night when that is due", async () => {
  const dates = [10, 11];
  const events = dates.flatMap((date) => [
    ...day(`2026-03-${`${date - 7}`.padStart(2, "0")}`, { full: 100, aggregate: 20 }),
    ...day(`2026-03-${date}`, { full: 0, aggregate: 120 }),
  ]);
  using watched = watch({ events, start: "2026-03-10T00:05:00.000Z" });
  const { time, told, restart } = watched;

  for (const _ of dates) {
    // A moment before it would look.
    await time.tickAsync(24 * HOUR_MS - 1);
    restart();
  }
  await time.tickAsync(HOUR_MS);

  assertEquals(told, dates.map((date) => [HOOK, SITE, `2026-03-${date}`, 1]));
});

Deno.test("one site that fails keeps no other from its alerts, and the log names all that failed", async () => {
  const other = "https://other.example";
  const events = [SITE, other].flatMap((site) => [
    ...day("2026-03-03", { full: 100, aggregate: 20, site }),
    ...day("2026-03-10", { full: 0, aggregate: 120, site }),
  ]);
  const keys = [{ ...SHOP, origins: [SITE, other] }, { ...SHOP, apiKey: "pk_slow", name: "slow" }];
  const slow = new Error("the report takes longer than 20 s");
  const replace = ({ sites }: ReportReader): Partial<ReportReader> => ({
    sites: (apiKey) => apiKey === KEY ? sites(apiKey) : Promise.reject(slow),
  });
  for (const refused of [SITE, other]) {
    using watched = watch({ events, keys, refused: [refused], replace });
    const { time, told, logged } = watched;

    await time.tickAsync(12 * HOUR_MS);

    const taken = refused === SITE ? other : SITE;
    assertEquals(told.filter((one) => JSON.stringify(one).includes(taken)), [[HOOK, taken, "2026-03-10", 1]]);
    assertEquals(logged.find((one) => JSON.stringify(one).includes('"failed":2')), ["error", "alerts failed", {
      failed: 2,
      reason: `shop, ${refused}: the webhook didn't take the alert: 400; slow, the report takes longer than 20 s`,
    }]);
  }
});

Deno.test("the server asks a webhook that never takes an alert less and less often", async () => {
  using watched = watch({ refused: [SITE] });
  const { time, told } = watched;

  await time.tickAsync(35 * HOUR_MS);

  // Ten minutes after the first time, twenty after the second, and each two hours in the end.
  assertEquals(told.length, 15);
});

Deno.test("the server tells no fall of figures that lack the events of a damaged file, until it can be read", async () => {
  const damage = { file: "00000002.parquet", events: 150, message: "00000002.parquet can't be read" };
  const damaged = [damage];
  using watched = watch({ replace: () => ({ damaged: () => Promise.resolve([...damaged]) }) });
  const { time, told, logged } = watched;

  await time.tickAsync(13 * HOUR_MS);
  assertEquals(told, []);
  assertEquals(logged[0], ["error", "alerts failed", { failed: 1, reason: `shop, ${SITE}: ${damage.message}` }]);
  damaged.pop();
  await time.tickAsync(3 * HOUR_MS);

  assertEquals(told, [[HOOK, SITE, "2026-03-10", 1]]);
});

Deno.test("the server tells a webhook again that didn't take it, and logs nothing of its address", async () => {
  using watched = watch({ statuses: [500, 204] });
  const { time, told, logged } = watched;

  await time.tickAsync(13 * HOUR_MS);

  assertEquals(told, Array(2).fill([HOOK, SITE, "2026-03-10", 1]));
  assertEquals(logged[0], [
    "error",
    "alerts failed",
    { failed: 1, reason: `shop, ${SITE}: the webhook didn't take the alert: 500` },
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

Deno.test("the server tells of the sites that the key has, and of none on somebody's own machine", async () => {
  const [sold, own] = ["https://sold.example", "http://localhost:5173"];
  const events = [SITE, sold, own].flatMap((site) => [
    ...day("2026-03-03", { full: 100, aggregate: 20, site }),
    ...day("2026-03-10", { full: 0, aggregate: 120, site }),
  ]);
  const cases: readonly (readonly [ServerKey["origins"], readonly string[]])[] = [
    [[SITE, own], [SITE]],
    ["any", [SITE, sold]],
  ];
  for (const [origins, sites] of cases) {
    using watched = watch({ events, keys: [{ ...SHOP, origins }] });
    const { time, told, logged } = watched;

    await time.tickAsync(13 * HOUR_MS);

    assertEquals(told.toSorted(), sites.map((site) => [HOOK, site, "2026-03-10", 1]).toSorted());
    assertEquals(logged.length, sites.length);
  }
});

for (const isStopped of [false, true]) {
  const title = isStopped
    ? "tells nothing any more once it is stopped"
    : "looks at a day once, however long that takes";
  Deno.test(`the server ${title}`, async () => {
    const looking = Promise.withResolvers<[]>();
    using watched = watch({ replace: () => ({ damaged: () => looking.promise }) });
    const { time, told, logged, stop } = watched;

    await time.tickAsync(13 * HOUR_MS);
    if (isStopped) stop();
    looking.resolve([]);
    await time.tickAsync(HOUR_MS);

    assertEquals([told.length, logged.length], isStopped ? [0, 0] : [1, 1]);
  });
}
