import { assertEquals } from "@std/assert";
import type { ReportQuery } from "../../../../src/ingest/ports/report_query.ts";
import { SITE } from "../../reports/fixtures.ts";
import { KEY, storeEvents } from "../../reports/report_store.ts";
import { ask, askFor, at, toMs } from "../../reports/visit_fixtures.ts";
import { backendStep, MINUTE_MS, readCohorts, readFunnel, readTotal, type RegisterTest, SEARCH } from "./fixtures.ts";

/** Registers the tests of what backends send. */
export function testBackendSteps(test: RegisterTest): void {
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
      backendStep("10:00", "paid", { visitor: "v-3", place: 1, properties: { price: 9 } }),
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

  test("calls a backend's step new or returning as its visitor is", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { visitor: "v-1", session: "s-1", user: "ada" }),
      at("2026-02-01T10:00:00Z", { visitor: "v-2", session: "s-2", user: "bob" }),
      backendStep("10:05", "paid", { user: "ada", properties: { price: 50 } }),
      backendStep("10:05", "paid", { user: "bob", properties: { price: 3 } }),
      backendStep("10:05", "paid", { visitor: "v-2", properties: { price: 4 } }),
      // Nobody whom a page has seen.
      backendStep("10:05", "paid", { user: "eve", properties: { price: 100 } }),
      backendStep("10:05", "paid", { visitor: "v-9", properties: { price: 100 } }),
    ]);
    const goal = { event: { step: "paid" }, sumOf: "price" } as const;
    const sumOf = async (visitor: string): Promise<unknown> => {
      const query = ask({ filters: [{ name: "visitor", values: [visitor] }] });
      const [counts] = await store.countEvents(query, [goal], []);
      return [counts?.total.sum, (await store.steps(query, 10)).rows, (await readTotal(store, query)).users];
    };
    const steps = (count: number, visitors = 1): readonly unknown[] => [{ name: "paid", count, visitors }];

    assertEquals(await sumOf("new"), [50, steps(1), 1]);
    assertEquals(await sumOf("returning"), [7, steps(2), 1]);
    const list = { list: "audience", by: "visitor", goal } as const;
    assertEquals(await store.conversions?.(ask(), list, ["new", "returning"]), [
      { name: "new", sessions: 1, conversions: 1, completions: 1, sum: 50 },
    ]);
  });
}
