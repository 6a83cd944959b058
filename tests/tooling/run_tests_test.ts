import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { runProcess } from "../../scripts/support/process.ts";

async function launch(source: string, ...args: string[]) {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/sample_test.ts`;
  await Deno.writeTextFile(path, source);
  const result = await runProcess(Deno.execPath(), {
    args: ["run", "-A", "scripts/checks/run_tests.ts", path, ...args],
    env: { NO_COLOR: "1" },
    isQuiet: true,
  });
  await Deno.remove(directory, { recursive: true });
  return result;
}

Deno.test("the launcher says which packages it uses and passes arguments on", async () => {
  const source = `Deno.test("first", () => {}); Deno.test("second", () => {});`;

  const { code, output } = await launch(source, "--filter=second");

  assertEquals(code, 0);
  assertMatch(output, /^JSR (answers|doesn't answer): /);
  assertStringIncludes(output, "ok | 1 passed | 0 failed | 1 filtered out");
});

Deno.test("the launcher fails where a test does", async () => {
  const { code, output } = await launch(`Deno.test("first", () => { throw new Error("no"); });`);

  assertEquals(code, 1);
  assertStringIncludes(output, "0 passed | 1 failed");
});

Deno.test("the launcher has the leak sanitizers on", async () => {
  const { code, output } = await launch(`Deno.test("first", () => { setTimeout(() => {}, 10_000); });`);

  assertEquals(code, 1);
  assertStringIncludes(output, "Leaks detected");
});
