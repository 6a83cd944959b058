import { assertEquals } from "@std/assert";
import type { FunnelEvent, ReportQuery, SourceDimension } from "../../../../src/ingest/ports/report_query.ts";
import { SITE } from "../../reports/fixtures.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { ask, askFor, at } from "../../reports/visit_fixtures.ts";
import { engagement, full, readTotal, type RegisterTest, SEARCH } from "./fixtures.ts";

/** Registers the tests of filters. */
export function testFilters(test: RegisterTest): void {
  test("chooses events of a page, aggregates among them, and the sessions that have one", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", visitor: "v-1", page: "/" }),
      at("10:01", { session: "s-1", visitor: "v-1", page: "/teas", referrer: `${SITE}/` }),
      at("10:00", { session: "s-2", visitor: "v-2", page: "/" }),
      at("10:01", { session: "s-2", visitor: "v-2", page: "/cart", name: "signup" }),
      at("10:00", { session: "s-3", visitor: "v-3", page: "/help" }),
      at("10:00", { page: "/teas", isAggregate: true }),
      at("10:00", { page: "/help", isAggregate: true }),
      at("10:00", { session: "s-4", visitor: "v-4", page: "/teas" }),
      engagement("10:02", { session: "s-1", visitor: "v-1", page: "/teas" }, 8_000),
      engagement("10:00", { session: "s-3", visitor: "v-3", page: "/help" }, 9_000),
    ]);
    const query = askFor({ name: "page", values: ["/teas", "/cart"] });

    assertEquals(await readTotal(store, query), {
      ...{ pageviews: full(2, 1), visitors: 3, users: 0 },
      // Facts of a session are of all of it.
      ...{ sessions: 3, landings: 3, landingViews: 4, bounces: 1, instantSessions: 1, medianSessionMs: 60_000 },
      engagedMs: 8_000,
    });
    assertEquals((await store.pages(query, 10)).rows, [
      { path: "/teas", views: full(2, 1), visitors: 2, entries: 1, exits: 2, bounces: 1, engagedMs: 8_000 },
    ]);
    assertEquals((await store.steps(query, 10)).rows, [
      { name: "signup", count: 1, visitors: 1 },
      { name: "$engagement", count: 1, visitors: 1 },
    ]);
    assertEquals(
      (await store.sources(query, { by: "channel" }, 10)).rows.map(({ sessions, views }) => [sessions, views]),
      [
        [3, full(1, 1)],
      ],
    );
  });

  test("chooses events by screen, and by whether somebody is signed in", async ({ sink, store }) => {
    await storeEvents(sink, [
      ...[575.5, 576, 991, 992, 1439, 1440, 0].map((width) => at("10:00", { session: `s-${width}`, width })),
      at("10:00", { session: "s-unknown" }),
      at("10:00", { isAggregate: true, width: 320 }),
      at("11:00", { session: "s-575.5", width: 575.5, user: "ada", name: "signup" }),
      at("11:00", { session: "s-1440", width: 320, name: "signup" }),
    ]);
    const count = async (...filters: ReportQuery["filters"]): Promise<readonly number[]> => {
      const { pageviews, sessions, users } = await readTotal(store, ask({ filters }));
      assertEquals(pageviews.aggregate, 0);
      return [pageviews.full, sessions, users];
    };

    assertEquals(await count({ name: "screen", values: ["phone"] }), [1, 2, 1]);
    assertEquals(await count({ name: "screen", values: ["tablet"] }), [2, 2, 0]);
    assertEquals(await count({ name: "screen", values: ["laptop", "desktop"] }), [3, 3, 0]);
    assertEquals(await count({ name: "signedIn", values: ["yes"] }), [0, 1, 1]);
    assertEquals(await count({ name: "signedIn", values: ["no"] }), [8, 8, 0]);
    assertEquals(await count({ name: "signedIn", values: ["yes", "no"] }), [8, 8, 1]);
    // No single event is both: not of another screen and signed in.
    assertEquals(await count({ name: "screen", values: ["phone"] }, { name: "signedIn", values: ["no"] }), [1, 2, 0]);
    assertEquals(await count({ name: "screen", values: ["desktop"] }, { name: "signedIn", values: ["yes"] }), [
      0,
      0,
      0,
    ]);
  });

  test("chooses sessions by entry and by exit, with their events alone", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", page: "/", visitor: "v-1" }),
      at("10:01", { session: "s-1", page: "/teas", visitor: "v-1", referrer: `${SITE}/` }),
      at("10:02", { session: "s-1", page: "/cart", visitor: "v-1", name: "signup" }),
      at("10:00", { session: "s-2", page: "/", visitor: "v-2", referrer: `${SITE}/` }),
      at("10:00", { session: "s-3", page: "/", visitor: "v-3", name: "signup" }),
      at("10:00", { page: "/", visitor: "v-4" }),
      at("10:00", { page: "/", isAggregate: true }),
      at("2026-02-28T23:30:00Z", { session: "old", page: "/", visitor: "v-5" }),
      at("00:10", { session: "old", page: "/teas", visitor: "v-5", referrer: `${SITE}/` }),
    ]);
    const count = async (...filters: ReportQuery["filters"]): Promise<unknown> => {
      const { pageviews, sessions, visitors } = await readTotal(store, ask({ filters }));
      return [pageviews.full, pageviews.aggregate, visitors, sessions];
    };

    // s-1, and of the old one what is in the range; s-2 isn't a landing.
    assertEquals(await count({ name: "entry", values: ["/"] }), [3, 0, 2, 1]);
    assertEquals(await count({ name: "exit", values: ["/"] }), [1, 0, 1, 1]);
    assertEquals(await count({ name: "exit", values: ["/teas"] }), [3, 0, 2, 1]);
    assertEquals(await count({ name: "entry", values: ["/teas"] }), [0, 0, 0, 0]);
    assertEquals(await count({ name: "entry", values: ["/"] }, { name: "page", values: ["/teas"] }), [2, 0, 2, 1]);
    assertEquals((await store.steps(askFor({ name: "entry", values: ["/"] }), 10)).rows, [
      { name: "signup", count: 1, visitors: 1 },
    ]);
  });

  test("takes patterns of paths for alternatives to pages", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", page: "/docs/a" }),
      at("10:01", { session: "s-1", page: "/docs/a/edit" }),
      at("10:00", { session: "s-2", page: "/teas" }),
      at("10:00", { session: "s-3", page: "/about" }),
      at("10:00", { isAggregate: true, page: "/docs/b" }),
    ]);
    const count = async (filter: ReportQuery["filters"][number]): Promise<unknown> => {
      const { sessions, pageviews } = await readTotal(store, askFor(filter));
      return [sessions, pageviews];
    };

    assertEquals(await count({ name: "page", values: ["/teas"], patterns: ["/docs/*"] }), [2, full(3, 1)]);
    assertEquals(await count({ name: "entry", values: [], patterns: ["/docs/:page"] }), [1, full(2)]);
    assertEquals(await count({ name: "exit", values: [], patterns: ["/**/edit"] }), [1, full(2)]);
    assertEquals(await count({ name: "exit", values: [], patterns: [] }), [0, full(0)]);
  });

  test("chooses sessions by the names of their source", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "news", page: "/?utm_source=news&utm_medium=email&utm_campaign=spring" }),
      at("10:30", { session: "news", referrer: SEARCH }),
      at("10:00", { session: "found", referrer: SEARCH }),
      at("10:00", { session: "blog", referrer: "https://blog.example/" }),
      at("10:00", { session: "direct" }),
      at("10:00", { referrer: SEARCH }),
      at("10:00", { isAggregate: true, referrer: SEARCH }),
    ]);
    const ownOrigins = ["https://blog.example"];
    const cases: readonly (readonly [SourceDimension, readonly string[], number, number])[] = [
      ["channel", ["Search"], 1, 1],
      ["channel", ["Email", "Direct or unknown"], 3, 4],
      ["source", ["https://google.com"], 1, 1],
      ["source", [""], 2, 2],
      ["referrer", [""], 3, 4],
      ["medium", ["email"], 1, 2],
      ["campaign", ["spring", "autumn"], 1, 2],
      ["campaign", [""], 3, 3],
      ["term", ["tea"], 0, 0],
      ["content", [""], 4, 5],
    ];

    for (const [name, values, sessions, views] of cases) {
      const total = await readTotal(store, ask({ ownOrigins, filters: [{ name, values }] }));
      assertEquals([total.sessions, total.pageviews], [sessions, full(views)], `${name} ${values}`);
    }
  });

  test("chooses sessions by what happened in them", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", properties: { plan: "pro" } }),
      at("10:01", { session: "s-1", name: "signup", properties: { plan: "free", count: 1 } }),
      at("10:00", { session: "s-2" }),
      at("10:01", { session: "s-2", name: "signup", properties: { plan: "pro", count: "1" } }),
      at("10:00", { session: "s-3" }),
      at("10:01", { session: "s-3", name: "$click", properties: { plan: "pro", count: null } }),
      at("10:00", { session: "s-4" }),
    ]);
    const count = async (...filters: ReportQuery["filters"]): Promise<number> =>
      (await readTotal(store, ask({ filters }))).sessions;
    const property = (key: string, values: readonly string[], step?: string): ReportQuery["filters"][number] => ({
      ...{ name: "property", key, values },
      ...(step !== undefined && { step }),
    });

    assertEquals(await count({ name: "step", values: ["signup"] }), 2);
    assertEquals(await count({ name: "step", values: ["signup", "$click"] }), 3);
    assertEquals(await count({ name: "step", values: ["$pageview"] }), 0);
    assertEquals(await count(property("plan", [`"pro"`])), 2);
    assertEquals(await count(property("plan", [`"pro"`, `"free"`], "signup")), 2);
    assertEquals(await count(property("plan", [`"pro"`], "$pageview")), 0);
    assertEquals(await count(property("count", ["1"])), 1);
    assertEquals(await count(property("count", [`"1"`, "null"])), 2);
    assertEquals(await count(property("plan", [`"free"`]), property("count", ["1"])), 1);
    assertEquals(await count({ name: "step", values: ["signup"] }, property("plan", [`"pro"`])), 1);
  });

  test("chooses the sessions that reach a goal by any of its events", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", page: "/thanks/1" }),
      at("10:00", { session: "s-2", name: "order", page: "/cart", properties: { plan: "pro" } }),
      at("10:01", { session: "s-2" }),
      at("10:00", { session: "s-3" }),
      at("10:00", { page: "/thanks/2", isAggregate: true }),
    ]);
    const thanks = { pages: "/thanks/:id" };
    const pro = { step: "order", property: { key: "plan", value: `"pro"` } };
    const count = async (...events: readonly FunnelEvent[]): Promise<unknown> => {
      const { sessions, pageviews } = await readTotal(store, askFor({ name: "goal", values: ["any"], events }));
      return [sessions, pageviews];
    };

    assertEquals(await count(thanks), [1, full(1)]);
    assertEquals(await count(pro), [1, full(1)]);
    assertEquals(await count(thanks, pro), [2, full(2)]);
    assertEquals(await count(), [0, full(0)]);
    const both = [thanks, pro].map((event) => ({ name: "goal" as const, values: ["one"], events: [event] }));
    assertEquals((await readTotal(store, askFor(...both))).sessions, 0);
  });
}
