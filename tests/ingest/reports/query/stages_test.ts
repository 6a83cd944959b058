import { assertEquals, assertStringIncludes } from "@std/assert";
import { readStages, writeStage } from "../../../../src/ingest/reports/query/stages.ts";
import { listPeriods } from "../../../../src/ingest/reports/views/retention/cohort_days.ts";
import { buildEvent, buildPageview, SITE } from "../fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "../reports_fixtures.ts";

const ofVisitor = (anonymousId: string, minute: number, page: string) =>
  buildPageview({
    timestamp: `2026-03-02T10:0${minute}:00.000Z`,
    pageUrl: SITE + page,
    sessionId: `s-${anonymousId}`,
    anonymousId,
  });

const EVENTS = [
  ofVisitor("v-1", 0, "/"),
  ofVisitor("v-1", 2, "/cart"),
  buildEvent({
    name: "order",
    timestamp: "2026-03-02T10:05:00.000Z",
    pageUrl: `${SITE}/cart`,
    sessionId: "s-v-1",
    anonymousId: "v-1",
  }),
  ofVisitor("v-2", 1, "/"),
  ofVisitor("v-3", 3, "/cart"),
  buildEvent({ timestamp: "2026-03-10T10:00:00.000Z", pageUrl: `${SITE}/`, sessionId: "s-9", anonymousId: "v-2" }),
];

Deno.test("createReports() answers with a funnel", async () => {
  const reports = await createTestReports(EVENTS);

  const answer = await ask(reports, "?view=funnel&format=json&stage=page:/&stage=page:/cart&stage=step:order");
  const { stages } = await answer.json();
  const csv = await (await ask(reports, "?view=funnel&format=csv&stage=page:/&stage=page:/cart|step:order")).text();
  const { stages: asListed } = await (await ask(reports, "?view=funnel&format=json&stage=/&stage=/cart&stage=order"))
    .json();
  const inCode = await reports.funnel({ stages: ["page:/", "page:/cart"], within: "1h", order: "strict" });

  assertEquals(stages, [
    { stage: "page:/", visitors: 2, share: 1, medianMs: null },
    { stage: "page:/cart", visitors: 1, share: 0.5, medianMs: 120_000 },
    { stage: "step:order", visitors: 1, share: 0.5, medianMs: 180_000 },
  ]);
  assertEquals(asListed, stages);
  assertEquals(csv.split("\r\n").slice(0, 3), [
    '"Stage","Visitors","Of the first","Of those before","Median time, ms"',
    '"page:/",2,1,,',
    '"page:/cart|step:order",1,0.5,0.5,120000',
  ]);
  assertEquals(inCode.stages.map(({ visitors }) => visitors), [2, 1]);
});

Deno.test("createReports() answers with the visitors who came back", async () => {
  const reports = await createTestReports(EVENTS);

  const answer = await ask(reports, "?view=retention&format=json&from=2026-03-02&to=2026-03-12");
  const { cohorts, isRunning, unit } = await answer.json();
  const inCode = await reports.retention({ from: "2026-03-02", to: "2026-03-12", event: "order" });

  assertEquals([unit, isRunning], ["week", false]);
  assertEquals(cohorts, [
    { from: "2026-03-02", size: 3, returned: [3, 1] },
    { from: "2026-03-09", size: 0, returned: [0] },
  ]);
  assertEquals(inCode.cohorts[0]?.returned, [1, 0]);
});

Deno.test("createReports() takes a step, a page, a pattern or a goal for a return", async () => {
  const reports = await createTestReports(EVENTS, {
    keys: [{ ...TEST_KEY, goals: { "Any tea: yes": { page: "/:tea" } } }],
  });
  const days = { from: "2026-03-02", to: "2026-03-12" };
  const count = async (event: string) => (await reports.retention({ ...days, event })).cohorts[0]?.returned;
  const query = `?view=retention&from=${days.from}&to=${days.to}&event=goal:Any tea%253A yes`;

  const counts = await Promise.all(["order", "/cart", "page:/*", 'step:order:plan:"pro"|/'].map(count));
  const { event, cohorts } = await (await ask(reports, `${query}&format=json`)).json();
  const csv = await (await ask(reports, `${query}&format=csv`)).text();
  const page = await (await ask(reports, query)).text();

  assertEquals(counts, [[1, 0], [2, 0], [3, 0], [2, 0]]);
  assertEquals([event, cohorts[0].returned], ["goal:Any tea%3A yes", [2, 0]]);
  assertEquals(csv.split("\r\n").slice(1, 3), ['"2026-03-02",3,0,2', '"2026-03-02",3,1,0']);
  assertStringIncludes(page, '<option value="goal:Any tea%3A yes"></option>');
  assertEquals([(await ask(reports, "?view=retention&event=goal:none")).status], [400]);
});

