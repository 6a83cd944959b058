/**
 * What every store of reports has to keep to, run against each of them: examples whose numbers are counted by hand, and any
 * history, counted by the reference.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createReports, type DataStore, type EventSink, type StoredEvent } from "../../../src/ingest/mod.ts";
import {
  type Funnel,
  type FunnelEvent,
  type OverviewCounts,
  type ReportQuery,
  type ReportReader,
  SOURCE_DIMENSIONS,
  type SourceDimension,
  type ViewCounts,
} from "../../../src/ingest/ports/reader.ts";
import { VIEW_NAMES } from "../../../src/ingest/reports/views/view_query.ts";
import { createEventModel, type EventModel } from "../reports/event_model.ts";
import { buildEvent, buildPageview, SITE } from "../reports/fixtures.ts";
import { createReferenceStore } from "../reports/reference_store.ts";
import { KEY, storeEvents } from "../reports/report_store.ts";
import { ask as askReports, createTestReports, NOW_MS, SECRET, TEST_KEY } from "../reports/reports_fixtures.ts";
import { aHistory, aQuestion, type HistoryStep, KEEP_DAYS, type Question } from "../reports/visit_arbitrary.ts";
import { ask, askFor, at, toMs, type VisitParts } from "../reports/visit_fixtures.ts";

/** A sink, the views of what it stored, and what erases and prunes it: nothing is erased where that is absent. */
export interface ReportStoreParts {
  readonly sink: EventSink;
  readonly store: ReportReader;
  readonly data?: Pick<DataStore, "erase" | "prune">;
}

/** Opens a store that holds nothing, and closes it after the test. */
export type WithReportStore = (use: (parts: ReportStoreParts) => Promise<void>) => Promise<void>;

/** How a store is tested. */
export interface ReportStoreTestOptions {
  /**
   * How many histories it is given, always the same. The environment variable `REPORT_RUNS` asks for so many others.
   *
   * @default {20}
   */
  readonly numRuns?: number;
  /**
   * Whether the first history that is counted wrongly is told as it is: a shorter one takes many more.
   *
   * @default {false}
   */
  readonly endOnFailure?: boolean;
  /**
   * Whether the store gives a backend's step to the visitor of its user, and to the visit in which that visitor came last, and
   * counts whom a span has seen by the events of pages alone. Otherwise the tests store nothing of a visitor or a user
   * that has no session.
   *
   * @default {false}
   */
  readonly knowsBackends?: boolean;
}

const NOTHING: OverviewCounts = {
  pageviews: { full: 0, aggregate: 0 },
  visitors: 0,
  users: 0,
  sessions: 0,
  landings: 0,
  landingViews: 0,
  bounces: 0,
  instantSessions: 0,
  medianSessionMs: null,
};

const DEFAULT_RUNS = 20;

/** Of these histories, some have ways through a funnel, and visitors who return. */
const SEED = 2;

/** Time of an event that no store is too old for. */
const KEPT = "2199-01-01T00:00:00.000Z";

const SEARCH = "https://www.google.com/";

const MINUTE_MS = 60_000;

/** Builds an event that tells how long a page was looked at. */
function engagement(time: string, parts: VisitParts, engagedMs: number): StoredEvent {
  return at(time, { ...parts, name: "$engagement", properties: { engagedMs } });
}

function full(count: number, aggregate = 0): ViewCounts {
  return { full: count, aggregate };
}

async function readTotal(store: ReportReader, query: ReportQuery = ask()): Promise<OverviewCounts> {
  return (await store.overview(query, [])).total;
}

/** Returns what sources are listed with: label, sessions, full pageviews. */
async function readSources(
  store: ReportReader,
  by: SourceDimension,
  query: ReportQuery = ask(),
): Promise<readonly (readonly [string | null, number, number])[]> {
  const { rows } = await store.sources(query, { by }, 100);
  return rows.map(({ label, sessions, views }) => [label, sessions, views.full] as const);
}

const TO_ORDER: Funnel = {
  stages: [[{ page: "/teas" }], [{ page: "/cart" }], [{ step: "Order placed" }]],
  within: "session",
  order: "sequential",
};

/** Returns what the stages of a funnel have: visitors, and the median time. */
async function readFunnel(
  store: ReportReader,
  changes: Partial<Funnel> = {},
  query: ReportQuery = ask(),
): Promise<readonly (readonly [number, number | null])[]> {
  const stages = await store.funnel(query, { ...TO_ORDER, ...changes });
  return stages.map(({ visitors, medianMs }) => [visitors, medianMs] as const);
}

/** Returns what the cohorts of days have, from the first of March: size, and returns. */
async function readCohorts(
  store: ReportReader,
  { days = 4, returns, filters = [] }: {
    readonly days?: number;
    readonly returns?: readonly FunnelEvent[];
    readonly filters?: ReportQuery["filters"];
  } = {},
): Promise<readonly (readonly [number, readonly number[]])[]> {
  const bounds = Array.from({ length: days + 1 }, (_, day) => toMs("00:00") + day * 24 * 60 * MINUTE_MS);
  const cohorts = await store.retention(ask({ filters }), { bounds, ...(returns !== undefined && { returns }) });
  assertEquals(cohorts.map(({ from }) => from), bounds.slice(0, -1));
  return cohorts.map(({ size, returned }) => [size, returned] as const);
}

/** Creates a sink that stores what it gets, and waits until that is counted: a reader answers before, on a slow machine. */
function createCountedSink({ sink, store }: ReportStoreParts): EventSink {
  return {
    async store(batch) {
      const stored = await sink.store(batch);
      while (await store.progress() < 1);
      return stored;
    },
    close: () => sink.close(),
  };
}

/** Builds a step as a backend sends it, which names no page, no session and no visitor. */
function backendStep(time: string, name: string, parts: VisitParts = {}): StoredEvent {
  return { ...at(time, { name, page: null, ...parts }), site: SITE };
}

/** Registers a test of a store. */
type RegisterTest = (what: string, use: (parts: ReportStoreParts) => Promise<void>) => void;

