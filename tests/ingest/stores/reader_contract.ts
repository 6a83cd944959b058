/**
 * What every reader has to keep to, run against each of them.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { buildEvent, buildPageview, buildScope, SITE } from "../reports/fixtures.ts";
import { KEY, storeEvents, type WithStore } from "../reports/report_store.ts";

const EMPTY = {
  totals: {
    pageviews: { full: 0, aggregate: 0, total: 0 },
    visitors: 0,
    users: 0,
    sessions: 0,
    events: 0,
    paths: 0,
    referrers: 0,
    names: 0,
    violations: 0,
  },
  days: [],
  paths: [],
  referrers: [],
  events: [],
  violations: [],
};

/** Registers the tests of a reader. */
export function testReader(name: string, withStore: WithStore): void {
  Deno.test(`${name} counts pageviews by day and by path, full and aggregate apart and together`, () =>
    withStore(async ({ sink, reader }) => {
      await storeEvents(sink, [
        buildPageview({ timestamp: "2026-03-01T00:00:00.000Z", pageUrl: `${SITE}/` }),
        buildPageview({ timestamp: "2026-03-01T23:59:59.999Z", pageUrl: `${SITE}/teas?page=2` }),
        buildPageview({ timestamp: "2026-03-01T12:00:00Z", pageUrl: `${SITE}/teas`, collection: "aggregate" }),
        buildPageview({ timestamp: "2026-03-03T12:00:00.000Z", pageUrl: `${SITE}/teas#top` }),
      ]);
      await storeEvents(sink, [
        buildPageview({ timestamp: "2026-03-03T12:00:01.000Z", pageUrl: `${SITE}/teas`, collection: "aggregate" }),
      ]);

      const { totals, days, paths } = await reader.read(buildScope(), { rows: 10 });

      assertEquals(totals.pageviews, { full: 3, aggregate: 2, total: 5 });
      assertEquals(totals.paths, 2);
      assertEquals(days, [
        { day: "2026-03-01", full: 2, aggregate: 1, total: 3, sessions: 0 },
        { day: "2026-03-03", full: 1, aggregate: 1, total: 2, sessions: 0 },
      ]);
      assertEquals(paths, [
        { path: "/teas", full: 2, aggregate: 2, total: 4 },
        { path: "/", full: 1, aggregate: 0, total: 1 },
      ]);
    }));

  Deno.test(`${name} counts a session once in all and once a day`, () =>
    withStore(async ({ sink, reader }) => {
      await storeEvents(sink, [
        buildPageview({ timestamp: "2026-03-01T23:50:00.000Z", pageUrl: `${SITE}/`, sessionId: "s-1" }),
        buildEvent({ timestamp: "2026-03-01T23:51:00.000Z", pageUrl: `${SITE}/`, sessionId: "s-1" }),
        buildEvent({ timestamp: "2026-03-02T00:01:00.000Z", pageUrl: `${SITE}/`, sessionId: "s-1" }),
        buildEvent({ timestamp: "2026-03-02T09:00:00.000Z", pageUrl: `${SITE}/`, sessionId: "s-2" }),
        buildEvent({ timestamp: "2026-03-02T09:00:00.000Z", pageUrl: `${SITE}/` }),
        buildPageview({ timestamp: "2026-03-02T10:00:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
      ]);

      const { totals, days } = await reader.read(buildScope(), { rows: 10 });

      assertEquals(totals.sessions, 2);
      assertEquals(days.map(({ day, sessions }) => [day, sessions]), [["2026-03-01", 1], ["2026-03-02", 2]]);
    }));

  Deno.test(`${name} has a day that saw sessions but no pageview`, () =>
    withStore(async ({ sink, reader }) => {
      await storeEvents(sink, [buildEvent({ pageUrl: `${SITE}/`, sessionId: "s-1" })]);

      const { days } = await reader.read(buildScope(), { rows: 10 });

      assertEquals(days, [{ day: "2026-03-01", full: 0, aggregate: 0, total: 0, sessions: 1 }]);
    }));

  Deno.test(`${name} counts referrers of pageviews by origin, but not the site itself`, () =>
    withStore(async ({ sink, reader }) => {
      const pageUrl = `${SITE}/`;
      await storeEvents(sink, [
        buildPageview({ pageUrl, referrer: "https://search.example/?q=tea" }),
        buildPageview({ pageUrl, referrer: "https://search.example", collection: "aggregate" }),
        buildPageview({ pageUrl, referrer: "https://blog.example/tea" }),
        buildPageview({ pageUrl, referrer: `${SITE}/teas` }),
        buildPageview({ pageUrl }),
        buildEvent({ pageUrl, referrer: "https://search.example/?q=tea" }),
      ]);

      const { totals, referrers } = await reader.read(buildScope(), { rows: 10 });

      assertEquals(totals.referrers, 3);
      assertEquals(referrers, [
        { referrer: "https://search.example", full: 1, aggregate: 1, total: 2 },
        { referrer: null, full: 1, aggregate: 0, total: 1 },
        { referrer: "https://blog.example", full: 1, aggregate: 0, total: 1 },
      ]);
    }));

  Deno.test(`${name} counts a page under one path, however it is percent-encoded`, () =>
    withStore(async ({ sink, reader }) => {
      await storeEvents(
        sink,
        ["/caf%C3%A9", "/caf%c3%a9", "/c%61fé"].map((path) => buildPageview({ pageUrl: SITE + path })),
      );

      const { paths } = await reader.read(buildScope(), { rows: 10 });

      assertEquals(paths, [{ path: "/caf%C3%A9", full: 3, aggregate: 0, total: 3 }]);
    }));

  Deno.test(`${name} counts no other origin of the key as referrer, where the scope names them`, () =>
    withStore(async ({ sink, reader }) => {
      const pageUrl = `${SITE}/`;
      await storeEvents(sink, [
        ...[
          "https://blog.example/a",
          "https://blog.example/b",
          "https://it's.example",
          "https://search.example",
          undefined,
        ]
          .map((referrer) => buildPageview({ pageUrl, ...(referrer && { referrer }) })),
      ]);
      const ownOrigins = [SITE, "https://blog.example", "https://it's.example"];

      const { totals, referrers } = await reader.read(buildScope({ ownOrigins }), { rows: 1 });
      const all = await reader.read(buildScope(), { rows: 10 });

      assertEquals([totals.referrers, totals.pageviews.total], [2, 5]);
      assertEquals(referrers, [{ referrer: null, full: 1, aggregate: 0, total: 1 }]);
      assertEquals(all.totals.referrers, 4);
    }));

  Deno.test(`${name} counts events by name, pageviews of both forms among them`, () =>
    withStore(async ({ sink, reader }) => {
      const pageUrl = `${SITE}/`;
      await storeEvents(sink, [
        buildPageview({ pageUrl }),
        buildPageview({ pageUrl, collection: "aggregate" }),
        buildEvent({ pageUrl, name: "signup" }),
        buildEvent({ pageUrl, name: "search" }),
        buildEvent({ pageUrl, name: "search" }),
        buildEvent({ pageUrl, name: "search" }),
      ]);

      const { totals, events } = await reader.read(buildScope(), { rows: 10 });

      assertEquals([totals.events, totals.names], [6, 3]);
      assertEquals(events, [{ name: "search", count: 3 }, { name: "$pageview", count: 2 }, {
        name: "signup",
        count: 1,
      }]);
    }));

  Deno.test(`${name} returns the most frequent, equal ones by label, and counts the rest`, () =>
    withStore(async ({ sink, reader }) => {
      await storeEvents(sink, [
        buildPageview({ pageUrl: `${SITE}/c`, referrer: "https://c.example" }),
        buildPageview({ pageUrl: `${SITE}/b`, referrer: "https://b.example" }),
        buildPageview({ pageUrl: `${SITE}/a`, referrer: "https://a.example" }),
        buildPageview({ pageUrl: `${SITE}/d`, referrer: "https://d.example" }),
        buildPageview({ pageUrl: `${SITE}/d`, referrer: "https://d.example" }),
        buildEvent({ pageUrl: `${SITE}/`, name: "signup" }),
      ]);

      const { totals, paths, referrers, events } = await reader.read(buildScope(), { rows: 2 });

      assertEquals(paths.map(({ path }) => path), ["/d", "/a"]);
      assertEquals(referrers.map(({ referrer }) => referrer), ["https://d.example", "https://a.example"]);
      assertEquals(events.map(({ name }) => name), ["$pageview", "signup"]);
      assertEquals([totals.paths, totals.referrers, totals.names], [4, 4, 2]);
      assertEquals(totals.pageviews.total, 5);
    }));

  Deno.test(`${name} counts what breaks the plan by name and kind`, () =>
    withStore(async ({ sink, reader }) => {
      const signup = { pageUrl: `${SITE}/`, name: "sign up" };
      await storeEvents(sink, [
        buildEvent({ ...signup, violation: "missing" }),
        buildEvent({ ...signup, violation: "invalid" }),
        buildEvent({ ...signup, violation: "missing" }),
        buildEvent({ pageUrl: `${SITE}/`, name: "signp", violation: "unknown" }),
        buildEvent(signup),
        buildPageview({ pageUrl: `${SITE}/` }),
      ]);
      await storeEvents(sink, [buildEvent({ ...signup, timestamp: "2025-12-31T10:00:00.000Z", violation: "missing" })]);

      const { totals, violations } = await reader.read(buildScope(), { rows: 2 });

      assertEquals([totals.events, totals.violations], [6, 3]);
      assertEquals(await reader.violations(buildScope(), { rows: 2 }), violations);
      assertEquals(await reader.violations(buildScope({ to: "2026-01-31" }), { rows: 2 }), []);
      assertEquals(violations, [
        { name: "sign up", kind: "missing", count: 2 },
        { name: "sign up", kind: "invalid", count: 1 },
      ]);
    }));

  Deno.test(`${name} keeps keys, sites and days apart`, () =>
    withStore(async ({ sink, reader }) => {
      await storeEvents(sink, [
        buildPageview({ timestamp: "2025-12-31T23:59:59.999Z", pageUrl: `${SITE}/early` }),
        buildPageview({ timestamp: "2026-01-01T00:00:00.000Z", pageUrl: `${SITE}/first`, sessionId: "s-1" }),
        buildPageview({ timestamp: "2026-03-31T23:59:59.999Z", pageUrl: `${SITE}/last`, sessionId: "s-2" }),
        buildPageview({ timestamp: "2026-04-01T00:00:00.000Z", pageUrl: `${SITE}/late`, sessionId: "s-3" }),
        buildPageview({ pageUrl: "https://blog.example/other-site" }),
        buildPageview({}),
      ]);
      await storeEvents(sink, [buildPageview({ pageUrl: `${SITE}/other-key` })], { apiKey: "pk_test_2" });

      const { totals, paths } = await reader.read(buildScope(), { rows: 10 });

      assertEquals(paths.map(({ path }) => path), ["/first", "/last"]);
      assertEquals(totals, {
        pageviews: { full: 2, aggregate: 0, total: 2 },
        visitors: 0,
        users: 0,
        sessions: 2,
        events: 2,
        paths: 2,
        referrers: 1,
        names: 1,
        violations: 0,
      });
      assertEquals(await reader.sites(KEY), [SITE, "https://blog.example"]);
      assertEquals(await reader.sites("pk_test_2"), [SITE]);
      assertEquals(await reader.sites("pk_test_3"), []);
    }));

  Deno.test(`${name} counts visitors and users once in a range, and those of full events alone`, () =>
    withStore(async ({ sink, reader }) => {
      await storeEvents(sink, [
        buildPageview({ timestamp: "2026-03-01T10:00:00.000Z", pageUrl: `${SITE}/`, anonymousId: "v-1" }),
        buildEvent({ timestamp: "2026-03-02T10:00:00.000Z", pageUrl: `${SITE}/`, anonymousId: "v-1", userId: "u-1" }),
        buildEvent({ timestamp: "2026-03-03T10:00:00.000Z", pageUrl: `${SITE}/`, anonymousId: "v-2", userId: "u-1" }),
        buildPageview({ timestamp: "2026-03-03T10:00:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
        buildPageview({ timestamp: "2026-03-04T10:00:00.000Z", pageUrl: `${SITE}/`, anonymousId: "v-3" }),
        buildPageview({ timestamp: "2026-03-03T10:00:00.000Z", pageUrl: "https://blog.example/", anonymousId: "v-4" }),
      ]);

      const { totals } = await reader.read(buildScope({ from: "2026-03-01", to: "2026-03-03" }), { rows: 10 });

      assertEquals([totals.visitors, totals.users], [2, 1]);
    }));

  Deno.test(`${name} shows a named site, whatever sites others make up, and lists sites by count`, () =>
    withStore(async ({ sink, reader }) => {
      const madeUp = Array.from({ length: 1_100 }, (_, index) => buildEvent({ pageUrl: `http://0a${index}.x/` }));
      await storeEvents(sink, [
        ...madeUp,
        buildPageview({ pageUrl: `${SITE}/` }),
        buildPageview({ pageUrl: `${SITE}/` }),
        buildPageview({ pageUrl: "https://blog.example/" }),
      ]);

      const sites = await reader.sites(KEY);
      const { totals } = await reader.read(buildScope({ site: "https://blog.example" }), { rows: 10 });

      assertEquals([sites.length, sites[0], totals.events], [1_000, SITE, 1]);
    }));

  Deno.test(`${name} counts an event that came twice once`, () =>
    withStore(async ({ sink, reader }) => {
      const event = buildPageview({ pageUrl: `${SITE}/`, sessionId: "s-1" });
      await storeEvents(sink, [event, event]);
      await storeEvents(sink, [event, buildEvent({ pageUrl: `${SITE}/` })]);

      const { totals } = await reader.read(buildScope(), { rows: 10 });

      assertEquals([totals.pageviews.total, totals.events], [1, 2]);
    }));

  Deno.test(`${name} returns the days of a path and the paths of a day`, () =>
    withStore(async ({ sink, reader }) => {
      await storeEvents(sink, [
        buildPageview({ timestamp: "2026-03-03T10:00:00.000Z", pageUrl: `${SITE}/teas`, collection: "aggregate" }),
        buildPageview({ timestamp: "2026-03-01T10:00:00.000Z", pageUrl: `${SITE}/teas` }),
        buildPageview({ timestamp: "2026-03-01T10:00:00.000Z", pageUrl: `${SITE}/` }),
        buildPageview({ timestamp: "2026-06-01T10:00:00.000Z", pageUrl: `${SITE}/teas` }),
      ]);

      const days = await reader.readPath(buildScope(), "/teas");
      const paths = await reader.readDay(buildScope(), "2026-03-01");

      assertEquals(days, [
        { day: "2026-03-01", path: "/teas", full: 1, aggregate: 0, total: 1 },
        { day: "2026-03-03", path: "/teas", full: 0, aggregate: 1, total: 1 },
      ]);
      assertEquals(paths, [
        { day: "2026-03-01", path: "/", full: 1, aggregate: 0, total: 1 },
        { day: "2026-03-01", path: "/teas", full: 1, aggregate: 0, total: 1 },
      ]);
    }));

  Deno.test(`${name} counts the pageviews of a key by the month of their arrival, whatever the site`, () =>
    withStore(async ({ sink, reader }) => {
      await storeEvents(sink, [
        buildPageview({ receivedAt: "2026-03-31T23:59:59.999Z", pageUrl: `${SITE}/` }),
        buildPageview({ receivedAt: "2026-03-31T23:59:59.999Z", collection: "aggregate" }),
        buildEvent({ receivedAt: "2026-03-31T23:59:59.999Z", pageUrl: `${SITE}/` }),
      ]);
      await storeEvents(sink, [
        buildPageview({ receivedAt: "2026-04-01T00:00:00.000Z", pageUrl: "https://blog.example/" }),
      ]);

      assertEquals(await reader.countPageviews(KEY, "2026-03"), 2);
      assertEquals(await reader.countPageviews(KEY, "2026-04"), 1);
      assertEquals(await reader.countPageviews(KEY, "2026-05"), 0);
      assertEquals(await reader.countPageviews("pk_test_2", "2026-03"), 0);
    }));

  Deno.test(`${name} has an empty report of a site without events`, () =>
    withStore(async ({ sink, reader }) => {
      assertEquals(await reader.read(buildScope(), { rows: 10 }), EMPTY);

      await storeEvents(sink, [buildPageview({ pageUrl: `${SITE}/` })]);

      assertEquals(await reader.read(buildScope({ from: "2026-02-01", to: "2026-02-28" }), { rows: 10 }), EMPTY);
      assertEquals(await reader.readPath(buildScope(), "/other"), []);
      assertEquals(await reader.readDay(buildScope(), "2026-02-01"), []);
    }));

  Deno.test(`${name} tells the day of a site's newest event, by whatever name`, () =>
    withStore(async ({ sink, reader }) => {
      assertEquals(await reader.lastDay(buildScope()), undefined);

      await storeEvents(sink, [
        buildEvent({ timestamp: "2026-03-04T10:00:00.000Z", pageUrl: `${SITE}/` }),
        buildPageview({ timestamp: "2026-03-03T10:00:00.000Z", pageUrl: `${SITE}/` }),
        buildPageview({ timestamp: "2026-03-05T10:00:00.000Z", pageUrl: "https://blog.example/" }),
      ]);

      assertEquals(await reader.lastDay(buildScope({ to: "2026-01-01" })), "2026-03-04");
    }));

  Deno.test(`${name} takes hostile labels for text`, () =>
    withStore(async ({ sink, reader }) => {
      const name = `'; DROP TABLE report_sites; --<script>"\0\n`;
      await storeEvents(sink, [
        buildEvent({ pageUrl: `${SITE}/`, name }),
        buildEvent({ pageUrl: `${SITE}/`, name: "__proto__", sessionId: "constructor" }),
        buildPageview({ pageUrl: `${SITE}/'%00%0A"` }),
      ]);

      const { events, paths } = await reader.read(buildScope(), { rows: 10 });

      assertEquals(events.map((row) => row.name), [
        "$pageview",
        `'; DROP TABLE report_sites; --<script>"\ufffd\ufffd`,
        "__proto__",
      ]);
      assertEquals(paths.map(({ path }) => path), ["/'%00%0A%22"]);
    }));
}
