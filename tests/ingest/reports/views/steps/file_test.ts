import { assertEquals } from "@std/assert";
import { writeTable } from "../../../../../src/ingest/reports/view/csv.ts";
import { toStepsTable } from "../../../../../src/ingest/reports/views/steps/file.ts";

Deno.test("toStepsTable() sums what a list leaves out in its last row", () => {
  const scope = { site: "", from: "", to: "", zone: "UTC", traffic: "people", filters: [] } as const;
  const steps = { view: "steps", ...scope, compare: "before", violations: [], violationCount: 0, targets: [] } as const;
  const rows = [{ name: "signup", count: 3, visitors: 2, before: { count: 1, visitors: 1 } }];

  assertEquals(
    writeTable(toStepsTable({ ...steps, rows, count: 4, other: { count: 5 } })),
    '"Name","Times","Visitors","Times, period before","Visitors, period before"\r\n"signup",3,2,1,1\r\n"Other",5,,,\r\n',
  );
  assertEquals(
    writeTable(toStepsTable({ ...steps, rows, count: 1, other: null })),
    '"Name","Times","Visitors","Times, period before","Visitors, period before"\r\n"signup",3,2,1,1\r\n',
  );
});
