import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import type { Funnel, ReportQuery } from "../../../../src/ingest/ports/report_query.ts";
import { SITE } from "../../reports/fixtures.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { ask, askFor, at } from "../../reports/visit_fixtures.ts";
import { MINUTE_MS, readFunnel, type RegisterTest, SEARCH, TO_ORDER } from "./fixtures.ts";

/** Registers the tests of funnels. */
export function testFunnels(test: RegisterTest): void {
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
}