Deno.test("a stage of a funnel is a pattern of pages as well", async () => {
  const reports = await createTestReports(EVENTS);

  const { stages } = await reports.funnel({ stages: ["/", "/:page"] });

  assertEquals(stages.map(({ stage, visitors }) => [stage, visitors]), [["page:/", 2], ["page:/:page", 1]]);
});

Deno.test("a stage of a funnel is a page as its list has it, whatever is percent-encoded in it", async () => {
  const reports = await createTestReports([ofVisitor("v-1", 0, "/wiki/Talk%3ATea"), ofVisitor("v-1", 1, "/100%25")]);

  const { stages } = await reports.funnel({ stages: ["page:/wiki/Talk%3ATea", "/100%25"] });

  assertEquals(stages.map(({ stage, visitors }) => [stage, visitors]), [
    ["page:/wiki/Talk%3ATea", 1],
    ["page:/100%25", 1],
  ]);
});

Deno.test("retention has periods up to the first and the last day that there is", async () => {
  const reports = await createTestReports([], { now: () => Date.parse("9999-12-31T12:00:00.000Z") });
  const count = async (from: string, to: string): Promise<readonly number[]> =>
    await Promise.all(
      (["day", "week", "month"] as const).map(async (unit) =>
        (await reports.retention({ from, to, unit })).cohorts.length
      ),
    );

  assertEquals(await count("0000-01-01", "0000-01-02"), [2, 1, 1]);
  assertEquals(await count("9999-12-30", "9999-12-31"), [2, 2, 1]);
});

Deno.test("the page shows funnel and retention as tables, and their forms", async () => {
  const reports = await createTestReports(EVENTS);
  const read = async (query: string) => await (await ask(reports, query)).text();

  const funnel = await read("?view=funnel&stage=page:/&stage=step:<b>order");
  const none = await read("?view=funnel");
  const retention = await read("?view=retention&from=2026-02-16&to=2026-03-12"); // two weeks before the first visitor

  assertEquals([/step<\/span>\s+<bdi>&lt;b(>|&gt;)order/.test(funnel), funnel.includes("<b>order")], [true, false]);
  assertStringIncludes(funnel, '&amp;filter=page%3A%2F"');
  assertEquals(none.includes('name="stage"'), true);
  assertEquals(/Week 1/.test(retention) && /<td class="h5"[^>]*>33%/.test(retention), true);
});

Deno.test("the page shows a funnel of a site without pageviews", async () => {
  const steps = ["a", "b"].map((name, minute) =>
    buildEvent({
      name,
      timestamp: `2026-03-30T10:0${minute}:00.000Z`,
      pageUrl: `${SITE}/`,
      sessionId: "s-1",
      anonymousId: "v-1",
    })
  );
  const reports = await createTestReports(steps);

  const text = await (await ask(reports, "?view=funnel&stage=step:a&stage=step:b")).text();

  assertStringIncludes(text, "1\u00a0min 0\u00a0s");
  assertEquals(text.includes("There are no events"), false);
});

Deno.test("readStages() reads what writeStage() writes", () => {
  const texts = ["page:/a%7Cb|step:a%3Ab", 'step:signup:plan:"p%7Cro"', "step:signup"];
  const stages = readStages(texts);

  assertEquals(Array.isArray(stages) && stages.map(writeStage), texts);
});

Deno.test("listPeriods() begins with the Monday, or the first of the month, before the range", () => {
  const range = { from: "2026-01-28", to: "2026-02-10" };

  assertEquals(listPeriods("week", range), ["2026-01-26", "2026-02-02", "2026-02-09", "2026-02-16"]);
  assertEquals(listPeriods("week", { ...range, weekStart: "sunday" })[0], "2026-01-25");
  assertEquals(listPeriods("month", range), ["2026-01-01", "2026-02-01", "2026-03-01"]);
  assertEquals(listPeriods("day", { from: "2026-02-28", to: "2026-03-01" }), [
    "2026-02-28",
    "2026-03-01",
    "2026-03-02",
  ]);
});
