import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import type { ReportReader } from "../../../../src/ingest/ports/reader.ts";
import type { ReportQuery } from "../../../../src/ingest/ports/report_query.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { ask, askFor, at, toMs } from "../../reports/visit_fixtures.ts";
import type { RegisterTest } from "./fixtures.ts";

/** Registers the tests of steps. */
export function testSteps(test: RegisterTest): void {
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
      { name: "tea_chosen", count: 1, visitors: 1 },
      { name: "$click", count: 1, visitors: 1 },
    ]);
    assertEquals(await store.steps(ask(), 1), { rows: rows.slice(0, 1), count: 3, other: { count: 2 } });
    const brief = await store.steps(ask(), 2, { isBrief: true });
    assertEquals(brief.rows.map(({ name, count }) => [name, count]), [["signup", 4], ["tea_chosen", 1]]);
    assertEquals([brief.count, brief.other], [3, { count: 1 }]);
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
      keys: [],
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
      numbers: { count: 2, sum: 2, median: 1, p75: 1, p90: 1 },
    });
    assertEquals(two, { ...counted, values: counted.values.slice(0, 2), other: { count: 5 } });
    assertEquals(await store.stepValues(ask(), { step: "signup" }, 100), {
      ...{ keys: ["plan", "other"], values: [], distinct: 0, other: null, numbers: null },
    });
    assertEquals((await store.stepValues(ask(), { step: "$pageview" }, 100)).keys, []);
  });

  test("lists properties of as many steps with those first whose newest value is a text", async ({ sink, store }) => {
    await storeEvents(sink, [
      at("10:00", { name: "search", properties: { results: "none", term: 1, a: 1, "~/": "x" } }),
      at("10:01", { name: "search", properties: { results: 2, term: "tea", a: 1, "~/": "x" } }),
      at("10:02", { name: "search", properties: { a: 1 } }),
    ]);

    const { keys } = await store.stepValues(ask(), { step: "search" }, 0);

    assertEquals(keys, ["a", "term", "~/", "results"]);
  });

  test("sorts values as numbers and texts, and searches the texts themselves", async ({ sink, store }) => {
    const values = [10, 9, -1, 'say "hi"', "hi", "10", "a\\b", "\u00e9t\u00e9", "", true, null];
    await storeEvents(sink, values.map((plan) => at("10:00", { name: "signup", properties: { plan } })));
    const list = async (choice: Parameters<ReportReader["stepValues"]>[3]): Promise<readonly unknown[]> =>
      (await store.stepValues(ask(), { step: "signup", key: "plan" }, 100, choice)).values.map(({ value }) => value);

    const sorted = [-1, 9, 10, "", "10", "a\\b", "hi", null, 'say "hi"', true, "\u00e9t\u00e9"];
    assertEquals(await list({ sort: "name", isAscending: true }), sorted);
    assertEquals(await list({ sort: "name" }), sorted.toReversed());
    for (
      const [contains, found] of [
        ['"', ['say "hi"']],
        ['"HI"', ['say "hi"']],
        ["\\", ["a\\b"]],
        ["\u00c9T", ["\u00e9t\u00e9"]],
        ["1", ["10", -1, 10]],
        ["nul", [null]],
      ] as const
    ) assertEquals([contains, await list({ contains })], [contains, found]);
  });

  test("counts by numbers that no integer of 64 bits is, and by what stands beside them", async ({ sink, store }) => {
    const totals = [2 ** 63, 2 ** 64, -(2 ** 65), 1e300];
    await storeEvents(
      sink,
      totals.map((total) =>
        at("10:00", { name: "signup", session: String(total), properties: { total, plan: "pro" } })
      ),
    );

    const counted = await store.stepValues(ask(), { step: "signup", key: "plan" }, 10);
    const listed = await store.stepValues(ask(), { step: "signup", key: "total" }, 10);

    assertEquals(counted.values, [{ value: "pro", count: 4, visitors: 0 }]);
    assertEquals(new Set(listed.values.map(({ value }) => value)), new Set(totals));
    for (const total of totals) {
      const filter = { name: "property", key: "total", values: [JSON.stringify(total)] } as const;
      assertEquals((await store.overview(askFor(filter), [])).total.sessions, 1, String(total));
    }
  });

  test("sums the numbers of a property, and has median, p75 and p90 by nearest rank", async ({ sink, store }) => {
    const prices = [9.5, -0.25, 3, 1e21, 3, 4, 5, 6, 7, 8, 0.1];
    await storeEvents(sink, prices.map((price) => at("10:00", { name: "order", properties: { price } })));

    const { values, numbers } = await store.stepValues(ask(), { step: "order", key: "price" }, 100);

    // By their JSON: "-0.25", "0.1", "1e+21", "4"…
    assertEquals(values.map(({ value }) => value), [3, -0.25, 0.1, 1e21, 4, 5, 6, 7, 8, 9.5]);
    assertEquals(numbers && { ...numbers, sum: Number(numbers.sum.toPrecision(6)) }, {
      ...{ count: 11, sum: 1e21, median: 5, p75: 8, p90: 9.5 },
    });
  });

  test("counts beside a goal what is a large number, or a text", async ({ sink, store }) => {
    const values = [1e19, 1e21, 0.1, "pro"];
    await storeEvents(
      sink,
      values.map((plan, index) => at("10:00", { name: "signup", session: `s-${index}`, properties: { plan } })),
    );
    await storeEvents(sink, [at("10:00", { name: "signup", session: "s-none", properties: { seats: 1 } })]);

    const names = values.map((value) => JSON.stringify(value));
    const goal = { event: { step: "signup" } };
    const counted = await store.conversions?.(ask(), { list: "values", step: "signup", key: "plan", goal }, [
      ...names,
      // No value, which an event without the property has.
      "",
    ]);

    assertEquals(
      new Set(counted?.map(({ name, sessions, conversions }) => `${name} ${sessions} ${conversions}`)),
      new Set(names.map((name) => `${name} 1 1`)),
    );
  });

  test("has a sum that is beyond all numbers", async ({ sink, store }) => {
    await storeEvents(
      sink,
      ["10:00", "10:01"].map((time) => at(time, { name: "order", properties: { price: 1e308 } })),
    );

    const { numbers } = await store.stepValues(ask(), { step: "order", key: "price" }, 100);
    const [counted] = await store.countEvents(ask(), [{ event: { step: "order" }, sumOf: "price" }], []);

    assertEquals(numbers, { count: 2, sum: Infinity, median: 1e308, p75: 1e308, p90: 1e308 });
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

    const listKeys = async (step: string): Promise<readonly string[]> =>
      (await store.stepValues(ask(), { step }, 10)).keys;
    const ofMany = await store.stepValues(ask(), { step: "many", key: "key-60" }, 10);
    const ofMore = await store.stepValues(ask(), { step: "more", key: "last" }, 10);
    const ofLong = await store.stepValues(ask(), { step: "long", key }, 10);
    const cut = await store.stepValues(ask(), { step: "long", key: "b\ufffd" }, 10);

    assertEquals(await listKeys("many"), Object.keys(many).slice(0, 50));
    assertEquals(ofMany.values, []);
    assertEquals([(await listKeys("more")).length, ofMore.values], [50, [{ value: 1, count: 1, visitors: 0 }]]);
    assertEquals(await listKeys("long"), [key, "b\ufffd"]);
    assertEquals(ofLong.values, [{ value: "v".repeat(200), count: 2, visitors: 0 }]);
    assertEquals(cut.values[0]?.value, `${"v".repeat(199)}\ufffd`);
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
}
