import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import { runProcess } from "../../scripts/support/process.ts";
import { buildAnswer, startIngest } from "../browser/ingest_server.ts";
import { prepareApplication } from "./driver/application.ts";

/** Far beyond what a test run takes, far below what the SDK's timers in it take. */
const LIMIT_MS = 60_000;

/** What arrives from a test that can send, but for what the client sends as it closes: the window may be gone first. */
const SENT = ["$pageview", "$pageview", "signup in Köln", "signup of a client"];

interface TestRun {
  readonly output: string;
  /** Names of the events that came, in alphabetical order. */
  readonly names: readonly string[];
}

/** Runs a fixture's tests to their end, which has to come by itself: nothing kills the process before its limit. */
async function runTests(fixture: string, args: readonly string[]): Promise<TestRun> {
  const { directory } = await prepareApplication(fixture);
  const ingest = await startIngest(["http://localhost"]);
  ingest.respondWith(() => buildAnswer(202)); // Node's fetch() names no origin
  try {
    const { code, output } = await runProcess("node", {
      args,
      cwd: directory,
      env: { NO_COLOR: "1", CI: "1", ENDPOINT: ingest.endpoint },
      isQuiet: true,
      timeoutMs: LIMIT_MS,
    });
    assertEquals(code, 0, output);
    const names = ingest.requests.flatMap(({ body }) => body.events.map(({ name }) => name));
    return { output, names: names.filter((name) => name !== "queued").sort() };
  } finally {
    await ingest.close();
  }
}

function countMatches(text: string, pattern: RegExp): number {
  return text.match(pattern)?.length ?? 0;
}

Deno.test("Jest with jsdom: tests that use the SDK leave no open handle, and Jest ends by itself", async () => {
  const { output, names } = await runTests("jest_jsdom", ["node_modules/jest/bin/jest.js", "--runInBand"]);

  assertMatch(output, /Tests:\s+4 passed, 4 total/);
  assertEquals(countMatches(output, /Left open: nothing/g), 3, output);
  assertNotMatch(output, /did not exit/);
  assertEquals(names, SENT);
});

Deno.test("Vitest with happy-dom: a test that uses the SDK leaves no open handle, and Vitest ends by itself", async () => {
  const { output, names } = await runTests("vitest_happy_dom", ["node_modules/vitest/vitest.mjs", "run"]);

  assertMatch(output, /Tests\s+3 passed \(3\)/);
  assertEquals(countMatches(output, /Left open: nothing/g), 2, output);
  assertEquals(names, SENT);
});

Deno.test("Node's test runner with happy-dom: a process that ends the SDK ends by itself", async () => {
  const { output, names } = await runTests("node_test_happy_dom", ["sign_up.test.js"]);

  assertMatch(output, /pass 3\n/);
  assertEquals(countMatches(output, /Left open: nothing/g), 1, output);
  assertEquals(names, SENT);
});