/** Registers the tests of what backends send. */
function testBackendSteps(test: RegisterTest): void {
  const paid = [[{ page: "/cart" }], [{ step: "paid" }]];
  const withinDays = { stages: paid, within: 90 * 24 * 60 * MINUTE_MS };
  const days = (count: number): readonly number[] =>
    Array.from({ length: count + 1 }, (_, day) => toMs("00:00") + day * 24 * 60 * MINUTE_MS);

  test("gives a backend's step to the visitor of its user's first event that has one", async ({ sink, store, data }) => {
    await storeEvents(sink, [
      // Ada has two devices: the first of all, on another site and by the clock, is the visitor of what backends send.
      at("2026-02-01T10:00:00Z", { visitor: "v-1", session: "s-0", page: "https://blog.example/", user: "ada" }),
      at("10:00", { visitor: "v-1", session: "s-1", page: "/cart", referrer: SEARCH }),
      at("10:00", { visitor: "v-2", session: "s-2", page: "/cart", user: "ada" }),
      backendStep("10:05", "paid", { user: "ada" }),
      backendStep("2026-02-01T09:00:00Z", "paid", { user: "ada" }),
      // Bob never came, and nobody's step is nobody's.
      at("10:00", { visitor: "v-3", session: "s-3", page: "/cart" }),
      backendStep("10:05", "paid", { user: "bob" }),
      backendStep("10:05", "paid"),
      // A page's event that names no visitor stays without one.
      at("10:06", { session: "s-4", name: "paid", user: "ada" }),
    ]);
    const event = { step: "paid" } as const;

    assertEquals(await readFunnel(store, withinDays), [[3, null], [1, 5 * MINUTE_MS]]);
    assertEquals((await store.countEvents(ask(), [{ event }], []))[0]?.total, { count: 4, visitors: 1, sum: 0 });
    assertEquals((await store.steps(ask(), 10)).rows, [{ name: "paid", count: 4, visitors: 1 }]);

    // Later, an earlier event comes in, and then it goes.
    const earlier = at("2026-01-01T10:00:00Z", { visitor: "v-3", session: "s-5", user: "ada", page: "/a" });
    await storeEvents(sink, [earlier]);
    assertEquals(await readFunnel(store, withinDays), [[3, null], [1, 5 * MINUTE_MS]]);
    assertEquals(
      await readFunnel(store, { ...withinDays, stages: [[{ page: "/a" }], [{ step: "paid" }]] }, ask({ from: 0 })),
      [[1, null], [1, toMs("2026-02-01T09:00:00Z") - toMs("2026-01-01T10:00:00Z")]],
    );
    if (data === undefined) return;
    await data.erase({ apiKey: KEY, anonymousId: "v-3" });
    await data.erase({ apiKey: KEY, anonymousId: "v-1" });
    assertEquals(await readFunnel(store, withinDays), [[1, null], [1, 5 * MINUTE_MS]]);
  });

  test("counts who is there, and who comes back, by the events of pages alone", async ({ sink, store }) => {
    const [second, third] = ["2026-03-02T10:00:00Z", "2026-03-03T10:00:00Z"];
    await storeEvents(sink, [
      at("10:00", { visitor: "v-1", session: "s-1", user: "ada" }),
      at("10:00", { visitor: "v-2", session: "s-2" }),
      at(third, { visitor: "v-2", session: "s-3" }),
      // Renewals: of a user, and of a visitor whom the backend names.
      backendStep(second, "renewed", { user: "ada" }),
      backendStep(second, "renewed", { visitor: "v-2" }),
      backendStep(third, "renewed", { user: "ada" }),
      // Somebody whom no page has seen.
      backendStep("10:00", "renewed", { visitor: "v-9" }),
    ]);
    const bounds = days(3);
    const ofSecond = ask({ from: bounds[1] ?? 0, to: bounds[2] ?? 0 });

    const { total, parts } = await store.overview(ask({ to: bounds[3] ?? 0 }), bounds);
    assertEquals([total.visitors, ...parts.map(({ visitors }) => visitors)], [2, 2, 0, 1]);
    assertEquals(await readCohorts(store, { days: 3 }), [[2, [2, 0, 1]], [0, [0, 0]], [0, [0]]]);
    assertEquals(await readCohorts(store, { days: 3, returns: [{ step: "renewed" }] }), [
      [2, [0, 2, 1]],
      [0, [0, 0]],
      [0, [0]],
    ]);
    assertEquals((await store.countEvents(ofSecond, [{ event: { step: "renewed" } }], []))[0]?.total, {
      ...{ count: 2, visitors: 2, sum: 0 },
    });
    assertEquals((await store.acceptance(ask(), bounds.slice(0, 2))).map((part) => part.newlyConsented), [2]);
  });

  test("gives a backend's step to the visit in which its visitor came last before it", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("08:00", { visitor: "v-1", session: "s-1", page: "/?utm_source=news", user: "ada" }),
      at("10:00", { visitor: "v-1", session: "s-2", page: "/cart", referrer: SEARCH }),
      at("10:01", { visitor: "v-1", session: "s-2", page: "/pay", referrer: `${SITE}/cart` }),
      backendStep("10:02", "paid", { user: "ada", properties: { price: 5 } }),
      // The visit of another device, and one that came behind it.
      at("10:01", { visitor: "v-2", session: "s-3", page: "/cart", user: "ada" }),
      at("11:00", { visitor: "v-1", session: "s-4", page: "/", referrer: "https://forum.example/" }),
      // Before the visitor came, and of a visitor whom the backend names.
      backendStep("07:00", "paid", { user: "ada", properties: { price: 7 } }),
      at("10:00", { visitor: "v-3", session: "s-5", page: "/cart", referrer: "https://forum.example/" }),
      backendStep("10:00", "paid", { visitor: "v-3", properties: { price: 9 } }),
    ]);
    const counted = [{ event: { step: "paid" }, sumOf: "price" }];
    const sumOf = async (...filters: ReportQuery["filters"]): Promise<number | undefined> =>
      (await store.countEvents(ask({ filters }), counted, []))[0]?.total.sum;
    const channelsOf = async (...filters: ReportQuery["filters"]): Promise<unknown> =>
      (await store.sources(ask({ filters }), { by: "channel" }, 10)).rows.map((
        { label, sessions },
      ) => [label, sessions]);

    assertEquals(await sumOf(), 21);
    assertEquals(await sumOf({ name: "channel", values: ["Search"] }), 5);
    assertEquals(await sumOf({ name: "channel", values: ["Other sites"] }), 9);
    assertEquals(await sumOf({ name: "source", values: ["news"] }), 0);
    assertEquals(await sumOf({ name: "entry", values: ["/cart"] }), 14);
    const isPaid = { name: "goal", values: ["Paid"], events: [{ step: "paid" }] } as const;
    const byChannel = [["Other sites", 1], ["Search", 1]];
    assertEquals(await channelsOf(isPaid), byChannel);
    assertEquals(await channelsOf({ name: "step", values: ["paid"] }), byChannel);
    assertEquals(await channelsOf({ name: "property", key: "price", values: ["5"] }), [["Search", 1]]);
    // A way within a session takes it; the session is no longer for it.
    assertEquals(await readFunnel(store, { stages: paid }), [[3, null], [2, 0]]);
    const { sessions, medianSessionMs } = await readTotal(store, askFor(isPaid));
    assertEquals([sessions, medianSessionMs], [2, MINUTE_MS]);
  });
}

