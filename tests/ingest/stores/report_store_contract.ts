/**
 * What every store of reports has to keep to, run against each of them: examples whose numbers are counted by hand, and any
 * history, counted by the reference.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { DataStore, EventSink, StoredEvent } from "../../../src/ingest/mod.ts";
import {
  type OverviewCounts,
  type ReportQuery,
  type ReportStore,
  SOURCE_DIMENSIONS,
  type SourceDimension,
  type ViewCounts,
} from "../../../src/ingest/ports/report_store.ts";
import { createEventModel, type EventModel } from "../reports/event_model.ts";
import { SITE } from "../reports/fixtures.ts";
import { createReferenceStore } from "../reports/reference_store.ts";
import { KEY, storeEvents } from "../reports/report_store.ts";
import { aHistory, aQuestion, type HistoryStep, KEEP_DAYS, type Question } from "../reports/visit_arbitrary.ts";
import { ask, askFor, at, toMs } from "../reports/visit_fixtures.ts";

/** A sink, the views of what it stored, and what erases and prunes it: nothing is erased where that is absent. */
export interface ReportStoreParts {
  readonly sink: EventSink;
  readonly store: ReportStore;
  readonly data?: Pick<DataStore, "erase" | "prune">;
}

/** Opens a store that holds nothing, and closes it after the test. */
export type WithReportStore = (use: (parts: ReportStoreParts) => Promise<void>) => Promise<void>;

/** How a store is tested. */
export interface ReportStoreTestOptions {
  /**
   * How many histories it is given. The environment variable `REPORT_RUNS` says otherwise.
   *
   * @default {20}
   */
  readonly numRuns?: number;
}

const NOTHING: OverviewCounts = {
  pageviews: { full: 0, aggregate: 0 },
  visitors: 0,
  users: 0,
  sessions: 0,
  landings: 0,
  landingViews: 0,
  bounces: 0,
  medianSessionMs: null,
};

const SEARCH = "https://www.google.com/";

function full(count: number, aggregate = 0): ViewCounts {
  return { full: count, aggregate };
}

async function readTotal(store: ReportStore, query: ReportQuery = ask()): Promise<OverviewCounts> {
  return (await store.overview(query, [])).total;
}

/** Returns what sources are listed with: label, sessions, full pageviews. */
async function readSources(
  store: ReportStore,
  by: SourceDimension,
  query: ReportQuery = ask(),
): Promise<readonly (readonly [string | null, number, number])[]> {
  const { rows } = await store.sources(query, by, 100);
  return rows.map(({ label, sessions, views }) => [label, sessions, views.full] as const);
}

