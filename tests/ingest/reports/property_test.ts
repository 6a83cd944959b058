import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { createMemorySink, type StoredEvent } from "../../../src/ingest/mod.ts";
import { createCountingSink } from "./counting_sink.ts";
import { html } from "../../../src/ingest/reports/html.ts";
import { createSqliteReader, createSqliteSink, withDirectory } from "../stores/sqlite/in_thread.ts";
import { buildScope, SITE } from "./fixtures.ts";
import { storeEvents } from "./report_store.ts";
import { ask, createTestReports, NOW_MS, REPORTS_URL, SECRET } from "./reports_fixtures.ts";

const NAMES = ["$pageview", "$pageview", "signup"] as const;

const PAGES = [`${SITE}/`, `${SITE}/teas?a`, `${SITE}/teas#b`, "https://blog.example/", "nonsense", undefined] as const;

const REFERRERS = [`${SITE}/`, "https://search.example/?q", "", undefined] as const;

// Few ids, so that many events come twice; few labels, so that counts grow.
const anEvent: fc.Arbitrary<StoredEvent> = fc.record({
  id: fc.integer({ min: 0, max: 30 }),
  name: fc.constantFrom(...NAMES),
  day: fc.integer({ min: 1, max: 3 }),
  isFull: fc.boolean(),
  session: fc.integer({ min: 0, max: 4 }),
  visitor: fc.integer({ min: 0, max: 3 }),
  user: fc.integer({ min: 0, max: 2 }),
  pageUrl: fc.constantFrom(...PAGES),
  referrer: fc.constantFrom(...REFERRERS),
  violation: fc.constantFrom("missing" as const, "unknown" as const, undefined),
}).map(({ id, name, day, isFull, session, visitor, user, pageUrl, referrer, violation }) => ({
  id: `e-${id}`,
  name: isFull ? name : "$pageview",
  collection: isFull ? "full" : "aggregate",
  timestamp: `2026-03-0${day}T10:00:00.000Z`,
  receivedAt: "2026-03-05T10:00:00.000Z",
  ...(isFull && session > 0 && { sessionId: `s-${session}` }),
  ...(isFull && {
    identity: { userId: user > 0 ? `u-${user}` : null, ...(visitor > 0 && { anonymousId: `v-${visitor}` }) },
  }),
  ...(violation !== undefined && { violation }),
  context: {
    sdkName: "@vendor/sdk",
    sdkVersion: "0.1.0",
    ...(pageUrl !== undefined && { pageUrl }),
    ...(referrer !== undefined && { referrer }),
  },
}));

/** Counts the slow way: the events of the site, one by one. */
function recount(events: readonly StoredEvent[]): unknown {
  const ofSite = events.filter(({ context }) => context?.pageUrl?.startsWith(`${SITE}/`));
  const views = ofSite.filter(({ name }) => name === "$pageview");
  const full = views.filter(({ collection }) => collection === "full").length;
  return {
    pageviews: { full, aggregate: views.length - full, total: views.length },
    visitors: new Set(ofSite.flatMap(({ identity }) => identity?.anonymousId ?? [])).size,
    users: new Set(ofSite.flatMap(({ identity }) => identity?.userId ?? [])).size,
    sessions: new Set(ofSite.flatMap(({ sessionId }) => sessionId ?? [])).size,
    events: ofSite.length,
    paths: new Set(views.map(({ context }) => context?.pageUrl?.includes("/teas"))).size,
    referrers: new Set(views.map(({ context }) => context?.referrer ?? "").filter((from) => from !== `${SITE}/`)).size,
    names: new Set(ofSite.map(({ name }) => name)).size,
    violations: new Set(ofSite.flatMap(({ name, violation }) => violation ? `${name} ${violation}` : [])).size,
  };
}