/** Registers the tests of a store. */
export function testReportStore(
  name: string,
  withStore: WithReportStore,
  { numRuns = DEFAULT_RUNS, endOnFailure = false, knowsBackends = false }: ReportStoreTestOptions = {},
): void {
  const test: RegisterTest = (what, use) =>
    Deno.test(`${name} ${what}`, () => withStore((parts) => use({ ...parts, sink: createCountedSink(parts) })));

  test("answers with every view as the reference does: as a page, JSON and CSV", async ({ sink, store }) => {
    const ada = { pageUrl: `${SITE}/teas`, sessionId: "s-1", anonymousId: "v-1" } as const;
    const events = [
      buildEvent({ ...ada, name: "a", timestamp: "2026-03-30T10:00:00.000Z" }),
      buildEvent({ ...ada, name: "b", timestamp: "2026-03-30T10:01:00.000Z" }),
      // In the last minutes.
      buildEvent({ ...ada, name: "c", timestamp: "2026-03-31T11:45:00.000Z" }),
      buildPageview({ timestamp: "2026-03-31T11:59:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
      buildPageview({
        timestamp: "2026-03-31T11:00:00.000Z",
        pageUrl: "https://blog.example/",
        sessionId: "s-2",
        anonymousId: "v-2",
      }),
    ];
    await storeEvents(sink, events);
    const errors: unknown[] = [];
    const options = { now: () => NOW_MS, onError: (error: unknown) => void errors.push(error) };
    const reports = createReports({ ...options, keys: [TEST_KEY], reader: store });
    const expected = await createTestReports(events, options);
    const ofPerson = {
      method: "POST",
      headers: { Authorization: `Bearer ${SECRET}` },
      body: new URLSearchParams({ anonymousId: "v-1" }),
    };

    for (const view of VIEW_NAMES) {
      for (const format of ["json", "csv", "html"]) {
        const search = `?view=${view}&format=${format}&stage=step:a&stage=step:b`;
        const [answer, wanted] = await Promise.all([reports, expected].map(async (one) => {
          const { status, text } = await askReports(one, search, view === "person" ? ofPerson : {})
            .then(async (response) => ({ status: response.status, text: await response.text() }));
          return [search, status, format === "json" ? JSON.parse(text) : text];
        }));
        assertEquals(answer, wanted);
        assertEquals(answer?.[1], 200);
      }
    }
    assertEquals(errors, []);
  });

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

  test("orders events of the same time by their places in their batches, then by their ids", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "step-first", visitor: "v-1", page: "/b", place: 10, id: "0" }),
      at("10:00", { session: "step-first", visitor: "v-1", name: "signup", place: 9, id: "1" }),
      at("10:00", { session: "views", page: "/b", place: 99, id: "a" }),
      at("10:00", { session: "views", page: "/a", place: 0, id: "c" }),
      at("10:00", { session: "views", page: "/c", place: 0, id: "b" }),
      at("10:00", { session: "of-ids", page: "/a", id: "00000000-0000-4000-8000-00000000000b" }),
      at("10:00", { session: "of-ids", page: "/c", id: "00000000-0000-4000-8000-00000000000a" }),
    ]);

    const { rows } = await store.pages(ask(), 10);

    assertEquals(rows.map(({ path, entries, exits }) => [path, entries, exits]), [
      ["/a", 0, 1],
      ["/b", 0, 2],
      ["/c", 2, 0],
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
    const { medianSessionMs: _, ...nothing } = NOTHING;
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
      { path: "/about", views: full(1, 1), visitors: 1, entries: 1, exits: 0, bounces: 0, engagedMs: 0 },
      { path: "/cart", views: full(1), visitors: 1, entries: 0, exits: 0, bounces: 0, engagedMs: 0 },
    ]);
    assertEquals(await store.pages(ask(), 2), {
      ...{ rows: rows.slice(0, 2), count: 4 },
      other: { views: full(2, 1), entries: 1, exits: 0, bounces: 0, engagedMs: 0 },
    });
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

    const { rows, count } = await store.sources(ask(), { by: "channel" }, 100);

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
    assertEquals(await store.sources(ask(), { by: "channel" }, 1), {
      ...{ rows: rows.slice(0, 1), count: 5 },
      other: { views: full(3, 1), sessions: 2, landings: 2, bounces: 1 },
    });
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

  test("lists landing pages as the rules write them, and sessions that joined midway as null", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", visitor: "v-1", page: "/teas/green", referrer: SEARCH }),
      at("10:01", { session: "s-1", visitor: "v-1", page: "/cart", referrer: `${SITE}/` }),
      at("10:00", { session: "s-2", visitor: "v-1", page: "/teas/black" }),
      at("10:00", { session: "s-3", visitor: "v-2", page: "/" }),
      at("10:30", { session: "s-3", visitor: "v-2", page: "/cart", referrer: SEARCH }),
      at("10:00", { session: "midway", visitor: "v-3", page: "/cart", referrer: `${SITE}/` }),
      at("10:00", { session: "of-a-step", visitor: "v-3", page: "/cart", name: "signup" }),
      at("10:00", { isAggregate: true, page: "/", referrer: SEARCH }),
      at("10:00", { isAggregate: true, page: "/cart", referrer: `${SITE}/` }),
      at("2026-02-28T23:00:00Z", { session: "old", visitor: "v-4", page: "/old" }),
      at("00:10", { session: "old", visitor: "v-4", page: "/teas/green" }),
    ]);
    const pathRules = { ...ask().pathRules, patterns: ["/teas/:tea"] };

    const { rows } = await store.sources(ask({ pathRules }), { by: "landing" }, 10);
    const filtered = await store.sources(
      ask({ filters: [{ name: "entry", values: ["/teas/green", "/teas/black"] }] }),
      { by: "landing" },
      1,
    );

    assertEquals(rows, [
      { label: "/teas/:tea", views: full(3), sessions: 2, visitors: 1, landings: 2, bounces: 1 },
      { label: null, views: full(0), sessions: 2, visitors: 1, landings: 0, bounces: 0 },
      { label: "/", views: full(1, 1), sessions: 1, visitors: 1, landings: 1, bounces: 0 },
      { label: "/cart", views: full(1), sessions: 0, visitors: 0, landings: 0, bounces: 0 },
    ]);
    assertEquals(filtered, {
      rows: [{ label: "/teas/black", views: full(1), sessions: 1, visitors: 1, landings: 1, bounces: 1 }],
      ...{ count: 2, other: { views: full(1), sessions: 1, landings: 1, bounces: 0 } },
    });
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

  test("counts the visitor of each session of a source by its first event", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { session: "s-1", referrer: SEARCH }),
      at("10:01", { session: "s-1", visitor: "v-1", name: "signup" }),
      at("10:02", { session: "s-1", visitor: "v-2", name: "signup" }),
      at("10:00", { session: "s-2", visitor: "v-2", referrer: SEARCH }),
    ]);

    const { rows } = await store.sources(ask(), { by: "channel" }, 10);

    assertEquals(rows, [
      { label: "Search", views: full(2), sessions: 2, visitors: 1, landings: 2, bounces: 1 },
    ]);
  });

  test("lists a session under the first of its visitor in all that is kept, and leaves out views before consent", async ({ sink, store }) => {
    await storeEvents(sink, [
      // Earlier on another site, and as a crawler: that is no session of these.
      at("2025-01-01T10:00:00Z", { session: "s-0", visitor: "v-1", page: "https://blog.example/?utm_source=blog" }),
      at("2025-01-01T10:00:00Z", { session: "s-0", visitor: "v-1", page: "/?utm_source=bot", flag: "bot" }),
      at("2025-02-01T10:00:00Z", { session: "s-1", visitor: "v-1", page: "/Teas/green", referrer: SEARCH }),
      at("10:00", { session: "s-2", visitor: "v-1", page: "/" }),
      at("11:00", { session: "s-3", visitor: "v-1", page: "/cart", referrer: "https://forum.example/" }),
      at("11:01", { session: "s-3", visitor: "v-1", name: "signup" }),
      // A view without a session.
      at("12:00", { visitor: "v-1", page: "/cart", referrer: "https://forum.example/" }),
      at("12:00", { visitor: "v-9", page: "/cart", referrer: "https://forum.example/" }),
      // Of the same time, the event with the smaller place is the first.
      at("10:00", { session: "s-4", visitor: "v-2", page: "/?utm_source=news&utm_medium=email", place: 2 }),
      at("10:00", { session: "s-5", visitor: "v-2", page: "/a?utm_source=google&utm_medium=cpc", place: 1 }),
      // Of two visitors: the session is of the first, the views each of their own.
      at("10:00", { session: "mixed", visitor: "v-3", page: "/", referrer: SEARCH }),
      at("10:01", { session: "mixed", visitor: "v-2", page: "/", referrer: SEARCH }),
      at("10:00", { session: "of-nobody", page: "/", referrer: "https://forum.example/" }),
      at("10:00", { isAggregate: true, page: "/", referrer: "https://www.bing.com" }),
      // Who joined midway has no landing page, and no source here.
      at("2025-03-01T10:00:00Z", { session: "midway", visitor: "v-4", page: "/", referrer: `${SITE}/` }),
      at("10:00", { session: "s-6", visitor: "v-4", page: "/a", referrer: SEARCH }),
      at("2026-03-05T10:00:00Z", { session: "s-7", visitor: "v-4", page: "/a", referrer: SEARCH }),
    ]);
    const pathRules = { ...ask().pathRules, ignoresCase: true };

    assertEquals((await store.sources(ask(), { by: "channel", of: "first" }, 10)).rows, [
      { label: "Search", views: full(4), sessions: 3, visitors: 2, landings: 3, bounces: 1 },
      { label: "Paid search", views: full(3), sessions: 2, visitors: 1, landings: 2, bounces: 2 },
      { label: "Other sites", views: full(2), sessions: 1, visitors: 0, landings: 1, bounces: 1 },
      { label: "Direct or unknown", views: full(1), sessions: 1, visitors: 1, landings: 1, bounces: 1 },
    ]);
    assertEquals((await store.sources(ask({ pathRules }), { by: "landing", of: "first" }, 10)).rows, [
      { label: "/a", views: full(3), sessions: 2, visitors: 1, landings: 2, bounces: 2 },
      { label: "/teas/green", views: full(3), sessions: 2, visitors: 1, landings: 2, bounces: 1 },
      { label: "/", views: full(2), sessions: 2, visitors: 1, landings: 2, bounces: 1 },
      { label: null, views: full(1), sessions: 1, visitors: 1, landings: 1, bounces: 1 },
      { label: "/cart", views: full(1), sessions: 0, visitors: 0, landings: 0, bounces: 0 },
    ]);
    assertEquals(
      await store.sources(ask(), { by: "channel", of: "session" }, 10),
      await store.sources(ask(), { by: "channel" }, 10),
    );
  });

  test("attributes a goal to what visitors first came from, and filters by the source of the session", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("2025-06-01T10:00:00Z", { session: "ad", visitor: "v-1", page: "/?utm_source=google&utm_medium=cpc" }),
      at("10:00", { session: "back", visitor: "v-1" }),
      at("10:05", { session: "back", visitor: "v-1", name: "order" }),
      at("09:00", { session: "letter", visitor: "v-2", page: "/?utm_source=news&utm_medium=email" }),
      at("11:00", { session: "found", visitor: "v-2", referrer: SEARCH }),
      at("11:05", { session: "found", visitor: "v-2", name: "order" }),
      at("11:06", { session: "found", visitor: "v-2", name: "order" }),
      at("2025-06-01T10:00:00Z", { session: "looks", visitor: "v-3", page: "/?utm_source=google&utm_medium=cpc" }),
      at("12:00", { session: "looks-again", visitor: "v-3" }),
    ]);
    const order: ReportQuery["filters"][number] = { name: "goal", values: ["Order"], events: [{ step: "order" }] };
    const readFirst = async (...filters: ReportQuery["filters"]): Promise<unknown> => {
      const { rows } = await store.sources(askFor(...filters), { by: "channel", of: "first" }, 10);
      return rows.map(({ label, sessions, visitors, views }) => [label, sessions, visitors, views.full]);
    };

    assertEquals(await readSources(store, "channel", askFor(order)), [["Direct or unknown", 1, 1], ["Search", 1, 1]]);
    assertEquals(await readFirst(order), [["Email", 1, 1, 1], ["Paid search", 1, 1, 1]]);
    assertEquals(await readFirst({ name: "channel", values: ["Direct or unknown"] }), [["Paid search", 2, 2, 2]]);
    assertEquals(await readFirst({ name: "channel", values: ["Paid search"] }), []);
    assertEquals(await readFirst({ name: "channel", values: ["Direct or unknown", "Search"] }, order), [
      ["Email", 1, 1, 1],
      ["Paid search", 1, 1, 1],
    ]);
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

  test("tells the channels of the 10,000 most frequent sources, and counts the others as Other", async ({ sink, store }) => {
    const views = (count: number, kind: string): readonly StoredEvent[] =>
      Array.from(
        { length: count },
        (_, index) => at("10:00", { page: `/?utm_medium=email&utm_source=${kind}-${String(index).padStart(5, "0")}` }),
      );
    const session = (source: string): StoredEvent =>
      at("11:00", { session: source, page: `/?utm_medium=email&utm_source=${source}` });
    await storeEvents(sink, [...views(9_997, "made-up"), session("often"), session("often"), session("zz-rare")]);
    await storeEvents(sink, [
      at("11:00", { session: "direct" }),
      ...[1, 2].map(() => at("11:00", { isAggregate: true, referrer: SEARCH })),
    ]);
    const before = await readSources(store, "channel");
    await storeEvents(sink, [session("zz-rarest")]);

    assertEquals(before, [["Email", 2, 10_000], ["Direct or unknown", 1, 1], ["Search", 0, 0]]);
    assertEquals(await readSources(store, "channel"), [
      ["Email", 2, 10_000],
      ["Direct or unknown", 1, 1],
      ["Other", 1, 1],
      ["Search", 0, 0],
    ]);
    assertEquals((await readTotal(store, askFor({ name: "channel", values: ["Other"] }))).sessions, 1);
    assertEquals((await readTotal(store, askFor({ name: "source", values: ["zz-rarest"] }))).sessions, 1);
    // What comes from elsewhere in the range has places of its own.
    const evening = ask({ from: toMs("10:30") });
    assertEquals(await readSources(store, "channel", evening), [["Email", 3, 4], ["Direct or unknown", 1, 1], [
      "Search",
      0,
      0,
    ]]);
    // A visitor's first session may be of any time.
    const { rows } = await store.sources(evening, { by: "channel", of: "first" }, 10);
    assertEquals(rows.map(({ label, sessions, views }) => [label, sessions, views]), [
      ["Email", 2, full(3)],
      ["Direct or unknown", 1, full(1)],
      ["Other", 1, full(1)],
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
    assertEquals(await store.steps(ask(), 1), { rows: rows.slice(0, 1), count: 3, other: { count: 2 } });
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
      other: null,
      numbers: { count: 2, sum: 2, median: 1, p90: 1 },
    });
    assertEquals(two, { ...counted, values: counted.values.slice(0, 2), other: { count: 5 } });
    assertEquals(await store.stepValues(ask(), { step: "signup" }, 100), {
      ...{ keys: ["plan", "other"], values: [], distinct: 0, other: null, numbers: null },
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

  test("has a sum that is beyond all numbers", async ({ sink, store }) => {
    await storeEvents(
      sink,
      ["10:00", "10:01"].map((time) => at(time, { name: "order", properties: { price: 1e308 } })),
    );

    const { numbers } = await store.stepValues(ask(), { step: "order", key: "price" }, 100);
    const [counted] = await store.countEvents(ask(), [{ event: { step: "order" }, sumOf: "price" }], []);

    assertEquals(numbers, { count: 2, sum: Infinity, median: 1e308, p90: 1e308 });
    assertEquals(counted?.total.sum, Infinity);
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
      at("10:00", { session: "s-4", visitor: "v-4", page: "/teas" }),
    ]);
    const query = askFor({ name: "page", values: ["/teas", "/cart"] });

    assertEquals(await readTotal(store, query), {
      ...{ pageviews: full(2, 1), visitors: 3, users: 0 },
      // Facts of a session are of all of it.
      ...{ sessions: 3, landings: 3, landingViews: 4, bounces: 1, instantSessions: 1, medianSessionMs: 60_000 },
    });
    assertEquals((await store.pages(query, 10)).rows, [
      { path: "/teas", views: full(2, 1), visitors: 2, entries: 1, exits: 2, bounces: 1, engagedMs: 0 },
    ]);
    assertEquals((await store.steps(query, 10)).rows, [{ name: "signup", count: 1, visitors: 1 }]);
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

  test("counts events of several kinds in a range and its parts, and sums a property", async ({ sink, store }) => {
    const order = (time: string, visitor: string, properties: Readonly<Record<string, unknown>>): StoredEvent =>
      at(time, { visitor, session: `s-${visitor}`, name: "order", page: "/cart", properties });
    await storeEvents(sink, [
      at("10:00", { visitor: "v-1", session: "s-v-1", page: "/thanks/1" }),
      order("10:01", "v-1", { plan: "pro", total: 20.5 }),
      order("11:01", "v-1", { plan: "free", total: "5" }),
      at("10:00", { visitor: "v-2", session: "s-v-2", page: "/thanks/2/" }),
      order("11:30", "v-2", { plan: "pro", total: -2 }),
      // Of nobody, and of no session.
      at("11:40", { name: "order", properties: { plan: "pro" } }),
      at("11:45", { page: "/thanks/3", isAggregate: true }),
      at("12:00", { page: "https://blog.example/thanks/4", visitor: "v-3" }),
    ]);
    const bounds = ["10:00", "11:00", "11:00", "12:00"].map(toMs);
    const slashless = { patterns: [], dropsTrailingSlash: true, ignoresCase: true };

    const pro = { step: "order", property: { key: "plan", value: `"pro"` } };
    assertEquals(
      await store.countEvents(ask(), [{ event: pro, sumOf: "total" }, { event: { step: "order" } }], bounds),
      [
        {
          total: { count: 3, visitors: 2, sum: 18.5 },
          parts: [
            { count: 1, visitors: 1, sum: 20.5 },
            { count: 0, visitors: 0, sum: 0 },
            { count: 2, visitors: 1, sum: -2 },
          ],
        },
        {
          total: { count: 4, visitors: 2, sum: 0 },
          parts: [
            { count: 1, visitors: 1, sum: 0 },
            { count: 0, visitors: 0, sum: 0 },
            { count: 3, visitors: 2, sum: 0 },
          ],
        },
      ],
    );
    const pages = [{ event: { pages: "/thanks/:id" } }, { event: { pages: "/THANKS/*" } }, {
      event: { page: "/thanks/1" },
      sumOf: "total",
    }];
    const countPages = async (pathRules: ReportQuery["pathRules"]): Promise<readonly number[]> =>
      (await store.countEvents(ask({ pathRules }), pages, [])).map(({ total }) => total.count);
    assertEquals(await countPages(ask().pathRules), [1, 0, 1]);
    assertEquals(await countPages(slashless), [2, 2, 1]);
    assertEquals(await countPages({ ...slashless, patterns: ["/thanks/:any"] }), [2, 2, 0]);
    assertEquals(
      (await store.countEvents(askFor({ name: "page", values: ["/cart"] }), [{ event: pro }], [])).map(({ total }) =>
        total.count
      ),
      [2],
    );
    assertEquals(await store.countEvents(ask(), [], bounds), []);
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

  test("counts the visitors of each stage of a funnel, and the median time since the one before", async ({ sink, store }) => {
    const visit = (visitor: string, ...events: readonly (readonly [string, string])[]): readonly StoredEvent[] =>
      events.map(([time, what]) =>
        at(time, { visitor, session: `s-${visitor}`, ...(what.startsWith("/") ? { page: what } : { name: what }) })
      );
    await storeEvents(sink, [
      ...visit("v-1", ["10:00", "/teas"], ["10:01", "/cart"], ["10:03", "Order placed"]),
      ...visit("v-2", ["10:00", "/teas"], ["10:01", "signup"], ["10:02", "/help"], ["10:04", "/cart"]),
      ...visit("v-3", ["10:00", "/teas"], ["10:05", "/cart"], ["10:06", "/teas"], ["10:12", "Order placed"]),
      // Not in their order.
      ...visit("v-4", ["10:00", "/cart"], ["10:01", "/teas"], ["10:02", "Order placed"]),
      // Without the first stage, or with a step alone on its page.
      ...visit("v-5", ["10:00", "/help"], ["10:01", "/cart"]),
      at("10:00", { visitor: "v-6", session: "s-6", page: "/teas", name: "signup" }),
      at("10:00", { page: "/teas", isAggregate: true }),
      at("10:00", { page: "/teas", session: "s-7" }),
      at("10:00", { page: "https://blog.example/teas", visitor: "v-8", session: "s-8" }),
    ]);
    await storeEvents(sink, [at("10:00", { visitor: "v-9", session: "s-9", page: "/teas" })], { apiKey: "pk_test_2" });

    assertEquals(await store.funnel(ask(), TO_ORDER), [
      { visitors: 4, medianMs: null },
      { visitors: 3, medianMs: 4 * MINUTE_MS },
      { visitors: 2, medianMs: 2 * MINUTE_MS },
    ]);
    assertEquals(await readFunnel(store, { stages: [[{ page: "/a" }], [{ page: "/b" }]] }), [[0, null], [0, null]]);
  });

  test("passes a stage by any of its events: pages as they are written, steps, and automatic events", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { visitor: "v-1", session: "s-1", page: "/teas/green" }),
      at("10:01", { visitor: "v-1", session: "s-1", name: "signup", properties: { plan: "pro", seats: 1 } }),
      at("10:00", { visitor: "v-2", session: "s-2", page: "/deals" }),
      at("10:02", { visitor: "v-2", session: "s-2", name: "signup", properties: { plan: "free", seats: "1" } }),
      at("10:00", { visitor: "v-3", session: "s-3", page: "/teas" }),
      at("10:03", { visitor: "v-3", session: "s-3", name: "$download" }),
    ]);
    const pathRules = { patterns: ["/teas/:tea"], dropsTrailingSlash: false, ignoresCase: false };
    const count = async (...stages: Funnel["stages"]): Promise<unknown> =>
      (await readFunnel(store, { stages }, ask({ pathRules }))).map(([visitors]) => visitors);
    const anyPage = [{ page: "/teas/:tea" }, { page: "/deals" }, { page: "/teas" }];
    const signup = (key: string, value: string): Funnel["stages"][number] => [
      { step: "signup", property: { key, value } },
    ];

    assertEquals(await count([{ page: "/teas/:tea" }, { page: "/deals" }], [{ step: "signup" }]), [2, 2]);
    assertEquals(await count([{ page: "/teas/green" }], [{ step: "signup" }]), [0, 0]);
    assertEquals(await count(anyPage, [{ step: "$download" }]), [3, 1]);
    assertEquals(await count(anyPage, [{ step: "$download" }, { step: "signup" }]), [3, 3]);
    assertEquals(await count(anyPage, [{ step: "$pageview" }]), [3, 0]);
    assertEquals(await count(anyPage, signup("plan", `"pro"`)), [3, 1]);
    assertEquals(await count(anyPage, signup("seats", "1")), [3, 1]);
    assertEquals(await count(anyPage, signup("seats", `"1"`)), [3, 1]);
    assertEquals(await count(anyPage, signup("plan", "pro")), [3, 0]);
    assertEquals(await count(anyPage, [...signup("plan", `"pro"`), ...signup("seats", `"1"`)]), [3, 2]);
  });

  test("counts the pages of a pattern with asterisks", async ({ sink, store }) => {
    const pages = ["/checkout/order-received/12/", "/checkout/order-received", "/teas/edit", "/a/b/edit", "/edit"];
    await storeEvents(sink, pages.map((page) => at("10:00", { session: "s-1", visitor: "v-1", page })));
    const patterns = ["/checkout/order-received*", "/*/edit", "/**/edit", "/**", "/ch*out/*", "/checkout/*"];

    const found = await store.countEvents(ask(), patterns.map((one) => ({ event: { pages: one } })), []);

    assertEquals(found.map(({ total }) => total.count), [2, 1, 3, 5, 2, 2]);
  });

  test("takes an event for one stage, and events of the same time in the order of their batch", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { visitor: "v-1", session: "s-1", page: "/teas", place: 1 }),
      at("10:00", { visitor: "v-1", session: "s-1", page: "/cart", place: 2 }),
      at("10:00", { visitor: "v-2", session: "s-2", page: "/cart", place: 15 }),
      at("10:00", { visitor: "v-2", session: "s-2", page: "/teas", place: 99 }),
      at("10:00", { visitor: "v-3", session: "s-3", page: "/teas", place: 3 }),
      at("10:05", { visitor: "v-3", session: "s-3", page: "/teas", place: 2 }),
    ]);
    const both = [{ page: "/teas" }, { page: "/cart" }];

    assertEquals(await readFunnel(store), [[3, null], [1, 0], [0, null]]);
    assertEquals(await readFunnel(store, { order: "strict" }), [[3, null], [1, 0], [0, null]]);
    assertEquals(await readFunnel(store, { stages: [both, both] }), [[3, null], [3, 0]]);
    assertEquals(await readFunnel(store, { stages: [both, both, both] }), [[3, null], [3, 0], [0, null]]);
  });

  test("lets no pageview and no step stand between stages in the strict order", async ({ sink, store }) => {
    const visit = (visitor: string, between: Parameters<typeof at>[1]): readonly StoredEvent[] => [
      at("10:00", { visitor, session: visitor, page: "/teas" }),
      at("10:01", { visitor, session: visitor, ...between }),
      at("10:02", { visitor, session: visitor, page: "/cart" }),
    ];
    await storeEvents(sink, [
      ...visit("viewed", { page: "/help" }),
      ...visit("stepped", { name: "signup", page: "/teas" }),
      ...visit("clicked", { name: "$click" }),
      ...visit("engaged", { name: "$engagement", properties: { engagedMs: 5_000 } }),
      ...visit("elsewhere", { page: "https://blog.example/help" }),
      ...visit("in-another-session", { page: "/help", session: "another" }),
      ...visit("again", { page: "/teas" }),
    ]);
    const stages = TO_ORDER.stages.slice(0, 2);
    const count = async (changes: Partial<Funnel>, query?: ReportQuery): Promise<unknown> =>
      (await readFunnel(store, { stages, order: "strict", ...changes }, query)).map(([visitors]) => visitors);

    assertEquals(await readFunnel(store, { stages, order: "sequential" }), [[7, null], [7, 2 * MINUTE_MS]]);
    assertEquals(await readFunnel(store, { stages, order: "strict" }), [[7, null], [5, 2 * MINUTE_MS]]);
    assertEquals(await count({ within: 10 * MINUTE_MS }), [7, 4]);
    // An automatic event that passes some stage does stand between.
    assertEquals(await count({ stages: [...stages, [{ step: "$click" }]] }), [7, 4, 0]);
    // What the filters don't choose doesn't.
    assertEquals(await count({}, askFor({ name: "page", values: ["/teas", "/cart"] })), [7, 6]);
  });

  test("takes the middle stages of a flexible order as they come, and the last at the end", async ({ sink, store }) => {
    const visit = (visitor: string, ...pages: readonly string[]): readonly StoredEvent[] =>
      pages.map((page, minute) => at(`10:0${minute}`, { visitor, session: visitor, page }));
    await storeEvents(sink, [
      ...visit("v-1", "/", "/teas", "/help", "/cart"),
      ...visit("v-2", "/", "/help", "/other", "/teas", "/cart"),
      // The last one is too early, the first too late, and one is missing.
      ...visit("v-3", "/", "/help", "/cart", "/teas"),
      ...visit("v-4", "/teas", "/", "/help", "/cart"),
    ]);
    const stages = ["/", "/teas", "/help", "/cart"].map((page) => [{ page }]);
    const shared = [[{ page: "/" }], [{ page: "/teas" }, { page: "/help" }], [{ page: "/help" }], [{ page: "/cart" }]];

    assertEquals(await readFunnel(store, { stages, order: "flexible" }), [
      ...[[4, null], [3, 3 * MINUTE_MS], [3, 0], [2, MINUTE_MS]] as const,
    ]);
    assertEquals(await readFunnel(store, { stages, order: "sequential" }), [
      ...[[4, null], [3, 3 * MINUTE_MS], [1, MINUTE_MS], [1, MINUTE_MS]] as const,
    ]);
    // Where /help passes the second stage, /teas has none to pass.
    assertEquals(await readFunnel(store, { stages: shared, order: "flexible" }), [
      ...[[4, null], [4, MINUTE_MS], [1, MINUTE_MS], [1, MINUTE_MS]] as const,
    ]);
  });

  test("counts who tries a funnel several times once, by the longest way", async ({ sink, store }) => {
    const visit = (session: string, ...events: readonly (readonly [string, string])[]): readonly StoredEvent[] =>
      events.map(([time, page]) => at(time, { visitor: "v-1", session, page }));
    const stages = ["/teas", "/cart", "/paid"].map((page) => [{ page }]);
    const asked = { stages, within: "session" } as const;
    await storeEvents(sink, visit("s-2", ["12:00", "/teas"], ["12:04", "/teas"], ["12:05", "/cart"]));
    const ofOne = await readFunnel(store, asked);
    await storeEvents(sink, visit("s-1", ["11:00", "/teas"], ["11:01", "/cart"]));
    const ofFirst = await readFunnel(store, asked);
    await storeEvents(sink, visit("s-3", ["13:00", "/teas"], ["13:02", "/cart"], ["13:05", "/paid"]));
    const ofLongest = await readFunnel(store, asked);
    await storeEvents(sink, visit("s-4", ["11:30", "/teas"], ["11:33", "/cart"], ["12:00", "/paid"]));

    assertEquals(ofOne, [[1, null], [1, 5 * MINUTE_MS], [0, null]]);
    assertEquals(ofFirst, [[1, null], [1, MINUTE_MS], [0, null]]);
    assertEquals(ofLongest, [[1, null], [1, 2 * MINUTE_MS], [1, 3 * MINUTE_MS]]);
    assertEquals(await readFunnel(store, asked), [[1, null], [1, 3 * MINUTE_MS], [1, 27 * MINUTE_MS]]);
  });

  test("takes the faster of ways that begin at the same time in two sessions", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { visitor: "v-1", session: "s-2", page: "/teas", place: 1 }),
      at("10:05", { visitor: "v-1", session: "s-2", page: "/cart" }),
      at("10:00", { visitor: "v-1", session: "s-1", page: "/teas", place: 2 }),
      at("10:02", { visitor: "v-1", session: "s-1", page: "/cart" }),
      at("10:00", { visitor: "v-1", session: "s-3", page: "/teas", place: 3 }),
      at("10:07", { visitor: "v-1", session: "s-3", page: "/cart" }),
    ]);

    assertEquals(await readFunnel(store), [[1, null], [1, 2 * MINUTE_MS], [0, null]]);
  });

  test("keeps a way within a session, or within a time of all sessions and none", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { visitor: "two-sessions", session: "s-1", page: "/teas" }),
      at("10:10", { visitor: "two-sessions", session: "s-2", page: "/cart" }),
      at("10:00", { visitor: "no-session", page: "/teas" }),
      at("10:00:00.001", { visitor: "no-session", page: "/cart" }),
      at("10:00", { visitor: "later", session: "s-3", page: "/teas" }),
      at("10:10:00.001", { visitor: "later", session: "s-3", page: "/cart" }),
      // One of another visitor in the same session.
      at("10:00", { visitor: "v-1", session: "s-4", page: "/teas" }),
      at("10:00", { visitor: "v-2", session: "s-4", page: "/cart" }),
    ]);
    const count = async (within: Funnel["within"]): Promise<unknown> =>
      (await readFunnel(store, { within })).map(([visitors]) => visitors);

    assertEquals(await count("session"), [3, 1, 0]);
    assertEquals(await count(0), [4, 0, 0]);
    assertEquals(await count(10 * MINUTE_MS - 1), [4, 1, 0]);
    assertEquals(await count(10 * MINUTE_MS), [4, 2, 0]);
    assertEquals(await count(10 * MINUTE_MS + 1), [4, 3, 0]);
  });

  test("takes no event outside the range for a way, and none that the filters don't choose", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("2026-02-28T23:59:59.999Z", { visitor: "early", session: "s-1", page: "/teas" }),
      at("00:00", { visitor: "early", session: "s-1", page: "/cart" }),
      at("23:59", { visitor: "late", session: "s-2", page: "/teas" }),
      at("2026-03-02T00:00:00Z", { visitor: "late", session: "s-2", page: "/cart" }),
      at("10:00", { visitor: "found", session: "s-3", page: "/teas", referrer: SEARCH, width: 320 }),
      at("10:01", { visitor: "found", session: "s-3", page: "/cart", referrer: `${SITE}/teas`, width: 320 }),
      at("10:00", { visitor: "direct", session: "s-4", page: "/teas", width: 1_440 }),
      at("10:01", { visitor: "direct", session: "s-4", page: "/cart", referrer: `${SITE}/teas`, width: 320 }),
      at("10:00", { visitor: "no-session", page: "/teas", width: 320 }),
      at("10:01", { visitor: "no-session", page: "/cart", width: 320 }),
    ]);
    const count = async (...filters: ReportQuery["filters"]): Promise<unknown> =>
      (await readFunnel(store, { within: 60 * MINUTE_MS }, ask({ filters }))).map(([visitors]) => visitors);

    assertEquals(await count(), [4, 3, 0]);
    assertEquals(await count({ name: "screen", values: ["phone"] }), [2, 2, 0]);
    assertEquals(await count({ name: "page", values: ["/teas"] }), [4, 0, 0]);
    assertEquals(await count({ name: "channel", values: ["Search"] }), [1, 1, 0]);
    assertEquals(await count({ name: "exit", values: ["/cart"] }), [3, 2, 0]);
    assertEquals(
      await count({ name: "exit", values: ["/cart"] }, { name: "screen", values: ["phone"] }),
      [1, 1, 0],
    );
  });

  test("counts ways of eight stages", async ({ sink, store }) => {
    const pages = Array.from({ length: 8 }, (_, index) => `/${index}`);
    await storeEvents(
      sink,
      pages.map((page, minute) => at(`10:0${minute}`, { visitor: "v-1", session: "s-1", page })),
    );

    for (const order of ["sequential", "strict", "flexible"] as const) {
      assertEquals(await readFunnel(store, { stages: pages.map((page) => [{ page }]), order }), [
        [1, null],
        ...pages.slice(1).map(() => [1, MINUTE_MS] as const),
      ]);
    }
  });

  test("counts in each period the visitors of the same first one", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("00:00", { visitor: "v-1", session: "of-v-1" }),
      at("23:59:59.999", { visitor: "v-1", session: "of-v-1" }),
      at("2026-03-02T10:00:00Z", { visitor: "v-1", session: "of-v-1", name: "$engagement" }),
      at("2026-03-04T10:00:00Z", { visitor: "v-1", session: "of-v-1", name: "signup" }),
      at("10:00", { visitor: "v-2", session: "of-v-2", name: "signup" }),
      at("2026-03-04T23:59:59.999Z", { visitor: "v-2", session: "of-v-2" }),
      // Of another site, aggregate, without a visitor, and after the periods.
      at("2026-03-02T10:00:00Z", { visitor: "v-2", session: "of-v-2", page: "https://blog.example/" }),
      at("2026-03-02T10:00:00Z", { isAggregate: true }),
      at("10:00", { session: "s-1", user: "ada" }),
      at("2026-03-05T00:00:00Z", { visitor: "v-2", session: "of-v-2" }),
      // First seen before the periods, and after them.
      at("2026-02-28T23:59:59.999Z", { visitor: "v-3", session: "of-v-3" }),
      at("10:00", { visitor: "v-3", session: "of-v-3" }),
      at("2026-03-05T00:00:00Z", { visitor: "v-4", session: "of-v-4" }),
      at("2026-03-03T00:00:00Z", { visitor: "v-5", session: "of-v-5" }),
      // First on another site.
      at("10:00", { visitor: "v-6", session: "of-v-6", page: "https://blog.example/" }),
      at("2026-03-03T10:00:00Z", { visitor: "v-6", session: "of-v-6" }),
      at("2026-03-04T10:00:00Z", { visitor: "v-6", session: "of-v-6" }),
    ]);
    await storeEvents(sink, [at("2026-03-02T10:00:00Z", { visitor: "v-2", session: "of-v-2" })], {
      apiKey: "pk_test_2",
    });

    assertEquals(await readCohorts(store), [
      [2, [2, 1, 0, 2]],
      [0, [0, 0, 0]],
      [2, [2, 1]],
      [0, [0]],
    ]);
    assertEquals(await readCohorts(store, { returns: [{ step: "signup" }] }), [
      [2, [1, 0, 0, 1]],
      [0, [0, 0, 0]],
      [2, [0, 0]],
      [0, [0]],
    ]);
    assertEquals(await readCohorts(store, { returns: [{ step: "$engagement" }] }), [
      [2, [0, 1, 0, 0]],
      [0, [0, 0, 0]],
      [2, [0, 0]],
      [0, [0]],
    ]);
    assertEquals(await readCohorts(store, { returns: [{ step: "$pageview" }] }), [
      [2, [0, 0, 0, 0]],
      [0, [0, 0, 0]],
      [2, [0, 0]],
      [0, [0]],
    ]);
    // A pattern of pages, a page, and alternatives.
    assertEquals((await readCohorts(store, { returns: [{ pages: "/*" }] }))[0], [2, [1, 0, 0, 1]]);
    assertEquals((await readCohorts(store, { returns: [{ page: "/nowhere" }] }))[0], [2, [0, 0, 0, 0]]);
    assertEquals((await readCohorts(store, { returns: [{ pages: "/*" }, { step: "signup" }] }))[0], [2, [2, 0, 0, 2]]);
    assertEquals(await store.retention(ask({ apiKey: "pk_test_3" }), { bounds: [0, 1] }), [
      { from: 0, size: 0, returned: [0] },
    ]);
    assertEquals(await store.retention(ask(), { bounds: [] }), []);
    assertEquals(await store.retention(ask(), { bounds: [toMs("00:00")] }), []);
  });

  test("chooses visitors by their first event and its session, and counts any return of theirs", async ({ sink, store }) => {
    const next = "2026-03-02T10:00:00Z";
    await storeEvents(sink, [
      at("10:00", { visitor: "v-1", session: "s-1", page: "/teas", referrer: SEARCH, place: 1 }),
      at("10:00", { visitor: "v-1", session: "s-1", page: "/", user: "ada", place: 2 }),
      at(next, { visitor: "v-1", session: "s-5", page: "/help" }),
      at("10:00", { visitor: "v-2", session: "s-2", page: "/", user: "ada", place: 1 }),
      at("10:00", { visitor: "v-2", session: "s-2", page: "/teas", referrer: SEARCH, place: 2 }),
      at(next, { visitor: "v-2", session: "s-6", page: "/teas" }),
      at("10:01", { visitor: "v-3", session: "s-3", page: "/teas", referrer: SEARCH }),
      // First seen before: the one on the page isn't its first.
      at("2026-02-28T10:00:00Z", { visitor: "v-4", session: "s-0", page: "/" }),
      at("10:00", { visitor: "v-4", session: "s-4", page: "/teas", referrer: SEARCH }),
    ]);
    const count = async (...filters: ReportQuery["filters"]): Promise<unknown> =>
      (await readCohorts(store, { days: 2, filters }))[0];

    assertEquals(await count(), [3, [3, 2]]);
    assertEquals(await count({ name: "page", values: ["/teas"] }), [2, [2, 1]]);
    assertEquals(await count({ name: "signedIn", values: ["yes"] }), [1, [1, 1]]);
    assertEquals(await count({ name: "channel", values: ["Search"] }), [3, [3, 2]]);
    assertEquals(await count({ name: "entry", values: ["/"] }), [1, [1, 1]]);
    assertEquals(
      await count({ name: "channel", values: ["Search"] }, { name: "page", values: ["/teas"] }),
      [2, [2, 1]],
    );
    assertEquals(await count({ name: "step", values: ["signup"] }), [0, [0, 0]]);
  });

  test("counts arrivals before a choice, and the visitors first seen, where their first event is", async ({ sink, store }) => {
    const before = "2026-02-28T23:59:59.999Z";
    const next = "2026-03-02T00:00:00Z";
    await storeEvents(sink, [
      // Before consent: from elsewhere, and from the site.
      at("10:00", { isAggregate: true, page: "/teas" }),
      at("10:00", { isAggregate: true, referrer: SEARCH }),
      at("10:00", { isAggregate: true, referrer: `${SITE}/` }),
      at(next, { isAggregate: true }),
      at("10:00", { isAggregate: true, flag: "bot" }),
      // Consented where they landed; of the same time, the first one of its batch counts.
      at("10:00", { visitor: "landed", session: "s-1", page: "/teas", place: 1 }),
      at("10:00", { visitor: "landed", session: "s-1", name: "signup", place: 2 }),
      at(next, { visitor: "landed", session: "s-2" }),
      at("23:59:59.999", { visitor: "alone", session: "s-9" }),
      at("10:00", { visitor: "stepped", session: "s-3", name: "signup", place: 1 }),
      at("10:01", { visitor: "stepped", session: "s-3", place: 2 }),
      at("10:00", { visitor: "later", session: "s-4", page: "/teas", referrer: `${SITE}/` }),
      at("11:00", { visitor: "later", session: "s-5" }),
      // Who comes second in a session is new as well, unless seen before.
      at("10:30", { visitor: "second", session: "s-4", referrer: SEARCH }),
      at("10:30", { visitor: "known-second", session: "s-4" }),
      at(before, { visitor: "known-second", session: "s-6" }),
      at("00:00", { visitor: "known", session: "s-6" }),
      at(before, { visitor: "known", session: "s-10", name: "signup" }),
      at("10:00", { visitor: "known-midnight", session: "s-7" }),
      at(before, { visitor: "known-midnight", session: "s-7" }),
      at("10:00", { session: "s-8", user: "ada" }),
      at(before, { visitor: "landed", page: "https://blog.example/" }),
      at(before, { visitor: "landed", flag: "own" }),
    ]);
    await storeEvents(sink, [at(before, { visitor: "landed" })], { apiKey: "pk_test_2" });
    const days = [toMs("00:00"), toMs("12:00"), toMs(next)];
    const count = async (...filters: ReportQuery["filters"]): Promise<unknown> =>
      (await store.acceptance(ask({ filters }), days)).map(({ newlyConsented, arrivalsBeforeChoice }) => [
        ...[newlyConsented, arrivalsBeforeChoice],
      ]);

    assertEquals(await count(), [[4, 4], [1, 1]]);
    assertEquals(await count({ name: "page", values: ["/teas"] }), [[2, 2], [0, 0]]);
    assertEquals(await count({ name: "step", values: ["signup"] }), [[2, 1], [0, 0]]);
    assertEquals(await store.acceptance(ask(), []), []);
    assertEquals(await store.acceptance(ask({ apiKey: "pk_test_3" }), days.slice(1)), [
      { newlyConsented: 0, arrivalsBeforeChoice: 0 },
    ]);
  });

  test("moves a visitor to an earlier cohort when an earlier event comes in", async ({ sink, store }) => {
    await storeEvents(sink, [at("2026-03-02T10:00:00Z", { visitor: "v-1", session: "of-v-1" })]);
    const before = await readCohorts(store, { days: 2 });
    await storeEvents(sink, [at("10:00", { visitor: "v-1", session: "of-v-1" })]);

    assertEquals(before, [[0, [0, 0]], [1, [1]]]);
    assertEquals(await readCohorts(store, { days: 2 }), [[1, [1, 1]], [0, [0]]]);
  });

  test("reads the newest events of a visitor or a user, as they are stored", async ({ sink, store }) => {
    const events = [
      at("10:00", { visitor: "v-1", session: "s-1", referrer: SEARCH, width: 320, place: 2 }),
      at("10:00", { visitor: "v-1", session: "s-1", name: "signup", properties: { plan: "pro", of: [1] }, place: 3 }),
      at("10:00", { visitor: "v-1", name: "$engagement", place: 1 }),
      at("2026-03-09T10:00:00Z", { visitor: "v-1", user: "ada", page: "/teas" }),
      at("11:00", { visitor: "v-2", user: "ada" }),
    ];
    await storeEvents(sink, [
      ...events,
      at("10:00", { visitor: "v-1", page: "https://blog.example/" }),
      at("10:00", { isAggregate: true }),
      at("10:00", {}),
    ]);
    await storeEvents(sink, [at("10:00", { visitor: "v-1" })], { apiKey: "pk_test_2" });
    const [first, second, third, fourth, fifth] = events;
    const of = { apiKey: KEY, site: SITE };

    assertEquals<unknown>(await store.person({ ...of, anonymousId: "v-1" }, 10), [fourth, second, first, third]);
    assertEquals<unknown>(await store.person({ ...of, anonymousId: "v-1" }, 2), [fourth, second]);
    assertEquals<unknown>(await store.person({ ...of, userId: "ada" }, 10), [fourth, fifth]);
    assertEquals(await store.person({ ...of, userId: "v-1" }, 10), []);
    assertEquals(await store.person({ ...of, anonymousId: "" }, 10), []);
    assertEquals(await store.person({ ...of, userId: "" }, 10), []);
  });

  test("tells users apart whose ids differ beyond what facts keep of a text", async ({ sink, store }) => {
    const [one, other] = [`${"x".repeat(512)}A`, `${"x".repeat(512)}B`];
    const events = [at("10:00", { user: one }), at("10:01", { user: other }), at("10:02", { user: "u\u0001" })];
    await storeEvents(sink, [...events, at("10:03", { user: "u\u0002" })]);
    const read = async (userId: string) => await store.person({ apiKey: KEY, site: SITE, userId }, 10);

    assertEquals<unknown>(await read(one), [events[0]]);
    assertEquals<unknown>(await read(other), [events[1]]);
    assertEquals<unknown>(await read("u\u0001"), [events[2]]);
    assertEquals(await read("x".repeat(512)), []);
  });

  test("has counted all that it holds while that is nothing", async ({ store }) => {
    assertEquals(await store.progress(), 1);
  });

  test("lists the sites of a key by their events, each of which counts once", async ({ sink, store }) => {
    const again = at("10:00", { page: "https://blog.example/" });
    const views = [at("10:00"), at("10:01"), at("10:00", { page: "https://a.example/" })];
    await storeEvents(sink, [...views, at("10:00", { page: null }), again]);
    for (const _ of [1, 2]) await storeEvents(sink, [again]);

    assertEquals(await store.sites(KEY), [SITE, "https://a.example", "https://blog.example"]);
  });

  test("counts an event of a wrong clock at the time that it was", async ({ sink, store }) => {
    const year = 366 * 86_400_000;
    const event = at("10:00", { session: "s-1", visitor: "v-1" });
    const shift = (timestamp: string, clockOffsetMs: number): StoredEvent => ({
      ...event,
      id: crypto.randomUUID(),
      timestamp: new Date(Date.parse(timestamp) - clockOffsetMs).toISOString(),
      clockOffsetMs,
    });
    await storeEvents(sink, [
      event,
      shift("2026-03-01T10:05:00.000Z", 3 * year),
      shift("2026-03-01T10:09:00.000Z", -600_000),
      { ...at("10:00", { visitor: "v-2" }), clockOffsetMs: -20 * year },
    ]);

    assertEquals(await readTotal(store), {
      ...{ ...NOTHING, pageviews: full(3), visitors: 1 },
      ...{ sessions: 1, landings: 1, landingViews: 3, medianSessionMs: 540_000 },
    });
    const [newest] = await store.person({ apiKey: KEY, site: SITE, anonymousId: "v-1" }, 1);
    assertEquals(newest?.clockOffsetMs, -600_000);
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

  if (knowsBackends) testBackendSteps(test);

  test("forgets what is erased, and counts anew what is left of a session", async ({ sink, store, data }) => {
    if (data === undefined) return;
    await storeEvents(sink, [
      at("10:00", { session: "s-1", visitor: "v-1", user: "ada", page: "/?utm_source=news" }),
      at("10:01", { session: "s-1", visitor: "v-1", page: "/teas", referrer: SEARCH }),
      at("10:00", { session: "s-2", visitor: "v-2", page: "/help" }),
    ]);

    await data.erase({ apiKey: KEY, userId: "ada" });
    const ofRest = await readTotal(store);
    const sources = await readSources(store, "source");
    await data.erase({ apiKey: KEY, anonymousId: "v-1" });

    assertEquals(ofRest, {
      ...{ ...NOTHING, pageviews: full(2), visitors: 2 },
      ...{ sessions: 2, landings: 2, landingViews: 2, bounces: 2, instantSessions: 2 },
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
    await storeEvents(sink, [{ ...at("10:00"), timestamp: KEPT, receivedAt: KEPT }], { apiKey: "pk_kept" });
    const runs = Deno.env.get("REPORT_RUNS");
    let run = 0;
    let [sessions, ways, returns, newcomers, moved] = [0, 0, 0, 0, 0];
    await fc.assert(
      fc.asyncProperty(
        fc.noBias(aHistory),
        fc.array(aQuestion, { minLength: 3, maxLength: 5 }),
        async (anyHistory, questions) => {
          const history = knowsBackends ? anyHistory : anyHistory.map(leaveOutBackends);
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
              const found = await readViews(store, apiKey, question);
              for (const [view, counts] of Object.entries(found)) {
                assertEquals({ view, counts }, { view, counts: Reflect.get(expected, view) });
              }
              sessions += expected.overview.total.sessions;
              if (question.sources.of === "first") moved += await countMoved(reference, apiKey, question);
              ways += expected.funnel[1]?.visitors ?? 0;
              newcomers += expected.acceptance.reduce((sum, { newlyConsented }) => sum + newlyConsented, 0);
              returns += expected.retention.reduce((sum, { returned }) => sum + (returned[1] ?? 0), 0);
            }
          }
        },
      ),
      { ...(runs === undefined ? { numRuns, seed: SEED } : { numRuns: Number(runs) }), endOnFailure },
    );

    // Or the runs proved nothing.
    const proofs = [sessions, ways, returns, newcomers, moved];
    assertEquals(proofs.every((count) => count > 0) || (runs ?? numRuns) !== DEFAULT_RUNS, true, `${proofs}`);
  });
}

/** Leaves the ids of people out of what has no session. */
function leaveOutBackends(step: HistoryStep): HistoryStep {
  if (step.kind !== "store") return step;
  return {
    ...step,
    events: step.events.map((event) =>
      event.collection === "full" && event.sessionId === undefined ? { ...event, identity: { userId: null } } : event
    ),
  };
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

/** Counts the sources that have more sessions once each is under the source of its visitor's first. */
async function countMoved(store: ReportReader, apiKey: string, { query, sources }: Question): Promise<number> {
  const asked = { apiKey, ...query };
  const [own, first] = [
    await store.sources(asked, { by: sources.by }, 1_000),
    await store.sources(asked, sources, 1_000),
  ];
  return first.rows.filter(({ label, sessions }) =>
    sessions > (own.rows.find((row) => row.label === label)?.sessions ?? 0)
  ).length;
}

async function readViews(store: ReportReader, apiKey: string, question: Question) {
  const { query, bounds, sources, of, counted, funnel, retention, person, rows } = question;
  const asked = { apiKey, ...query };
  return {
    overview: await store.overview(asked, bounds),
    flagged: await store.countFlagged(asked),
    pages: await store.pages(asked, rows),
    sources: await store.sources(asked, sources, rows),
    steps: await store.steps(asked, rows),
    values: await store.stepValues(asked, of, rows),
    violations: await store.violations(asked, rows),
    sites: await store.sites(apiKey),
    lastTime: await store.lastTime(asked),
    counted: await store.countEvents(asked, counted, bounds),
    funnel: await store.funnel(asked, funnel),
    retention: await store.retention(asked, retention),
    acceptance: await store.acceptance(asked, bounds),
    // Texts that are no Unicode come out of some stores otherwise.
    person: (await store.person({ apiKey, site: query.site, ...person }, rows)).map(({ id, timestamp }) => ({
      id,
      timestamp,
    })),
  };
}
