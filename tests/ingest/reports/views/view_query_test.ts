import { assertEquals } from "@std/assert";
import fc from "fast-check";
import { AUDIENCE_DIMENSIONS } from "../../../../src/ingest/ports/report_filters.ts";
import type { ReportFilter } from "../../../../src/ingest/ports/report_query.ts";
import { isProblem } from "../../../../src/ingest/reports/query/query.ts";
import type { ViewQuery } from "../../../../src/ingest/reports/query/view_query.ts";
import type { SourcesQuery } from "../../../../src/ingest/reports/views/sources/query.ts";
import { readViewQuery, VIEW_NAMES, writeViewQuery } from "../../../../src/ingest/reports/views/view_query.ts";

const NOW_MS = Date.parse("2026-03-31T23:30:00.000Z");

const read = (search: string): ReturnType<typeof readViewQuery> => readViewQuery(new URLSearchParams(search), NOW_MS);

function queryOf(search: string): ViewQuery & Partial<SourcesQuery> {
  const query = read(search);
  if (isProblem(query)) throw new Error(query.message);
  return query;
}

const filtersOf = (...filters: readonly string[]): readonly ReportFilter[] =>
  queryOf(`?${new URLSearchParams(filters.map((filter) => ["filter", filter]))}`).filters;

Deno.test("readViewQuery() has the overview of the last 30 days, by the clocks of the zone", () => {
  const { view, from, to, zone, compare, filters, by, of } = queryOf("");
  const berlin = queryOf("zone=Europe/Berlin");

  assertEquals({ view, from, to, zone: zone.name, compare, filters, by, of }, {
    view: "overview",
    from: "2026-03-02",
    to: "2026-03-31",
    zone: "UTC",
    compare: "before",
    filters: [],
    by: "channel",
    of: "session",
  });
  assertEquals([berlin.to, berlin.zone.name], ["2026-04-01", "Europe/Berlin"]);
});

Deno.test("readViewQuery() reads filters, and takes those of a name for alternatives", () => {
  assertEquals(filtersOf("page:/teas", "channel:Search", "channel:Email", "page:/teas", "referrer:"), [
    { name: "page", values: ["/teas"] },
    { name: "channel", values: ["Search", "Email"] },
    { name: "referrer", values: [""] },
  ]);
  assertEquals(filtersOf("referrer:https://search.example:8443"), [
    { name: "referrer", values: ["https://search.example:8443"] },
  ]);
  assertEquals(filtersOf('property:plan:"pro"', "property:plan: 3", 'property:url:"https://a.example"'), [
    { name: "property", key: "plan", values: ['"pro"', "3"] },
    { name: "property", key: "url", values: ['"https://a.example"'] },
  ]);
  assertEquals(filtersOf("property@sign%3Aup:a%3Ab:true", "property:a%3Ab:true"), [
    { name: "property", key: "a:b", step: "sign:up", values: ["true"] },
    { name: "property", key: "a:b", values: ["true"] },
  ]);
});

