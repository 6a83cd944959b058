import { assertEquals } from "@std/assert";
import { SITE } from "../../reports/fixtures.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { ask, askFor, at } from "../../reports/visit_fixtures.ts";
import { engagement, full, readTotal, type RegisterTest } from "./fixtures.ts";

/** Registers the tests of pages. */
export function testPages(test: RegisterTest): void {
  test("counts pages: views, visitors, entries, exits, bounces and engagement", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("2026-02-28T23:00:00Z", { session: "old", page: "/teas", visitor: "v-0" }),
      at("00:10", { session: "old", page: "/cart", visitor: "v-0", referrer: `${SITE}/teas` }),
      at("10:00", { session: "s-1", page: "/?utm_source=news#top", visitor: "v-1" }),
      at("10:01", { session: "s-1", page: "/teas", visitor: "v-1", referrer: `${SITE}/` }),
      at("10:02", { session: "s-1", page: "/teas", visitor: "v-1", referrer: `${SITE}/` }),
      at("10:03", { session: "s-1", page: "/signup", visitor: "v-1", name: "signup" }),
      at("11:00", { session: "s-2", page: "/teas", visitor: "v-2" }),
      at("12:00", { page: "/", isAggregate: true }),
      at("12:01", { page: "/about", isAggregate: true }),
      at("12:02", { page: "/about", session: "s-4", visitor: "v-4", name: "$consent" }), // its view had left before
      at("23:00", { session: "s-3", page: "/about", visitor: "v-1" }),
      at("2026-03-02T00:10:00Z", { session: "s-3", page: "/late", visitor: "v-1", referrer: `${SITE}/` }),
      engagement("10:03", { session: "s-1", page: "/teas", visitor: "v-1" }, 8_000),
      engagement("11:01", { session: "s-2", page: "/teas", visitor: "v-2" }, 4_000),
      engagement("11:02", { page: "/teas", visitor: "v-9" }, 1_000), // a view of the day before
      engagement("11:03", { page: "/help", visitor: "v-9" }, 1_000),
      engagement("2026-03-02T00:11:00Z", { session: "s-3", page: "/about", visitor: "v-1" }, 5_000),
    ]);

    const { rows, count } = await store.pages(ask(), 100);

    assertEquals(count, 4);
    assertEquals(rows, [
      { path: "/teas", views: full(3), visitors: 2, entries: 1, exits: 2, bounces: 1, engagedMs: 13_000 },
      { path: "/", views: full(1, 1), visitors: 1, entries: 1, exits: 0, bounces: 0, engagedMs: 0 },
      { path: "/about", views: full(1, 1), visitors: 2, entries: 1, exits: 0, bounces: 0, engagedMs: 0 },
      { path: "/cart", views: full(1), visitors: 1, entries: 0, exits: 0, bounces: 0, engagedMs: 0 },
    ]);
    assertEquals((await readTotal(store, askFor({ name: "page", values: ["/about"] }))).visitors, 2);
    assertEquals(await store.pages(ask(), 2), {
      ...{ rows: rows.slice(0, 2), count: 4 },
      other: { views: full(2, 1), entries: 1, exits: 0, bounces: 0, engagedMs: 0 },
    });
    const brief = await store.pages(ask(), 3, { isBrief: true });
    const views = rows.map(({ path, views }) => ({ path, views }));
    assertEquals(brief.rows.map(({ path, views }) => ({ path, views })), views.slice(0, 3));
    assertEquals([brief.count, brief.other?.views], [4, full(1)]);
  });

  test("counts the exits of a page whose sessions don't reach a goal", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", visitor: "v-1", page: "/checkout" }),
      at("10:01", { session: "s-1", visitor: "v-1", page: "/checkout", name: "order" }),
      at("10:00", { session: "s-2", visitor: "v-2", page: "/checkout" }),
      at("10:00", { session: "s-3", visitor: "v-3", page: "/checkout" }),
      at("10:01", { session: "s-3", visitor: "v-3", page: "/", referrer: `${SITE}/checkout` }),
      at("10:02", { session: "s-4", visitor: "v-4", page: "/checkout", name: "help" }),
      at("23:00", { session: "s-5", visitor: "v-5", page: "/teas" }),
      at("2026-03-02T00:10:00Z", { session: "s-5", visitor: "v-5", page: "/late", referrer: `${SITE}/teas` }),
    ]);
    const goal = { event: { step: "order" } };

    const counted = await store.conversions?.(ask(), { list: "pages", goal }, ["/checkout", "/", "/late", "/none"]);

    const counts = { completions: 1, sum: 0 };
    assertEquals(counted?.toSorted((one, other) => other.sessions - one.sessions), [
      { name: "/checkout", sessions: 3, conversions: 1, ...counts, exitsWithout: 1 },
      { name: "/", sessions: 1, conversions: 0, ...counts, completions: 0, exitsWithout: 1 },
      // Its only view is later than the range, in which the session began.
      { name: "/late", sessions: 0, conversions: 0, ...counts, completions: 0, exitsWithout: 1 },
    ]);
  });

  test("writes paths as the rules say, before they are counted and compared", async ({ sink, store }) => {
    const paths = ["/teas/", "/Teas", "/teas/green/", "/teas/Black", "/help/a/b", "/caf%c3%A9", "/CAF%C3%A9", "/a.b"];
    await storeEvents(
      sink,
      paths.map((page, index) => at(`10:0${index}`, { page, session: `s-${index}`, visitor: "v-1" })),
    );
    const pathRules = {
      patterns: ["/teas/:tea", "/help/*", "/aXb"],
      dropsTrailingSlash: true,
      ignoresCase: true,
    };
    const inGroup = { name: "entry", values: ["/teas/:tea"] } as const;

    const { rows } = await store.pages(ask({ pathRules }), 100);
    const asTheyAre = await store.pages(ask(), 100);
    const filtered = await readTotal(store, ask({ pathRules, filters: [inGroup] }));
    const ofPage = await store.pages(ask({ pathRules, filters: [{ name: "page", values: ["/teas"] }] }), 100);

    assertEquals(rows.map(({ path, views, visitors, entries }) => [path, views.full, visitors, entries]), [
      ["/caf%C3%A9", 2, 1, 2],
      ["/teas", 2, 1, 2],
      ["/teas/:tea", 2, 1, 2],
      ["/a.b", 1, 1, 1],
      ["/help/*", 1, 1, 1],
    ]);
    assertEquals(asTheyAre.count, 8);
    assertEquals([filtered.sessions, filtered.pageviews.full], [2, 2]);
    assertEquals(ofPage.rows.map(({ path, views }) => [path, views.full]), [["/teas", 2]]);
  });

  test("counts the pages of a pattern with asterisks", async ({ sink, store }) => {
    const pages = ["/checkout/order-received/12/", "/checkout/order-received", "/teas/edit", "/a/b/edit", "/edit"];
    await storeEvents(sink, pages.map((page) => at("10:00", { session: "s-1", visitor: "v-1", page })));
    const patterns = ["/checkout/order-received*", "/*/edit", "/**/edit", "/**", "/ch*out/*", "/checkout/*"];

    const found = await store.countEvents(ask(), patterns.map((one) => ({ event: { pages: one } })), []);

    assertEquals(found.map(({ total }) => total.count), [2, 1, 3, 5, 2, 2]);
  });
}
