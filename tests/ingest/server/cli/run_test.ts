import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { stub } from "@std/testing/mock";
import { run } from "../../../../src/ingest/server/cli/run.ts";
import { SDK_VERSION } from "../../../../src/client/base/version.ts";
import { createFileSink } from "../../../../src/ingest/mod.ts";
import { buildPageview, SITE } from "../../reports/fixtures.ts";
import { KEY as REPORT_KEY, storeEvents } from "../../reports/report_store.ts";
import { withDirectory } from "../../stores/file/in_thread.ts";

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
  const nowhere = await runQuietly([...key, "--sink", "nats:me:secret@x"]);
  const sinkless = await runQuietly([...key, "--sink", "file:/no/such/directory/events"]);

  assertEquals([unknown.code, keyless.code, nowhere.code, sinkless.code], [2, 2, 2, 1]);
  assertMatch(unknown.errors, /^ingest: .+$/);
  assertMatch(keyless.errors, /^ingest: there is no key/);
  assertMatch(nowhere.errors, /^ingest: sink nats: must list servers as host:port/);
  assertMatch(sinkless.errors, /^ingest: the sink can't be used/);
});

Deno.test("run() ends with 3 where there is an alert, and with 0 where there is none", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const views = Array.from(
      { length: 100 },
      () => buildPageview({ timestamp: "2026-03-03T12:00:00.000Z", pageUrl: `${SITE}/`, collection: "full" }),
    );
    const late = views.map(() =>
      buildPageview({ timestamp: "2026-03-10T12:00:00.000Z", pageUrl: `${SITE}/`, collection: "aggregate" })
    );
    await storeEvents(sink, [...views, ...late]);
    await sink.close();
    const args = ["alert", "--key", REPORT_KEY, "--sink", `file:${path}`];

    const alert = await runQuietly([...args, "--day", "2026-03-10"]);
    const quiet = await runQuietly([...args, "--day", "2026-03-17"]);
    const wrong = await runQuietly([...args, "--day", "today"]);

    assertEquals([alert.code, quiet.code, wrong.code], [3, 0, 2]);
    assertMatch(
      alert.output,
      /^https:\S+, Tue 10 Mar 2026: the share of pageviews with consent was 0%, and 100% .*\.$/,
    );
    assertEquals([quiet.output, alert.errors], ["", ""]);
  }));