Deno.test("readViewQuery() says what is wrong", () => {
  const property = 'a property is written as property:tier:"pro", its value as JSON';
  const cases: readonly (readonly [search: string, code: string, message: string])[] = [
    [
      "view=people",
      "bad_view",
      `view must be one of ${VIEW_NAMES.join(", ")}`,
    ],
    ["stage=page:/", "bad_funnel", "a funnel has 2 to 8 stages"],
    [
      "stage=page:/&stage=gaol:x",
      "bad_funnel",
      "a stage or an event is a path, the name of a step, or begins with page:, step: or goal:",
    ],
    [
      "stage=page:/&stage=step:a:b:{}",
      "bad_funnel",
      'a property is written as step:signup:tier:"pro", its value as JSON',
    ],
    ["within=2d", "bad_funnel", "within must be one of session, 1h, 1d, 7d, 30d"],
    ["order=any", "bad_funnel", "order must be one of sequential, strict, flexible"],
    ["unit=year", "bad_unit", "unit must be one of week, day, month"],
    ["stage=/&stage=$pageview", "bad_funnel", "pageviews are no steps: a stage or an event of any page is page:/*"],
    ["event=step:$pageview", "bad_event", "pageviews are no steps: a stage or an event of any page is page:/*"],
    [
      "event=person:ada",
      "bad_event",
      "a stage or an event is a path, the name of a step, or begins with page:, step: or goal:",
    ],
    ["zone=Berlin", "bad_zone", "zone must be a time zone such as Europe/Berlin"],
    ["compare=week", "bad_compare", "compare must be one of before, weeks, month, year"],
    ["traffic=all", "bad_traffic", "traffic must be one of people, bots, own"],
    ["by=country", "bad_by", "by must be one of channel, source, referrer, medium, campaign, term, content, landing"],
    ["dimension=age", "bad_dimension", `dimension must be one of ${AUDIENCE_DIMENSIONS.join(", ")}`],
    ["of=last", "bad_of", "of must be one of session, first"],
    [
      "view=pages&sort=bounce",
      "bad_sort",
      "sort must be one of path, views, visitors, consentShare, entries, exits, bounceRate, exitRate, engagedMsPerView, " +
      "conversions, conversionRate, goalValue",
    ],
    ["view=pages&sort=goalValue", "bad_sort", "sort by goalValue needs goal"],
    ["view=steps&sort=conversions&goal=Order", "bad_sort", "sort by conversions needs step"],
    ["view=steps&direction=up", "bad_direction", "direction must be one of desc, asc"],
    ["view=steps&offset=-1", "bad_offset", "offset must be a whole number from 0 on"],
    ["key=plan", "bad_key", "key goes with the step that has it"],
    ["from=2026-02-30", "bad_range", "from must be a day that exists, written as 2026-01-31"],
    ["from=2026-05-01&zone=Asia/Kolkata", "bad_range", "from must not be after today (Asia/Kolkata)"],
    ["filter=property:plan:pro", "bad_filter", property],
    ["filter=property:plan:{}", "bad_filter", property],
    ["filter=property:plan", "bad_filter", property],
    ["filter=property@:plan:3", "bad_filter", property],
    ["filter=page@step:/teas", "bad_filter", 'only property goes with a step, as property@signup:tier:"pro"'],
    ["filter=signedIn:maybe", "bad_filter", "signedIn is one of yes, no"],
    ["filter=screen:watch", "bad_filter", "screen is one of phone, tablet, laptop, desktop"],
    ["filter=step:$pageview", "bad_filter", "pageviews are no steps: filter by page"],
    ["filter=page:", "bad_filter", "page needs a value"],
    [`filter=page:${"a".repeat(3000)}`, "bad_filter", "a filter's value has at most 2048 characters"],
    ["filter=page:a".concat("&filter=page:a".repeat(50)), "bad_filter", "there may be 50 filters at most"],
  ];

  for (const [search, code, message] of cases) {
    assertEquals([search, read(search)], [search, { status: 400, code, message }]);
  }
  for (const search of ["filter=region:BY", "filter=page", "filter=constructor:a"]) {
    const problem = read(search);
    assertEquals(isProblem(problem) && problem.message.startsWith("a filter is a name, a colon and a value"), true);
  }
});

Deno.test("writeViewQuery() writes what readViewQuery() reads", () => {
  const text = fc.oneof(fc.string({ minLength: 1, maxLength: 20 }), fc.constantFrom("a:b", "%3A", "a@b", "é", "&=?#"))
    .map((value) => value.toWellFormed());
  const filter: fc.Arbitrary<ReportFilter> = fc.oneof(
    fc.record({ name: fc.constantFrom("page", "entry", "channel", "campaign"), values: fc.tuple(text) }, {
      noNullPrototype: true,
    }),
    fc.record(
      {
        name: fc.constant("property"),
        key: text,
        step: text,
        values: fc.tuple(text.map((value) => JSON.stringify(value))),
      },
      { requiredKeys: ["name", "key", "values"], noNullPrototype: true },
    ),
  ) as fc.Arbitrary<ReportFilter>;
  const filters = fc.uniqueArray(filter, {
    maxLength: 4,
    selector: ({ name, key, step }) => JSON.stringify([name, key, step]),
  });
  const query = fc.record(
    {
      view: fc.constantFrom("overview", "pages", "steps"),
      from: fc.constant("2026-01-01"),
      to: fc.constant("2026-01-31"),
      zone: fc.constantFrom("UTC", "Europe/Berlin"),
      compare: fc.constantFrom("before", "weeks", "year"),
      traffic: fc.constantFrom("people", "bots", "own"),
      filters,
    } as const,
  );

  fc.assert(
    fc.property(query, ({ zone, ...asked }) => {
      const site = "https://shop.example";
      const whole = { ...queryOf(`zone=${zone}`), ...asked, site };
      const back = queryOf(String(writeViewQuery(whole)));
      assertEquals({ ...back, zone: back.zone.name, site }, { ...whole, zone });
    }),
  );
  const { by, of } = queryOf(
    String(writeViewQuery({ ...queryOf("view=sources&by=landing&of=first"), site: "https://shop.example" })),
  );
  assertEquals([by, of], ["landing", "first"]);
});
