import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { SITE } from "../../reports/fixtures.ts";
import { KEY, storeEvents } from "../../reports/report_store.ts";
import { ask, at, toMs, type VisitParts } from "../../reports/visit_fixtures.ts";
import { full, MINUTE_MS, NOTHING, readFunnel, readTotal, type RegisterTest, SEARCH, TO_ORDER } from "./fixtures.ts";

/** Registers the tests of visits. */
export function testVisits(test: RegisterTest): void {
  test("has nothing of a key, a site and a time without events", async ({ sink, store }) => {
    await storeEvents(sink, [at("10:00", { session: "s-1", visitor: "v-1" })]);

    for (
      const query of [
        ask({ apiKey: "pk_test_2" }),
        ask({ site: "https://blog.example" }),
        ask({ to: toMs("10:00") }),
        ask({ from: toMs("10:00:00.001") }),
      ]
    ) {
      assertEquals(await readTotal(store, query), NOTHING);
      assertEquals(await store.pages(query, 10), { rows: [], count: 0, other: null });
      assertEquals(await store.sources(query, { by: "channel" }, 10), { rows: [], count: 0, other: null });
      assertEquals(await store.steps(query, 10), { rows: [], count: 0, other: null });
      assertEquals(await store.stepValues(query, { step: "signup", key: "plan" }, 10), {
        ...{ keys: [], values: [], distinct: 0, other: null, numbers: null },
      });
    }
  });

  test("counts pageviews of both forms, and distinct visitors and users of full events", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("2026-02-28T23:59:59.999Z", { visitor: "v-early", session: "of-v-early" }),
      at("00:00", { visitor: "v-1", session: "of-v-1" }),
      at("10:00", { visitor: "v-1", session: "of-v-1", user: "ada" }),
      at("10:01", { name: "signup", visitor: "v-2", session: "of-v-2", user: "ada" }),
      at("10:02", { name: "$engagement", visitor: "v-3", session: "of-v-3" }),
      at("10:03", { name: "signup", session: "of-bob", user: "bob" }),
      at("10:04", { isAggregate: true }),
      at("23:59:59.999", { isAggregate: true }),
      at("2026-03-02T00:00:00Z", { visitor: "v-late", session: "of-v-late" }),
      at("10:00", { page: "https://blog.example/", visitor: "v-4", session: "of-v-4" }),
      at("10:00", { page: null, visitor: "v-5", session: "of-v-5" }),
    ]);
    await storeEvents(sink, [at("10:00", { visitor: "v-6", session: "of-v-6" })], { apiKey: "pk_test_2" });

    assertEquals(await readTotal(store), {
      ...{ ...NOTHING, pageviews: full(2, 2), visitors: 3, users: 2 },
      ...{ sessions: 4, landings: 1, landingViews: 2, medianSessionMs: 10 * 60 * MINUTE_MS },
    });
  });

  test("counts a session where it begins, and its pageviews where they are", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("23:50", { session: "s-1", visitor: "v-1" }),
      at("2026-03-02T00:10:00Z", { session: "s-1", visitor: "v-1", referrer: `${SITE}/` }),
      at("2026-03-02T00:20:00Z", { session: "s-1", visitor: "v-1", referrer: `${SITE}/` }),
    ]);
    const next = ask({ from: toMs("2026-03-02T00:00:00Z"), to: toMs("2026-03-03T00:00:00Z") });

    assertEquals(await readTotal(store), {
      ...{ ...NOTHING, pageviews: full(1), visitors: 1 },
      ...{ sessions: 1, landings: 1, landingViews: 3, medianSessionMs: 30 * 60_000 },
    });
    assertEquals(await readTotal(store, next), { ...NOTHING, pageviews: full(2), visitors: 1 });
  });

  test("tells a session of one site from one of the same id on another, or of another key", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1" }),
      at("09:00", { session: "s-1", page: "https://blog.example/" }),
    ]);
    await storeEvents(sink, [at("11:00", { session: "s-1" })], { apiKey: "pk_test_2" });

    assertEquals((await readTotal(store)).bounces, 1);
    assertEquals((await readTotal(store, ask({ site: "https://blog.example" }))).bounces, 1);
    assertEquals((await readTotal(store, ask({ apiKey: "pk_test_2" }))).bounces, 1);
  });

  test("has a landing where the first event is a pageview from elsewhere", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "direct" }),
      at("10:00", { session: "found", referrer: SEARCH }),
      at("10:00", { session: "from-another-origin", referrer: "https://blog.example/" }),
      at("10:00", { session: "paid", referrer: "https://www.paypal.com/" }),
      at("10:00", { session: "reloaded", referrer: `${SITE}/teas` }),
      at("10:05", { session: "reloaded", referrer: SEARCH }),
      at("10:00", { session: "stepped", name: "signup" }),
      at("10:01", { session: "stepped" }),
      at("10:00", { session: "unseen", name: "$engagement" }),
    ]);

    const { sessions, landings, landingViews } = await readTotal(store);

    assertEquals([sessions, landings, landingViews], [7, 4, 4]);
  });

  test("has a bounce where a landing has one pageview, no step and less than 10 s", async ({ sink, store }) => {
    const engaged = (session: string, engagedMs: unknown): StoredEvent =>
      at("10:05", { session, name: "$engagement", properties: { engagedMs } });
    const bounces = ["alone", "clicked", "glanced", "negative", "text"];
    const others = ["two-views", "stepped", "looked", "looked-twice"];
    await storeEvents(sink, [...bounces, ...others].map((session) => at("10:00", { session, page: `/${session}` })));
    await storeEvents(sink, [
      at("10:01", { session: "clicked", name: "$click" }),
      engaged("glanced", 9_999),
      engaged("negative", -10_000),
      engaged("text", "10000"),
      at("10:01", { session: "two-views", page: "/two-views", referrer: `${SITE}/` }),
      at("10:01", { session: "stepped", name: "signup" }),
      engaged("looked", 10_000),
      engaged("looked-twice", 5_000),
      engaged("looked-twice", 5_000),
    ]);

    const { rows } = await store.pages(ask(), 100);

    assertEquals((await readTotal(store)).bounces, bounces.length);
    assertEquals(
      rows.filter((row) => row.bounces === 1).map(({ path }) => path),
      bounces.map((session) => `/${session}`).toSorted(),
    );
  });

  test("counts sessions that have nothing but pageviews of one moment", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "alone" }),
      at("10:00", { session: "twice" }),
      at("10:00", { session: "twice", page: "/teas", referrer: `${SITE}/` }),
      at("10:00", { session: "joined-midway", referrer: `${SITE}/` }),
      at("10:00", { session: "long" }),
      at("10:00:00.001", { session: "long" }),
      at("10:00", { session: "stepped" }),
      at("10:00", { session: "stepped", name: "signup" }),
      at("10:00", { session: "engaged" }),
      at("10:00", { session: "engaged", name: "$engagement", properties: { engagedMs: 0 } }),
      at("10:00", { isAggregate: true }),
    ]);

    const { sessions, instantSessions } = await readTotal(store);

    assertEquals([sessions, instantSessions], [6, 3]);
  });

  test("counts crawlers and own visits apart, in every view", async ({ sink, store }) => {
    const visit = (flag: StoredEvent["flag"], count: number): readonly StoredEvent[] =>
      Array.from({ length: count }, (_, index) => {
        const parts = { ...flag && { flag }, session: "s-1", visitor: `v-${index}`, user: "ada", page: "/teas" };
        return [at(`10:0${index}`, parts), at(`10:0${index}:30`, { ...parts, name: "signup" })];
      }).flat();
    await storeEvents(sink, [
      ...[...visit(undefined, 1), ...visit("bot", 2), ...visit("own", 3)],
      at("11:00", { isAggregate: true }),
      at("11:00", { isAggregate: true, flag: "bot" }),
      at("2026-03-02T10:00:00Z", { flag: "bot" }),
      at("10:00", { flag: "own", page: "https://blog.example/" }),
    ]);
    const counts = [["people", 1, 1], ["bots", 2, 1], ["own", 3, 0]] as const;

    for (const [traffic, views, before] of counts) {
      const query = ask({ traffic });
      const { pageviews, visitors, users, sessions } = await readTotal(store, query);
      assertEquals([pageviews, visitors, users, sessions], [full(views, before), views, 1, 1]);
      const pages = await store.pages(query, 10);
      assertEquals(pages.rows.find(({ path }) => path === "/teas")?.views, full(views));
      assertEquals((await store.sources(query, { by: "channel" }, 10)).rows.map((row) => row.sessions), [1]);
      assertEquals((await store.steps(query, 10)).rows, [{ name: "signup", count: views, visitors: views }]);
      const funnel = { ...TO_ORDER, stages: [[{ page: "/teas" }], [{ step: "signup" }]] };
      assertEquals((await store.funnel(query, funnel)).map((stage) => stage.visitors), [views, views]);
      const bounds = [toMs("00:00"), toMs("2026-03-02T00:00:00Z")];
      assertEquals((await store.retention(query, { bounds })).map(({ size }) => size), [views]);
    }
    assertEquals(await store.countFlagged(ask()), { bots: full(2, 1), own: full(3) });
    assertEquals(await store.lastTime(ask()), toMs("2026-03-02T10:00:00Z"));
    assertEquals((await store.person({ ...ask(), userId: "ada" }, 100)).length, 12);
    assertEquals(await store.sites(KEY), [SITE, "https://blog.example"]);
    assertEquals(await store.countPageviews(KEY, "2026-03"), 10);
  });

  test("orders events of the same time by their places in their batches", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "step-first", visitor: "v-1", page: "/b", place: 10, id: "0" }),
      at("10:00", { session: "step-first", visitor: "v-1", name: "signup", place: 9, id: "1" }),
      at("10:00", { session: "views", page: "/b", place: 99, id: "a" }),
      at("10:00", { session: "views", page: "/a", place: 1, id: "c" }),
      at("10:00", { session: "views", page: "/c", place: 0, id: "b" }),
    ]);

    const { rows } = await store.pages(ask(), 10);

    assertEquals(rows.map(({ path, entries, exits }) => [path, entries, exits]), [
      ["/b", 0, 2],
      ["/a", 0, 0],
      ["/c", 1, 0],
    ]);
    const person = await store.person({ apiKey: KEY, site: SITE, anonymousId: "v-1" }, 10);
    assertEquals(person.map(({ id, place }) => [id, place]), [["0", 10], ["1", 9]]);
  });

  test("has both steps of one click, and both pages of one moment, of every visitor", async ({ sink, store }) => {
    const visitors = Array.from({ length: 60 }, (_, index) => `v-${index}`);
    await storeEvents(
      sink,
      visitors.flatMap((visitor) => {
        const who = { visitor, session: visitor };
        // Random, as those of the SDK.
        const put = (place: number): VisitParts => ({ ...who, place, id: crypto.randomUUID() });
        return [
          at("10:00", { ...put(2), name: "order_placed" }),
          at("10:00", { ...put(3), name: "order_paid" }),
          at("10:00", { ...put(0), page: "/old", referrer: SEARCH }),
          at("10:00", { ...put(1), page: "/new", referrer: `${SITE}/old` }),
        ];
      }),
    );
    const paid = [[{ step: "order_placed" }], [{ step: "order_paid" }]];
    const moved = [[{ page: "/old" }], [{ page: "/new" }], [{ step: "order_placed" }], [{ step: "order_paid" }]];

    for (const order of ["sequential", "strict"] as const) {
      assertEquals(await readFunnel(store, { stages: paid, order }), [[60, null], [60, 0]]);
      assertEquals(await readFunnel(store, { stages: moved, order }), [[60, null], [60, 0], [60, 0], [60, 0]]);
      assertEquals(await readFunnel(store, { stages: paid.toReversed(), order }), [[60, null], [0, null]]);
    }
    const { rows } = await store.pages(ask(), 10);
    assertEquals(rows.map(({ path, entries, exits }) => [path, entries, exits]), [["/new", 0, 60], ["/old", 60, 0]]);
    const { sessions, landings } = await readTotal(store);
    assertEquals([sessions, landings], [60, 60]);
    assertEquals((await store.sources(ask(), { by: "landing" }, 10)).rows.map(({ label }) => label), ["/old"]);
    const bounds = [toMs("00:00"), toMs("2026-03-02T00:00:00Z")];
    assertEquals(await store.acceptance(ask(), bounds), [{ newlyConsented: 60, arrivalsBeforeChoice: 60 }]);
  });

  test("has the median length, by nearest rank, of sessions with two events or more", async ({ sink, store }) => {
    const session = (id: string, end: string): readonly StoredEvent[] => [
      at("10:00", { session: id }),
      at(end, { session: id, name: "$engagement" }),
    ];
    await storeEvents(sink, [at("10:00", { session: "alone" })]);
    const ofNone = (await readTotal(store)).medianSessionMs;
    await storeEvents(sink, [...session("s-1", "10:00"), ...session("s-2", "10:01")]);
    const ofTwo = (await readTotal(store)).medianSessionMs;
    await storeEvents(sink, session("s-3", "11:00"));
    const ofThree = (await readTotal(store)).medianSessionMs;

    assertEquals([ofNone, ofTwo, ofThree], [null, 0, 60_000]);
  });

  test("counts parts of the range by themselves", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", visitor: "v-1", user: "ada" }),
      at("11:00", { session: "s-1", visitor: "v-1", user: "ada", referrer: `${SITE}/` }),
      at("12:00", { session: "s-2", visitor: "v-1" }),
      at("12:00", { isAggregate: true }),
      at("13:00", { session: "s-3", visitor: "v-2" }),
    ]);
    const { medianSessionMs: _, engagedMs: __, ...nothing } = NOTHING;
    const bounds = ["10:00", "11:00", "12:00", "12:30", "13:00"].map(toMs);

    const { total, parts } = await store.overview(ask(), bounds);

    assertEquals([total.visitors, total.sessions, total.bounces], [2, 3, 2]);
    assertEquals(parts, [
      {
        ...{ pageviews: full(1), visitors: 1, users: 1 },
        ...{ sessions: 1, landings: 1, landingViews: 2, bounces: 0, instantSessions: 0 },
      },
      { ...nothing, pageviews: full(1), visitors: 1, users: 1 },
      {
        ...{ pageviews: full(1, 1), visitors: 1, users: 0 },
        ...{ sessions: 1, landings: 1, landingViews: 1, bounces: 1, instantSessions: 1 },
      },
      nothing,
    ]);
    assertEquals((await store.overview(ask(), [])).parts, []);
  });
}