/** Registers the tests of a store. */
export function testReportStore(
  name: string,
  withStore: WithReportStore,
  { numRuns = 20 }: ReportStoreTestOptions = {},
): void {
  const test = (what: string, use: (parts: ReportStoreParts) => Promise<void>): void =>
    Deno.test(`${name} ${what}`, () => withStore(use));

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
      assertEquals(await store.pages(query, 10), { rows: [], count: 0 });
      assertEquals(await store.sources(query, "channel", 10), { rows: [], count: 0 });
      assertEquals(await store.steps(query, 10), { rows: [], count: 0 });
      assertEquals(await store.stepValues(query, { step: "signup", key: "plan" }, 10), {
        ...{ keys: [], values: [], distinct: 0, numbers: null },
      });
    }
  });

  test("counts pageviews of both forms, and distinct visitors and users of full events", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("2026-02-28T23:59:59.999Z", { visitor: "v-early" }),
      at("00:00", { visitor: "v-1" }),
      at("10:00", { visitor: "v-1", user: "ada" }),
      at("10:01", { name: "signup", visitor: "v-2", user: "ada" }),
      at("10:02", { name: "$engagement", visitor: "v-3" }),
      at("10:03", { name: "signup", user: "bob" }),
      at("10:04", { isAggregate: true }),
      at("23:59:59.999", { isAggregate: true }),
      at("2026-03-02T00:00:00Z", { visitor: "v-late" }),
      at("10:00", { page: "https://blog.example/", visitor: "v-4" }),
      at("10:00", { page: null, visitor: "v-5" }),
    ]);
    await storeEvents(sink, [at("10:00", { visitor: "v-6" })], { apiKey: "pk_test_2" });

    assertEquals(await readTotal(store), { ...NOTHING, pageviews: full(2, 2), visitors: 3, users: 2 });
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

  test("orders events of the same time by the end of their ids", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "view-first", page: "/b", tie: 0xffff_ffff_fffe }),
      at("10:00", { session: "view-first", name: "signup", tie: 0xffff_ffff_ffff }),
      at("10:00", { session: "step-first", page: "/b", tie: 0x0010 }),
      at("10:00", { session: "step-first", name: "signup", tie: 0x000f }),
      at("10:00", { session: "views", page: "/b", tie: 2 }),
      at("10:00", { session: "views", page: "/a", tie: 1 }),
      at("10:00", { session: "views", page: "/c", tie: 3 }),
    ]);

    const { rows } = await store.pages(ask(), 10);

    assertEquals(rows.map(({ path, entries, exits }) => [path, entries, exits]), [
      ["/b", 1, 2],
      ["/a", 1, 0],
      ["/c", 0, 1],
    ]);
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
    const { medianSessionMs: _, ...nothing } = NOTHING;
    const bounds = ["10:00", "11:00", "12:00", "12:30", "13:00"].map(toMs);

    const { total, parts } = await store.overview(ask(), bounds);

    assertEquals([total.visitors, total.sessions, total.bounces], [2, 3, 2]);
    assertEquals(parts, [
      {
        ...{ pageviews: full(1), visitors: 1, users: 1 },
        ...{ sessions: 1, landings: 1, landingViews: 2, bounces: 0 },
      },
      { ...nothing, pageviews: full(1), visitors: 1, users: 1 },
      {
        ...{ pageviews: full(1, 1), visitors: 1, users: 0 },
        ...{ sessions: 1, landings: 1, landingViews: 1, bounces: 1 },
      },
      nothing,
    ]);
    assertEquals((await store.overview(ask(), [])).parts, []);
  });

  test("counts pages: views, visitors, entries, exits and bounces", async ({ sink, store }) => {
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
      at("23:00", { session: "s-3", page: "/about", visitor: "v-1" }),
      at("2026-03-02T00:10:00Z", { session: "s-3", page: "/late", visitor: "v-1", referrer: `${SITE}/` }),
    ]);

    const { rows, count } = await store.pages(ask(), 100);

    assertEquals(count, 4);
    assertEquals(rows, [
      { path: "/teas", views: full(3), visitors: 2, entries: 1, exits: 2, bounces: 1 },
      { path: "/", views: full(1, 1), visitors: 1, entries: 1, exits: 0, bounces: 0 },
      { path: "/about", views: full(1, 1), visitors: 1, entries: 1, exits: 0, bounces: 0 },
      { path: "/cart", views: full(1), visitors: 1, entries: 0, exits: 0, bounces: 0 },
    ]);
    assertEquals(await store.pages(ask(), 2), { rows: rows.slice(0, 2), count: 4 });
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

  test("counts sources of sessions by channel, and pageviews by where they came from", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", visitor: "v-1", referrer: SEARCH }),
      at("10:01", { session: "s-1", visitor: "v-1", referrer: `${SITE}/` }),
      at("10:00", { session: "s-2", visitor: "v-1", referrer: SEARCH }),
      at("10:01", { session: "s-2", visitor: "v-1", name: "signup", referrer: SEARCH }),
      at("10:00", { session: "s-3", visitor: "v-2", page: "/?utm_source=google&utm_medium=cpc" }),
      at("10:00", { session: "s-4", visitor: "v-3" }),
      at("10:30", { session: "s-4", visitor: "v-3", referrer: "https://chatgpt.com/" }),
      at("10:00", { isAggregate: true, referrer: "https://www.bing.com" }),
      at("10:00", { isAggregate: true, referrer: "https://forum.example" }),
      at("2026-02-28T23:00:00Z", { session: "old", visitor: "v-4", referrer: SEARCH }),
      at("00:10", { session: "old", visitor: "v-4", referrer: SEARCH }),
    ]);

    const { rows, count } = await store.sources(ask(), "channel", 100);

    assertEquals(count, 5);
    assertEquals(
      rows,
      [
        { label: "Search", views: full(3, 1), sessions: 2, visitors: 1, landings: 2, bounces: 0 },
        { label: "AI assistants", views: full(1), sessions: 1, visitors: 1, landings: 1, bounces: 0 },
        { label: "Paid search", views: full(1), sessions: 1, visitors: 1, landings: 1, bounces: 1 },
        { label: "Direct or unknown", views: full(1), sessions: 0, visitors: 0, landings: 0, bounces: 0 },
        { label: "Other sites", views: full(0, 1), sessions: 0, visitors: 0, landings: 0, bounces: 0 },
      ],
    );
    assertEquals(await store.sources(ask(), "channel", 1), { rows: rows.slice(0, 1), count: 5 });
  });

  test("lists a source by each of its names, and none as null", async ({ sink, store }) => {
    const tags = "utm_source=news&utm_medium=email&utm_campaign=spring+sale&utm_term=t%C3%A9a&utm_content=a%2Fb";
    await storeEvents(sink, [
      at("10:00", { session: "tagged", page: `/?${tags}`, referrer: "https://mail.google.com/" }),
      at("10:00", { session: "found", referrer: SEARCH }),
      at("10:00", { session: "direct" }),
    ]);
    const listed = new Map<SourceDimension, unknown>();
    for (const by of SOURCE_DIMENSIONS) listed.set(by, await readSources(store, by));

    assertEquals([...listed], [
      ["channel", [["Direct or unknown", 1, 1], ["Email", 1, 1], ["Search", 1, 1]]],
      ["source", [[null, 1, 1], ["https://www.google.com", 1, 1], ["news", 1, 1]]],
      ["referrer", [[null, 1, 1], ["https://mail.google.com", 1, 1], ["https://www.google.com", 1, 1]]],
      ["medium", [[null, 2, 2], ["email", 1, 1]]],
      ["campaign", [[null, 2, 2], ["spring sale", 1, 1]]],
      ["term", [[null, 2, 2], ["téa", 1, 1]]],
      ["content", [[null, 2, 2], ["a/b", 1, 1]]],
    ]);
  });

  test("takes a session's first tag for its source, else its first referrer", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "tagged-later", referrer: SEARCH }),
      at("10:01", { session: "tagged-later", page: "/?utm_source=one", referrer: `${SITE}/` }),
      at("10:02", { session: "tagged-later", page: "/?utm_source=two", referrer: `${SITE}/` }),
      at("10:00", { session: "of-a-step", name: "signup", page: "/?utm_source=three" }),
      at("10:00", { session: "referred-later" }),
      at("10:01", { session: "referred-later", name: "signup", referrer: "https://forum.example/" }),
      at("10:02", { session: "referred-later", referrer: SEARCH }),
      at("10:00", { session: "no-source", page: "/?utm_medium=email&utm_campaign=spring" }),
    ]);

    assertEquals(await readSources(store, "source"), [
      [null, 1, 2],
      ["https://forum.example", 1, 0],
      ["one", 1, 0],
      ["three", 1, 0],
      ["https://www.google.com", 0, 2],
    ]);
    assertEquals(await readSources(store, "campaign"), [[null, 4, 3], ["spring", 0, 1]]);
  });

  test("takes neither the key's own origins nor waypoints for a source", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", referrer: "https://blog.example/a" }),
      at("10:00", { session: "s-2", referrer: "https://www.paypal.com/checkout" }),
      at("10:00", { session: "s-3", referrer: "https://paypal.com.evil.example/" }),
      at("10:00", { session: "s-4", referrer: `${SITE}/teas` }),
    ]);
    const ownOrigins = [SITE, "https://blog.example"];

    assertEquals(await readSources(store, "referrer"), [
      [null, 2, 1],
      ["https://blog.example", 1, 1],
      ["https://paypal.com.evil.example", 1, 1],
    ]);
    assertEquals(await readSources(store, "channel", ask({ ownOrigins })), [
      ["Direct or unknown", 3, 2],
      ["Other sites", 1, 1],
    ]);
  });

  test("counts steps and automatic events by name, and no pageviews", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { visitor: "v-1" }),
      at("10:00", { isAggregate: true }),
      at("10:01", { name: "signup", visitor: "v-1" }),
      at("10:02", { name: "signup", visitor: "v-1" }),
      at("10:03", { name: "signup", visitor: "v-2" }),
      at("10:03", { name: "signup" }),
      at("10:04", { name: "tea_chosen", visitor: "v-1" }),
      at("10:04", { name: "$click", visitor: "v-1" }),
      at("2026-03-02T10:00:00Z", { name: "tea_chosen", visitor: "v-1" }),
    ]);

    const { rows, count } = await store.steps(ask(), 100);

    assertEquals(count, 3);
    assertEquals(rows, [
      { name: "signup", count: 4, visitors: 2 },
      { name: "$click", count: 1, visitors: 1 },
      { name: "tea_chosen", count: 1, visitors: 1 },
    ]);
    assertEquals(await store.steps(ask(), 1), { rows: rows.slice(0, 1), count: 3 });
  });

  test("counts values of a property, each type by itself", async ({ sink, store }) => {
    const values = [1, 1, "1", "pro", "pro", "pro", true, false, null, { nested: 1 }, [1], "a/b"];
    await storeEvents(
      sink,
      values.map((plan) => at("10:00", { name: "signup", visitor: "v-1", properties: { plan } })),
    );
    await storeEvents(sink, [
      at("10:00", { name: "signup", visitor: "v-2", properties: { plan: "pro", other: 1 } }),
      at("10:00", { name: "signup" }),
      at("10:00", { name: "other", properties: { plan: "other", third: 1 } }),
      at("2026-03-02T10:00:00Z", { name: "signup", properties: { plan: "late", late: 1 } }),
    ]);

    const counted = await store.stepValues(ask(), { step: "signup", key: "plan" }, 100);
    const two = await store.stepValues(ask(), { step: "signup", key: "plan" }, 2);

    assertEquals(counted, {
      keys: ["plan", "other"],
      values: [
        { value: "pro", count: 4, visitors: 2 },
        { value: 1, count: 2, visitors: 1 },
        { value: "1", count: 1, visitors: 1 },
        { value: "a/b", count: 1, visitors: 1 },
        { value: false, count: 1, visitors: 1 },
        { value: null, count: 1, visitors: 1 },
        { value: true, count: 1, visitors: 1 },
      ],
      distinct: 7,
      numbers: { count: 2, sum: 2, median: 1, p90: 1 },
    });
    assertEquals(two, { ...counted, values: counted.values.slice(0, 2) });
    assertEquals(await store.stepValues(ask(), { step: "signup" }, 100), {
      ...{ keys: ["plan", "other"], values: [], distinct: 0, numbers: null },
    });
    assertEquals((await store.stepValues(ask(), { step: "$pageview" }, 100)).keys, []);
  });

  test("sums the numbers of a property, and has median and p90 by nearest rank", async ({ sink, store }) => {
    const prices = [9.5, -0.25, 3, 1e21, 3, 4, 5, 6, 7, 8, 0.1];
    await storeEvents(sink, prices.map((price) => at("10:00", { name: "order", properties: { price } })));

    const { values, numbers } = await store.stepValues(ask(), { step: "order", key: "price" }, 100);

    // By their JSON: "-0.25", "0.1", "1e+21", "4"…
    assertEquals(values.map(({ value }) => value), [3, -0.25, 0.1, 1e21, 4, 5, 6, 7, 8, 9.5]);
    assertEquals(numbers && { ...numbers, sum: Number(numbers.sum.toPrecision(6)) }, {
      ...{ count: 11, sum: 1e21, median: 5, p90: 9.5 },
    });
  });

  test("reads the first 50 properties of an event, and 200 characters of a text", async ({ sink, store }) => {
    const many = Object.fromEntries(Array.from({ length: 60 }, (_, index) => [`key-${10 + index}`, index]));
    await storeEvents(sink, [
      at("10:00", { name: "many", properties: many }),
      at("10:00", { name: "more", properties: { ...many, last: 1 } }),
      at("10:00", { name: "more", properties: { last: 1 } }),
      at("10:00", { name: "long", properties: { ["k".repeat(201)]: "v".repeat(200) } }),
      at("10:00", {
        name: "long",
        properties: { ["k".repeat(202)]: "v".repeat(300), [`b\n`]: `${"v".repeat(199)}\u{1F375}` },
      }),
    ]);
    const key = "k".repeat(200);

    const ofMany = await store.stepValues(ask(), { step: "many", key: "key-60" }, 10);
    const ofMore = await store.stepValues(ask(), { step: "more", key: "last" }, 10);
    const ofLong = await store.stepValues(ask(), { step: "long", key }, 10);
    const cut = await store.stepValues(ask(), { step: "long", key: "b\ufffd" }, 10);

    assertEquals(ofMany.keys, Object.keys(many).slice(0, 50));
    assertEquals(ofMany.values, []);
    assertEquals([ofMore.keys.length, ofMore.values], [50, [{ value: 1, count: 1, visitors: 0 }]]);
    assertEquals(ofLong.keys, [key, "b\ufffd"]);
    assertEquals(ofLong.values, [{ value: "v".repeat(200), count: 2, visitors: 0 }]);
    assertEquals(cut.values[0]?.value, `${"v".repeat(199)}\ufffd`);
  });

  test("chooses events of a page, aggregates among them, and the sessions that have one", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", visitor: "v-1", page: "/" }),
      at("10:01", { session: "s-1", visitor: "v-1", page: "/teas", referrer: `${SITE}/` }),
      at("10:00", { session: "s-2", visitor: "v-2", page: "/" }),
      at("10:01", { session: "s-2", visitor: "v-2", page: "/cart", name: "signup" }),
      at("10:00", { session: "s-3", visitor: "v-3", page: "/help" }),
      at("10:00", { page: "/teas", isAggregate: true }),
      at("10:00", { page: "/help", isAggregate: true }),
      at("10:00", { page: "/teas", visitor: "v-4" }),
    ]);
    const query = askFor({ name: "page", values: ["/teas", "/cart"] });

    assertEquals(await readTotal(store, query), {
      ...{ pageviews: full(2, 1), visitors: 3, users: 0 },
      // Facts of a session are of all of it.
      ...{ sessions: 2, landings: 2, landingViews: 3, bounces: 0, medianSessionMs: 60_000 },
    });
    assertEquals((await store.pages(query, 10)).rows, [
      { path: "/teas", views: full(2, 1), visitors: 2, entries: 0, exits: 1, bounces: 0 },
    ]);
    assertEquals((await store.steps(query, 10)).rows, [{ name: "signup", count: 1, visitors: 1 }]);
    assertEquals((await store.sources(query, "channel", 10)).rows.map(({ sessions, views }) => [sessions, views]), [
      [2, full(1, 1)],
    ]);
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
      ["source", ["https://www.google.com"], 1, 1],
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

  test("counts the same whenever events come, and each once", async ({ sink, store }) => {
    const events = [
      at("10:00", { session: "s-1", visitor: "v-1", page: "/?utm_source=news" }),
      at("10:01", { session: "s-1", visitor: "v-1", page: "/teas", referrer: `${SITE}/` }),
      at("10:02", { session: "s-1", visitor: "v-1", name: "signup", properties: { plan: "pro" } }),
    ];
    const [first, second, third] = events.map((event) => [event]);
    await storeEvents(sink, third ?? []);
    const ofStep = await readTotal(store);
    await storeEvents(sink, second ?? []);
    const later = await readTotal(store);
    await storeEvents(sink, first ?? []);
    await storeEvents(sink, events);

    assertEquals(ofStep, { ...NOTHING, visitors: 1, sessions: 1 });
    assertEquals(later, { ...NOTHING, pageviews: full(1), visitors: 1, sessions: 1, medianSessionMs: 60_000 });
    assertEquals(await readTotal(store), {
      ...{ ...NOTHING, pageviews: full(2), visitors: 1 },
      ...{ sessions: 1, landings: 1, landingViews: 2, medianSessionMs: 120_000 },
    });
    assertEquals(await readSources(store, "source"), [["news", 1, 1]]);
    assertEquals((await store.stepValues(ask(), { step: "signup", key: "plan" }, 10)).values, [
      { value: "pro", count: 1, visitors: 1 },
    ]);
  });

  test("forgets what is erased, and counts anew what is left of a session", async ({ sink, store, data }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", visitor: "v-1", user: "ada", page: "/?utm_source=news" }),
      at("10:01", { session: "s-1", visitor: "v-1", page: "/teas", referrer: SEARCH }),
      at("10:00", { session: "s-2", visitor: "v-2", page: "/help" }),
    ]);
    if (data === undefined) return;

    await data.erase({ apiKey: KEY, userId: "ada" });
    const ofRest = await readTotal(store);
    const sources = await readSources(store, "source");
    await data.erase({ apiKey: KEY, anonymousId: "v-1" });

    assertEquals(ofRest, {
      ...{ ...NOTHING, pageviews: full(2), visitors: 2 },
      ...{ sessions: 2, landings: 2, landingViews: 2, bounces: 2 },
    });
    assertEquals(sources, [[null, 1, 1], ["https://www.google.com", 1, 1]]);
    assertEquals((await store.pages(ask(), 10)).rows.map(({ path }) => path), ["/help"]);
  });

  test("takes hostile texts for text, and orders them by code points", async ({ sink, store }) => {
    const names = [`'; DROP TABLE events; --<script>"\0\n`, "__proto__", "\u{1F375}", "\ud800", "{x:String}"];
    await storeEvents(
      sink,
      names.map((text) =>
        at("10:00", {
          name: text,
          session: text.toWellFormed(),
          page: `/?utm_source=${encodeURIComponent(text.toWellFormed())}`,
          properties: { [text]: text },
        })
      ),
    );
    const cleaned = [
      "'; DROP TABLE events; --<script>\"\ufffd\ufffd",
      "__proto__",
      "{x:String}",
      "\ufffd",
      "\u{1F375}",
    ];

    assertEquals((await store.steps(ask(), 10)).rows.map((row) => row.name), cleaned);
    assertEquals((await readSources(store, "source")).map(([label]) => label), cleaned);
    for (const text of cleaned) {
      const { keys, values } = await store.stepValues(ask(), { step: text, key: text }, 10);
      const { sessions } = await readTotal(
        store,
        askFor({ name: "source", values: [text] }, { name: "property", key: text, values: [JSON.stringify(text)] }),
      );
      assertEquals([keys, values, sessions], [[text], [{ value: text, count: 1, visitors: 0 }], 1]);
    }
  });

  test("counts any history as the reference does, after each thing that happens", async ({ sink, store, data }) => {
    // Or nothing would be left of some histories, and a store refuses to prune all.
    await storeEvents(sink, [at("2199-01-01T00:00:00.000Z")], { apiKey: "pk_kept" });
    let run = 0;
    let counted = 0;
    await fc.assert(
      fc.asyncProperty(aHistory, fc.array(aQuestion, { minLength: 2, maxLength: 4 }), async (history, questions) => {
        const model = createEventModel();
        // In another order than that of arrival.
        const reference = createReferenceStore((apiKey) =>
          model.eventsOf(apiKey).toSorted((one, other) => one.id < other.id ? -1 : 1)
        );
        const number = run++;
        const nameKey = (key: number): string => `pk_run_${number}_${key}`;
        for (const step of history) {
          if (step.kind !== "store" && data === undefined) continue;
          await happen(step, nameKey, data === undefined ? { sink } : { sink, data });
          await happen(step, nameKey, model);
          for (const question of questions) {
            const apiKey = nameKey(question.key);
            const expected = await readViews(reference, apiKey, question);
            assertEquals(await readViews(store, apiKey, question), expected);
            counted += expected.overview.total.sessions;
          }
        }
      }),
      { numRuns: Number(Deno.env.get("REPORT_RUNS") ?? numRuns) },
    );

    // Or the runs proved nothing.
    assertEquals(counted > 0, true, `${counted}`);
  });
}

async function happen(
  step: HistoryStep,
  nameKey: (key: number) => string,
  { sink, data }: Pick<EventModel, "sink"> & Partial<Pick<ReportStoreParts, "data">>,
): Promise<void> {
  if (step.kind === "store") return await storeEvents(sink, step.events, { apiKey: nameKey(step.key) });
  if (step.kind === "prune") return void await data?.prune({ keepDays: KEEP_DAYS });
  const apiKey = nameKey(step.key);
  await data?.erase(
    "userId" in step
      ? { apiKey, userId: step.userId, withVisitors: step.withVisitors }
      : { apiKey, anonymousId: step.anonymousId },
  );
}

async function readViews(store: ReportStore, apiKey: string, { query, bounds, by, of, rows }: Question) {
  const asked = { apiKey, ...query };
  return {
    overview: await store.overview(asked, bounds),
    pages: await store.pages(asked, rows),
    sources: await store.sources(asked, by, rows),
    steps: await store.steps(asked, rows),
    values: await store.stepValues(asked, of, rows),
  };
}
