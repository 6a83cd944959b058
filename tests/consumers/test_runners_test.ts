import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { runProcess } from "../../scripts/process.ts";
import { prepareApplication } from "./driver/application.ts";

/** Far beyond what a test run takes; a process that something keeps alive would take all of it. */
const LIMIT_MS = 60_000;

async function runTests(fixture: string, args: readonly string[]): Promise<string> {
  const { directory } = await prepareApplication(fixture);
  const { code, output } = await runProcess("node", {
    args,
    cwd: directory,
    env: { NO_COLOR: "1", CI: "1" },
    isQuiet: true,
    timeoutMs: LIMIT_MS,
  });
  assertEquals(code, 0, output);
  return output;
}

Deno.test("Jest with jsdom: a test that uses the SDK leaves no open handle, and Jest ends by itself", async () => {
  const output = await runTests("jest_jsdom", ["node_modules/jest/bin/jest.js", "--detectOpenHandles"]);

  assertMatch(output, /Tests:\s+1 passed, 1 total/);
  assertNotMatch(output, /open handle|did not exit/);
});

Deno.test("Vitest with happy-dom: a test that uses the SDK leaves no open handle, and Vitest ends by itself", async () => {
  const output = await runTests("vitest_happy_dom", ["node_modules/vitest/vitest.mjs", "run"]);

  assertMatch(output, /Tests\s+1 passed \(1\)/);
  assertMatch(output, /Left open: nothing/);
});
