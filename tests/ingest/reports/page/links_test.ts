import { assertEquals } from "@std/assert";
import { buildFilterLink, buildLink } from "../../../../src/ingest/reports/page/links.ts";
import type { Linked } from "../../../../src/ingest/reports/page/page.ts";
import { isProblem } from "../../../../src/ingest/reports/query/query.ts";
import { readViewQuery, writeViewQuery } from "../../../../src/ingest/reports/views/view_query.ts";

function pageOf(search: string): Linked {
  const query = readViewQuery(new URLSearchParams(search), Date.parse("2026-01-31"));
  if (isProblem(query)) throw new Error(query.message);
  return { query: { ...query, site: "https://shop.example" }, write: writeViewQuery };
}

Deno.test("buildLink() keeps the view, relative to where the reports are", () => {
  const page = pageOf("from=2026-01-01&filter=page:/teas");

  assertEquals(
    buildLink(page),
    "?site=https%3A%2F%2Fshop.example&from=2026-01-01&to=2026-01-31&filter=page%3A%2Fteas",
  );
  assertEquals(
    buildLink(page, { view: "pages", from: "2026-01-30", filters: [], format: "csv" }),
    "?view=pages&site=https%3A%2F%2Fshop.example&from=2026-01-30&to=2026-01-31&format=csv&bom=1",
  );
});

Deno.test("buildFilterLink() adds a filter, or an alternative to one that is there, and leads to the overview", () => {
  const page = pageOf("view=sources&by=campaign&filter=page:/teas");
  const filtersOf = (link: string): readonly string[] => new URLSearchParams(link).getAll("filter");
  const link = buildFilterLink(page, { name: "campaign", values: ['a"><b>&c=d'] });

  assertEquals(filtersOf(link), ["page:/teas", 'campaign:a"><b>&c=d']);
  assertEquals([link.includes("view="), link.includes("by=")], [false, false]);
  assertEquals(filtersOf(buildFilterLink(page, { name: "page", values: ["/"] })), ["page:/teas", "page:/"]);
  assertEquals(filtersOf(buildFilterLink(page, { name: "page", values: ["/teas"] })), ["page:/teas"]);
});
