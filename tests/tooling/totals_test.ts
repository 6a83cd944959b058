import { assertEquals, assertStringIncludes } from "@std/assert";
import { runProcess } from "../../scripts/process.ts";

function totals(...args: string[]) {
  return runProcess(Deno.execPath(), {
    args: ["run", "-A", "--no-config", "scripts/totals.ts", ...args],
    isQuiet: true,
  });
}

async function writeReport(body: string): Promise<string> {
  const path = await Deno.makeTempFile({ suffix: ".xml" });
  await Deno.writeTextFile(path, `<testsuites><testsuite name="x">${body}</testsuite></testsuites>`);
  return path;
}

Deno.test("totals.ts ends with one line for all suites", async () => {
  const first = await writeReport(`<testcase name="a"></testcase><testcase name="b"></testcase>`);
  const second = await writeReport(`<testcase name="a"></testcase>`);

  const { code, output } = await totals(first, second);

  assertEquals([code, output], [0, "3 passed, 0 failed\n"]);
});

Deno.test("totals.ts fails on a failed test, a skipped one and a failed step", async () => {
  const failed = await writeReport(`<testcase name="a"><failure>x</failure></testcase><testcase name="b"></testcase>`);
  const skipped = await writeReport(`<testcase name="a"><skipped/></testcase><testcase name="b"></testcase>`);
  const passed = await writeReport(`<testcase name="a"></testcase>`);

  assertEquals(await totals("--failed-steps=1", failed), { code: 1, output: "1 passed, 1 failed\n" });
  assertEquals(await totals(skipped), { code: 1, output: "1 passed, 1 failed\n" });
  assertEquals(await totals("--failed-steps=2", passed), { code: 1, output: "1 passed, 2 failed\n" });
});

Deno.test("totals.ts fails where a report is missing", async () => {
  const { code, output } = await totals("/nowhere/report.xml");

  assertEquals(code, 1);
  assertStringIncludes(output, "0 passed, 1 failed\n");
});
