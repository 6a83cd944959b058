import { assertEquals } from "@std/assert";
import type { ReportQuery } from "../../../../src/ingest/ports/report_query.ts";
import { SITE } from "../../reports/fixtures.ts";
import { KEY, storeEvents } from "../../reports/report_store.ts";
import { ask, at, toMs } from "../../reports/visit_fixtures.ts";
import { readCohorts, type RegisterTest, SEARCH } from "./fixtures.ts";

/** Registers the tests of visitors, from their first event on. */
export function testVisitors(test: RegisterTest): void {
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
    assertEquals(await count({ name: "channel", values: ["Search"] }), [2, [2, 1]]);
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
    assertEquals<unknown>(await store.person({ ...of, anonymousId: "v-1" }, 2, { skip: 1 }), [second, first]);
    assertEquals<unknown>(await store.person({ ...of, anonymousId: "v-1" }, 2, { skip: 4 }), []);
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
}
