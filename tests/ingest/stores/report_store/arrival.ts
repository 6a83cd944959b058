import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { SITE } from "../../reports/fixtures.ts";
import { KEY, storeEvents } from "../../reports/report_store.ts";
import { ask, askFor, at } from "../../reports/visit_fixtures.ts";
import { full, NOTHING, readSources, readTotal, type RegisterTest, SEARCH } from "./fixtures.ts";

/** Registers the tests of how events come in, and go. */
export function testArrival(test: RegisterTest): void {
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
    assertEquals(sources, [[null, 1, 1], ["https://google.com", 1, 1]]);
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
    assertEquals(
      (await readSources(store, "source")).map(([label]) => label),
      cleaned.map((text) => text.toLowerCase()),
    );
    for (const text of cleaned) {
      const { keys } = await store.stepValues(ask(), { step: text }, 10);
      const { values } = await store.stepValues(ask(), { step: text, key: text }, 10);
      const { sessions } = await readTotal(
        store,
        askFor({ name: "source", values: [text.toLowerCase()] }, {
          name: "property",
          key: text,
          values: [JSON.stringify(text)],
        }),
      );
      assertEquals([keys, values, sessions], [[text], [{ value: text, count: 1, visitors: 0 }], 1]);
    }
  });
}
