import { assertEquals } from "@std/assert";
import type { StoredEvent } from "../../../../../src/ingest/mod.ts";
import type { StepValuesView } from "../../../../../src/ingest/reports/views/steps/object.ts";
import { RANGE, readJson } from "../../answer_fixtures.ts";
import { buildEvent, SITE } from "../../fixtures.ts";

Deno.test("createReports() answers with steps, what breaks the plan, and the values of a step", async () => {
  const events = ["pro", "pro", 3].map((plan) => ({
    ...buildEvent({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${SITE}/`, name: "signup", anonymousId: "ada" }),
    properties: { plan },
  }));

  assertEquals(await readJson(`view=steps&${RANGE}`), {
    view: "steps",
    site: SITE,
    from: "2026-03-30",
    to: "2026-03-31",
    zone: "UTC",
    traffic: "people",
    filters: [],
    compare: "before",
    rows: [{ name: "=signup", count: 1, visitors: 1, before: null }],
    count: 1,
    other: null,
    violations: [{ name: "=signup", kind: "missing", count: 1 }],
    violationCount: 1,
    targets: [],
  });
  const { values: { parts, ...values } } = await readJson(`view=steps&step=signup&${RANGE}`, events) as {
    readonly values: Pick<StepValuesView, "parts">;
  };
  assertEquals(parts.length, 48);
  assertEquals(parts.filter(({ count }) => count > 0), [{ from: "2026-03-31T10:00", count: 3, visitors: 1 }]);
  assertEquals(values, {
    step: "signup",
    unit: "hour",
    notes: [],
    keys: ["plan"],
    key: "plan",
    rows: [{ value: "pro", count: 2, visitors: 1, before: null }, { value: 3, count: 1, visitors: 1, before: null }],
    count: 2,
    other: null,
    numbers: { count: 1, sum: 3, median: 3, p75: 3, p90: 3 },
  });
});

Deno.test("createReports() answers with the targets of links, downloads and forms", async () => {
  const build = (name: string, properties: Readonly<Record<string, unknown>>): StoredEvent => ({
    ...buildEvent({ timestamp: "2026-03-31T10:00:00.000Z", pageUrl: `${SITE}/`, name, anonymousId: "ada" }),
    properties: { release: "1.4", ...properties },
  });
  const events = [
    ...["/docs", "/docs", "/"].map((path) => build("$outbound", { url: `https://maker.example${path}` })),
    build("$form", { path: "/login" }),
  ];
  const one = { count: 1, visitors: 1 };

  const { targets } = await readJson(`view=steps&${RANGE}`, events) as { readonly targets: unknown };
  const withForm = await readJson(`view=steps&${RANGE}`, [
    ...events,
    build("$download", { url: "https://shop.example/teas.pdf" }),
    build("$form", { form: "login", path: "/login" }),
  ]) as { readonly targets: readonly unknown[] };

  assertEquals(targets, [
    {
      step: "$outbound",
      key: "url",
      rows: [{ value: "https://maker.example/docs", count: 2, visitors: 1 }, {
        value: "https://maker.example/",
        ...one,
      }],
      count: 2,
      other: null,
    },
    { step: "$form", key: "path", rows: [{ value: "/login", ...one }], count: 1, other: null },
  ]);
  assertEquals(withForm.targets.slice(1), [
    {
      step: "$download",
      key: "url",
      rows: [{ value: "https://shop.example/teas.pdf", ...one }],
      count: 1,
      other: null,
    },
    { step: "$form", key: "form", rows: [{ value: "login", ...one }], count: 1, other: null },
  ]);
});
