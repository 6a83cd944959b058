import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import {
  type ReportQuery,
  SOURCE_DIMENSIONS,
  type SourceDimension,
} from "../../../../src/ingest/ports/report_query.ts";
import { SITE } from "../../reports/fixtures.ts";
import { storeEvents } from "../../reports/report_store.ts";
import { ask, askFor, at, toMs } from "../../reports/visit_fixtures.ts";
import { full, readSources, readTotal, type RegisterTest, SEARCH } from "./fixtures.ts";

/** Registers the tests of sources. */
export function testSources(test: RegisterTest): void {
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
        { label: "Direct or unknown", views: full(1), sessions: 1, visitors: 1, landings: 1, bounces: 0 },
        { label: "Paid search", views: full(1), sessions: 1, visitors: 1, landings: 1, bounces: 1 },
        { label: "AI assistants", views: full(1), sessions: 0, visitors: 0, landings: 0, bounces: 0 },
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
      ["source", [[null, 1, 1], ["https://google.com", 1, 1], ["news", 1, 1]]],
      ["referrer", [[null, 1, 1], ["https://google.com", 1, 1], ["https://mail.google.com", 1, 1]]],
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

  test("takes a session's first tag for its source, else its first arrival", async ({ sink, store }) => {
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
      [null, 2, 2],
      ["one", 1, 0],
      ["three", 1, 0],
      ["https://google.com", 0, 2],
    ]);
    assertEquals(await readSources(store, "campaign"), [[null, 3, 3], ["spring", 1, 1]]);
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
      { label: "Joined midway", views: full(1), sessions: 1, visitors: 1, landings: 1, bounces: 1 },
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

  test("takes any tag for one, and a referrer midway only where a session has no arrival", async ({ sink, store }) => {
    const bank = "https://3ds.bank.example/check";
    await storeEvents(sink, [
      at("10:00", { session: "tagged", page: "/?utm_medium=email&utm_campaign=spring" }),
      at("10:00", { session: "by-itself" }),
      at("10:05", { session: "by-itself", page: "/thanks", referrer: bank }),
      at("10:00", { session: "tagged-midway" }),
      at("10:05", { session: "tagged-midway", page: "/?utm_source=news" }),
      at("10:00", { session: "begins-midway", referrer: `${SITE}/teas` }),
      at("10:05", { session: "begins-midway", page: "/thanks", referrer: bank }),
    ]);

    const labelsOf = async (by: SourceDimension): Promise<unknown> =>
      (await store.sources(ask(), { by }, 10)).rows.map(({ label, sessions }) => [label, sessions]);
    assertEquals(await labelsOf("channel"), [
      ...[["Direct or unknown", 1], ["Other sites", 1], ["Email", 1], ["Other campaigns", 1]],
    ]);
    assertEquals(await labelsOf("campaign"), [[null, 3], ["spring", 1]]);
  });

  test("has one row for what is written in several ways, and reads the tags of a fragment", async ({ sink, store }) => {
    await storeEvents(sink, [
      ...["Newsletter", "newsletter", "%20newsletter%20"].map((source) =>
        at("10:00", { session: source, page: `/?utm_source=${source}` })
      ),
      ...["http://forum.example/a", "https://www.forum.example", "https://m.forum.example/"].map((referrer) =>
        at("10:00", { session: referrer, referrer })
      ),
      at("10:00", { session: "short", referrer: "https://m.me/" }),
      at("10:00", { session: "routed", page: "/#/signup?utm_source=Router" }),
      at("10:00", { session: "bare", page: "/#utm_source=router" }),
      at("10:00", { session: "both", page: "/?utm_source=query#/?utm_source=router" }),
    ]);

    assertEquals(await readSources(store, "source"), [
      ["https://forum.example", 3, 3],
      ["newsletter", 3, 3],
      ["router", 2, 2],
      ["https://m.me", 1, 1],
      ["query", 1, 1],
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
      ["Direct or unknown", 2, 2],
      ["Other sites", 1, 1],
      ["Joined midway", 1, 0],
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
}
