import { assertEquals, assertRejects } from "@std/assert";
import type { SourcesView } from "../../../../../src/ingest/mod.ts";
import { EVENTS, RANGE, readCsv, readJson } from "../../answer_fixtures.ts";
import { buildPageview, SITE } from "../../fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../../reports_fixtures.ts";

Deno.test("createReports() answers with sources, by channel unless another dimension is named", async () => {
  const rowsOf = async (search: string): Promise<unknown> => {
    const { by, rows } = await readJson(`view=sources&${RANGE}${search}`) as {
      readonly by: string;
      readonly rows: readonly { readonly label: string | null; readonly sessions: number }[];
    };
    return [by, ...rows.map(({ label, sessions }) => [label, sessions])];
  };

  assertEquals(await rowsOf(""), ["channel", ["Other campaigns", 1], ["Joined midway", 1], ["Other sites", 0]]);
  assertEquals(await rowsOf("&by=campaign"), ["campaign", [null, 1], ["spring", 1]]);
  assertEquals((await readJson(`view=sources&by=campaign&${RANGE}`) as { rows: readonly unknown[] }).rows[1], {
    label: "spring",
    views: { full: 1, aggregate: 0 },
    sessions: 1,
    visitors: 1,
    landings: 1,
    bounceRate: 0,
    before: null,
  });
});

Deno.test("createReports() answers with sources of the first session of each visitor, without views before consent", async () => {
  const found = buildPageview({
    timestamp: "2025-12-31T10:00:00.000Z",
    pageUrl: `${SITE}/found`,
    referrer: "https://www.google.com/",
    sessionId: "s-0",
    anonymousId: "bob",
  });
  const events = [found, ...EVENTS];
  const readOf = async (search: string): Promise<unknown> => {
    const { of, rows } = await readJson(`view=sources&${RANGE}${search}`, events) as SourcesView;
    return [of, ...rows.map(({ label, sessions, views }) => [label, sessions, views.full, views.aggregate])];
  };

  assertEquals(await readOf(""), [
    "session",
    ["Other campaigns", 1, 1, 0],
    ["Joined midway", 1, 0, 0],
    ["Other sites", 0, 0, 1],
  ]);
  assertEquals(await readOf("&of=first"), ["first", ["Other campaigns", 1, 1, 0], ["Search", 1, 0, 0]]);
  assertEquals(await readOf("&of=first&by=landing"), ["first", ["/", 1, 1, 0], ["/found", 1, 0, 0]]);
  assertEquals(
    await readCsv(`view=sources&of=first&${RANGE}`, events),
    '"Channel","Views with consent","Views before consent","Sessions","Visitors","Landings","Bounce rate",' +
      '"Sessions, period before","Visitors, period before"\r\n' +
      '"Other campaigns",1,0,1,1,1,0,0,0\r\n"Search",0,0,1,1,0,,0,0\r\n',
  );
});

Deno.test("createReports() takes no origin for a source that the key ignores, with www. or without", async () => {
  const keys = [{ ...TEST_KEY, ignoredReferrers: ["https://www.pay.example"] }];
  const events = ["https://pay.example/done", "http://www.pay.example/", "https://search.example/"].map((
    referrer,
    index,
  ) =>
    buildPageview({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${SITE}/`, referrer, sessionId: `s-${index}` })
  );
  const reports = await createTestReports(events, { keys });

  const { rows } = await (await ask(reports, `?view=sources&by=referrer&format=json&${RANGE}`)).json();

  assertEquals(rows.map((row: { label: string | null; sessions: number }) => [row.label, row.sessions]), [
    ...[[null, 2], ["https://search.example", 1]],
  ]);
  await assertRejects(
    () => createTestReports([], { keys: [{ ...TEST_KEY, ignoredReferrers: ["pay.example"] }] }),
    TypeError,
    "keys[0].ignoredReferrers must be an origin",
  );
});

Deno.test("createReports() takes the other origins of a key for no sources", async () => {
  const events = ["https://blog.example/tea", "https://search.example/"].map((referrer, index) =>
    buildPageview({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${SITE}/`, referrer, sessionId: `s-${index}` })
  );

  const { rows } = await readJson(`view=sources&by=referrer&${RANGE}`, events) as {
    readonly rows: readonly { readonly label: string | null }[];
  };

  assertEquals(rows.map(({ label }) => label), [null, "https://search.example"]);
});
