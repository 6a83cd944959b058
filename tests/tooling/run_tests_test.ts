import { assertEquals, assertStringIncludes } from "@std/assert";
import { runProcess } from "../../scripts/support/process.ts";

Deno.test("the launcher has the leak sanitizers on, and fails where a test does", async () => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/sample_test.ts`;
  await Deno.writeTextFile(path, `Deno.test("leaks", () => { setTimeout(() => {}, 10_000); });`);

  const { code, output } = await runProcess(Deno.execPath(), {
    args: ["run", "-A", "scripts/checks/run_tests.ts", path],
    isQuiet: true,
  });
  await Deno.remove(directory, { recursive: true });

  assertEquals(code, 1);
  assertStringIncludes(output, "Leaks detected");
});
