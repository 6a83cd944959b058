import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { stub } from "@std/testing/mock";
import { run } from "../../../src/ingest/server/run.ts";
import { SDK_VERSION } from "../../../src/version.ts";

/** Runs the program with its output caught. */
async function runQuietly(args: readonly string[]): Promise<{ code: number; output: string; errors: string }> {
  const lines: string[] = [];
  const errors: string[] = [];
  const log = stub(console, "log", (line: unknown) => void lines.push(String(line)));
  const error = stub(console, "error", (line: unknown) => void errors.push(String(line)));
  try {
    return { code: await run(args), output: lines.join("\n"), errors: errors.join("\n") };
  } finally {
    log.restore();
    error.restore();
  }
}

Deno.test("run() shows its help and its version", async () => {
  const help = await runQuietly(["--help"]);
  const version = await runQuietly(["--version"]);

  assertEquals([help.code, version.code], [0, 0]);
  assertStringIncludes(help.output, "--key");
  assertEquals(version.output, SDK_VERSION);
});

Deno.test("run() ends with 2 for a wrong setting, and with 1 when it can't start", async () => {
  const key = ["--key", "pk_1=https://shop.example"];

  const unknown = await runQuietly(["--no-such-flag"]);
  const keyless = await runQuietly([]);
  const nowhere = await runQuietly([...key, "--sink", "forward:ftp://x/"]);
  const sinkless = await runQuietly([...key, "--sink", "sqlite:/no/such/directory/events.db"]);

  assertEquals([unknown.code, keyless.code, nowhere.code, sinkless.code], [2, 2, 2, 1]);
  assertMatch(unknown.errors, /^ingest: .+$/);
  assertMatch(keyless.errors, /^ingest: there is no key/);
  assertMatch(nowhere.errors, /^ingest: sink forward: url must be an http or https URL/);
  assertMatch(sinkless.errors, /^ingest: the sink can't be used/);
});
