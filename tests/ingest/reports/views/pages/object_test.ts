import { assertEquals } from "@std/assert";
import { RANGE, readJson } from "../../answer_fixtures.ts";
import { buildEvent, buildPageview, SITE } from "../../fixtures.ts";

Deno.test("createReports() answers with pages", async () => {
  assertEquals(await readJson(`view=pages&${RANGE}`), {
    view: "pages",
    site: SITE,
    from: "2026-03-30",
    to: "2026-03-31",
    zone: "UTC",
    traffic: "people",
    filters: [],
    compare: "before",
    rows: [
      {
        path: "/teas",
        views: { full: 2, aggregate: 1 },
        visitors: 2,
        entries: 0,
        exits: 2,
        exitRate: 1,
        consentShare: 2 / 3,
        bounceRate: null,
        engagedMsPerView: null,
        before: null,
      },
      {
        path: "/",
        views: { full: 1, aggregate: 0 },
        visitors: 1,
        entries: 1,
        exits: 0,
        exitRate: 0,
        consentShare: 1,
        bounceRate: 0,
        engagedMsPerView: null,
        before: {
          views: { full: 1, aggregate: 0 },
          visitors: 1,
          entries: 1,
          exits: 1,
          exitRate: 1,
          consentShare: 1,
          bounceRate: 1,
          engagedMsPerView: null,
        },
      },
    ],
    count: 2,
    other: null,
  });
});

Deno.test("createReports() answers with the mean engagement of a page's views", async () => {
  const event = { timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${SITE}/teas`, anonymousId: "ada" };
  const engaged = { ...buildEvent({ ...event, name: "$engagement" }), properties: { engagedMs: 5_001 } };

  const { rows } = await readJson(`view=pages&${RANGE}`, [
    ...[buildPageview(event), buildPageview(event), engaged],
    buildPageview({ ...event, pageUrl: `${SITE}/` }),
  ]) as { readonly rows: readonly { readonly path: string; readonly engagedMsPerView: number | null }[] };

  assertEquals(rows.map(({ path, engagedMsPerView }) => [path, engagedMsPerView]), [["/teas", 2501], ["/", null]]);
});

Deno.test("createReports() answers with no exit rate where a page has more exits than views", async () => {
  const view = (timestamp: string, path: string, sessionId: string, referrer?: string) =>
    buildPageview({
      timestamp,
      pageUrl: SITE + path,
      sessionId,
      anonymousId: sessionId,
      ...(referrer && { referrer }),
    });

  const { rows } = await readJson("view=pages&from=2026-03-30&to=2026-03-30", [
    view("2026-03-30T23:58:00.000Z", "/", "s-1"),
    view("2026-03-30T23:59:00.000Z", "/teas", "s-1", `${SITE}/`),
    view("2026-03-30T23:59:00.000Z", "/", "s-2"),
    // Sessions of the day that go on behind it.
    view("2026-03-31T00:01:00.000Z", "/teas", "s-1", `${SITE}/`),
    view("2026-03-31T00:01:00.000Z", "/teas", "s-2", `${SITE}/`),
  ]) as {
    readonly rows: readonly { readonly path: string; readonly exits: number; readonly exitRate: number | null }[];
  };

  assertEquals(rows.map(({ path, exits, exitRate }) => [path, exits, exitRate]), [["/", 0, 0], ["/teas", 2, null]]);
});
