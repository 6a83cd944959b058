import { assertEquals } from "@std/assert";
import { type Schema, Validator } from "@cfworker/json-schema";
import openapi from "../../../src/ingest/contract/generated/openapi.json" with { type: "json" };
import { VIEW_NAMES } from "../../../src/ingest/reports/views/view_query.ts";
import { generateVisits } from "../../../scripts/bench/report_data/generate_visits.ts";
import { SHOP_ORIGIN } from "../../../scripts/bench/report_data/shop.ts";
import { buildEvent } from "./fixtures.ts";
import { ask, createTestReports, TEST_KEY } from "./reports_fixtures.ts";

const SITE = `site=${encodeURIComponent(SHOP_ORIGIN)}`;

/** Visits of the last weeks, and an event that breaks the plan. */
const EVENTS = [
  ...[...generateVisits({ events: 3000, lastDay: "2026-03-31", seed: 3 })].flat()
    .filter(({ timestamp }) => timestamp > "2026-03-10"),
  buildEvent({
    timestamp: "2026-03-31T10:00:00.000Z",
    pageUrl: `${SHOP_ORIGIN}/`,
    name: "signp",
    violation: "unknown",
  }),
];

const QUERIES = [
  ...["", "from=2026-03-31", "from=2025-09-01", "from=2026-01-01&to=2026-01-31", "compare=year&zone=Asia/Kolkata"],
  ...["filter=page:/", "filter=channel:Search&filter=channel:", 'filter=property@search:plan:"pro"'],
  ...[
    "by=campaign",
    "by=landing",
    "of=first",
    "by=landing&of=first",
    "step=search",
    "step=search&key=price",
    "step=none",
    "step=search&goal=Search",
  ],
  ...[
    "stage=page:/&stage=step:search&within=7d&order=flexible",
    "unit=day&step=search",
    "dimension=screen&goal=Search",
    "unit=month&from=2025-09-01",
  ],
  "traffic=own",
] as const;

/** Creates the check of a view against the document. */
function createCheck(name: string): (answer: unknown) => readonly string[] {
  const validator = new Validator({ ...openapi, $ref: `#/components/schemas/${name}` } as Schema, "2020-12", false);
  return (answer) =>
    validator.validate(answer).errors.map(({ instanceLocation, error }) => `${instanceLocation} ${error}`);
}

for (const view of VIEW_NAMES.filter((name) => name !== "person")) {
  const check = createCheck(`${view.charAt(0).toUpperCase()}${view.slice(1)}View`);

  Deno.test(`createReports() answers with the view ${view} as the OpenAPI document says`, async () => {
    const reports = await createTestReports(EVENTS, {
      keys: [{ ...TEST_KEY, origins: [SHOP_ORIGIN], goals: { Search: { step: "search" } } }],
    });

    for (const query of QUERIES) {
      const answer = await (await ask(reports, `?view=${view}&${SITE}&format=json&${query}`)).json();
      assertEquals([query, check(answer)], [query, []]);
      assertEquals([query, check({ ...answer, more: 1 }).length > 0], [query, true]);
    }
  });
}

Deno.test("createReports() answers with the events of a person as the OpenAPI document says", async () => {
  const reports = await createTestReports(EVENTS, { keys: [{ ...TEST_KEY, origins: [SHOP_ORIGIN] }] });
  const anonymousId = EVENTS.find(({ identity }) => identity?.anonymousId)?.identity?.anonymousId ?? "";
  const check = createCheck("PersonView");

  const answer = await (await ask(reports, "?view=person&format=json", {
    method: "POST",
    headers: { Authorization: `Bearer ${TEST_KEY.secretKey}` },
    body: new URLSearchParams({ anonymousId }),
  })).json();

  assertEquals([check(answer), answer.events.length > 0], [[], true]);
  assertEquals(check({ ...answer, more: 1 }).length > 0, true);
  assertEquals(Object.keys(openapi.paths["/reports"].post.responses), [
    ...["200", "400", "401", "403", "404", "405", "413", "415", "429", "503"],
  ]);
});

Deno.test("the OpenAPI document has the parameters of the reports", () => {
  const { parameters, responses } = openapi.paths["/reports"].get;

  assertEquals(parameters.map(({ name }) => name), [
    ...["view", "site", "from", "to", "zone", "compare", "traffic", "filter"],
    ...["sort", "direction", "contains", "offset", "goal", "by", "of", "dimension", "step", "key", "violationOffset"],
    ...["stage", "within", "order", "unit", "event", "format", "limit", "bom"],
  ]);
  assertEquals(Object.keys(responses), ["200", "400", "401", "403", "404", "429", "503"]);
});
