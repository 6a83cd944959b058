/**
 * What every reader has to keep to beside the views, run against each of them.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { buildEvent, buildPageview, buildQuery, countEvents, SITE } from "../reports/fixtures.ts";
import { KEY, storeEvents, type WithStore } from "../reports/report_store.ts";

/** Registers the tests of a reader. */
export function testReader(name: string, withStore: WithStore): void {
  Deno.test(`${name} counts a page under one path, however it is percent-encoded`, () =>
    withStore(async ({ sink, reader }) => {
      await storeEvents(
        sink,
        ["/caf%C3%A9", "/caf%c3%a9", "/c%61fé"].map((path) => buildPageview({ pageUrl: SITE + path })),
      );

      const { rows } = await reader.pages(buildQuery(), 10);

      assertEquals(rows.map(({ path, views }) => ({ path, ...views })), [{
        path: "/caf%C3%A9",
        full: 3,
        aggregate: 0,
      }]);
    }));

  Deno.test(`${name} counts what breaks the plan, by name and fault`, () =>
    withStore(async ({ sink, reader }) => {
      const pageUrl = `${SITE}/`;
      await storeEvents(sink, [
        buildEvent({ pageUrl, name: "sign up", violation: "missing" }),
        buildEvent({ pageUrl, name: "sign up", violation: "missing" }),
        buildEvent({ pageUrl, name: "sign up", violation: "invalid" }),
        buildEvent({ pageUrl, name: "signup", violation: "unknown" }),
        buildEvent({ pageUrl, name: "sign up" }),
        buildEvent({ pageUrl: "https://blog.example/", name: "signup", violation: "unknown" }),
      ]);

      assertEquals(await reader.violations(buildQuery(), 2), {
        rows: [
          { name: "sign up", kind: "missing", count: 2 },
          { name: "sign up", kind: "invalid", count: 1 },
        ],
        count: 3,
        other: { count: 1 },
      });
      assertEquals(await reader.violations(buildQuery({ to: "2026-01-31" }), 2), { rows: [], count: 0, other: null });
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

      const { total: { pageviews, sessions, visitors, users } } = await reader.overview(buildQuery(), []);

      assertEquals((await reader.pages(buildQuery(), 10)).rows.map(({ path }) => path), ["/first", "/last"]);
      assertEquals({ pageviews, sessions, visitors, users }, {
        pageviews: { full: 2, aggregate: 0 },
        sessions: 2,
        visitors: 0,
        users: 0,
      });
      assertEquals(await countEvents(reader, buildQuery()), 2);
      assertEquals(await reader.sites(KEY), [SITE, "https://blog.example"]);
      assertEquals(await reader.sites("pk_test_2"), [SITE]);
      assertEquals(await reader.sites("pk_test_3"), []);
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
      const events = await countEvents(reader, buildQuery({ site: "https://blog.example" }));

      assertEquals([sites.length, sites[0], events], [1_000, SITE, 1]);
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

  Deno.test(`${name} tells the time of a site's newest event, by whatever name`, () =>
    withStore(async ({ sink, reader }) => {
      const shop = { apiKey: KEY, site: SITE };
      assertEquals(await reader.lastTime(shop), undefined);

      await storeEvents(sink, [
        buildEvent({ timestamp: "2026-03-04T10:00:00.000Z", pageUrl: `${SITE}/` }),
        buildPageview({ timestamp: "2026-03-03T10:00:00.000Z", pageUrl: `${SITE}/` }),
        buildPageview({ timestamp: "2026-03-05T10:00:00.000Z", pageUrl: "https://blog.example/" }),
      ]);

      assertEquals(await reader.lastTime(shop), Date.parse("2026-03-04T10:00:00.000Z"));
    }));
}