Deno.test("both readers count what is there, however it came", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events.sqlite`;
    const sink = await createSqliteSink({ path });
    const reader = await createSqliteReader({ path });
    let run = 0;
    let known = 0;
    await fc.assert(
      fc.asyncProperty(fc.array(fc.array(anEvent, { maxLength: 20 }), { maxLength: 5 }), async (batches) => {
        const apiKey = `pk_run_${run++}`; // its events are apart from those of other runs
        const counting = createCountingSink(createMemorySink());
        await Promise.all(batches.map((batch) => storeEvents(sink, batch, { apiKey })));
        await Promise.all(batches.map((batch) => storeEvents(counting, batch, { apiKey })));

        const ofSqlite = await reader.read(buildScope({ apiKey }), { rows: 10 });
        const ofMemory = await counting.read(buildScope({ apiKey }), { rows: 10 });
        const events = await sink.events();
        const expected = recount(events.slice(known));
        known = events.length;

        assertEquals(ofSqlite.totals, expected);
        assertEquals(ofMemory, ofSqlite);
        assertEquals(ofSqlite.days.reduce((sum, { total }) => sum + total, 0), ofSqlite.totals.pageviews.total);
      }),
      { numRuns: 40 },
    );
    await sink.close();
  }));

Deno.test("createReports() answers whatever it is asked", async () => {
  const reports = await createTestReports([]);
  const text = fc.oneof(
    fc.string({ unit: "binary" }),
    fc.constantFrom(
      "",
      "2026-02-30",
      "2026-03-01",
      "0000-01-01",
      "9999-12-31",
      "json",
      "csv",
      "pages",
      "steps",
      "consent",
      SITE,
    ),
    fc.constantFrom("page:/teas", "campaign:", "property:plan:3", "Europe/Berlin", "year", "campaign"),
  );
  const search = fc.record(
    {
      view: text,
      site: text,
      from: text,
      to: text,
      format: text,
      zone: text,
      filter: text,
      compare: text,
      by: text,
      step: text,
    },
    { requiredKeys: [] },
  );

  await fc.assert(
    fc.asyncProperty(search, fc.constantFrom("GET", "HEAD", "POST", "DELETE"), async (parameters, method) => {
      const answer = await ask(reports, `?${new URLSearchParams(parameters)}`, {
        method,
        headers: { Authorization: `Bearer ${SECRET}` },
      });
      await answer.text();

      assertEquals([200, 400, 404, 405].includes(answer.status), true, `${answer.status}`);
    }),
    { numRuns: 40 },
  );
});

Deno.test("createReports() opens for no header but the one with the secret", async () => {
  let nowMs = NOW_MS;
  // A minute between two of them, so that none is turned away for the ones before.
  const reports = await createTestReports([], { now: () => nowMs += 60_000 });
  const header = fc.oneof(
    fc.base64String().map((value) => `Basic ${value}`),
    fc.string().map((value) => `Basic ${btoa(encodeURIComponent(value))}`),
    fc.stringMatching(/^[!-~ ]*$/),
    fc.stringMatching(/^[!-~]*$/).map((value) => `Bearer ${value}`),
  );

  await fc.assert(
    fc.asyncProperty(header, async (authorization) => {
      const answer = await reports(new Request(REPORTS_URL, { headers: { Authorization: authorization } }));
      await answer?.body?.cancel();

      assertEquals(answer?.status, 401);
    }),
    { numRuns: 300 },
  );
});

Deno.test("html keeps any text within its quotes and its element", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), (text) => {
      const { markup } = html`<b title="${text}">${text}</b>`;
      const [, attribute, content] = /^<b title="([^"<>]*)">([^"<>']*)<\/b>$/.exec(markup) ?? [];

      assertEquals(attribute, content);
      assertEquals(decode(attribute ?? ""), text);
    }),
  );
});

function decode(escaped: string): string {
  const characters: Readonly<Record<string, string>> = { lt: "<", gt: ">", amp: "&", quot: '"', "#39": "'" };
  return escaped.replace(/&([a-z]+|#39);/g, (whole, name) => characters[name] ?? whole);
}
