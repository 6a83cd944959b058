import { assertEquals, assertMatch, assertStringIncludes, assertThrows } from "@std/assert";
import { stub } from "@std/testing/mock";
import { createReportRoutes, run } from "../../../../src/ingest/server/cli/run.ts";
import { SDK_VERSION } from "../../../../src/client/base/version.ts";
import { createFileSink, createIngest, createMemorySink } from "../../../../src/ingest/mod.ts";
import { createReferenceStore } from "../../reports/reference_store.ts";
import { createEventModel } from "../../reports/event_model.ts";
import { buildPageview, SITE } from "../../reports/fixtures.ts";
import { KEY as REPORT_KEY, storeEvents } from "../../reports/report_store.ts";
import { withDirectory } from "../../stores/file/in_thread.ts";
import { createApp } from "../../../../src/ingest/server/http/app.ts";
import { listen } from "../../../../src/ingest/server/http/listen.ts";
import { UNKNOWN } from "../../../../src/ingest/server/http/sender.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { AGGREGATE, KEY, NOW_MS, ORIGIN, post } from "../../fixtures.ts";

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

const SECRET = "sk_test_0123456789";
const refusals = { add: () => {} };
const KEYS = [{ apiKey: KEY, origins: [ORIGIN], secretKey: SECRET, pageviewAllowance: 100 }] as const;

Deno.test("createReportRoutes() tells how much of the month's allowance is used", async () => {
  const { sink, eventsOf } = createEventModel();
  const opened = { sink, reader: createReferenceStore(eventsOf), close: sink.close };
  await createIngest({ keys: KEYS, sink, now: () => NOW_MS })(post(AGGREGATE));

  const [route] = createReportRoutes(KEYS, { opened, log: () => {}, now: () => NOW_MS, refusals });
  const answer = await route?.(
    new Request("http://localhost/reports?format=json", { headers: { Authorization: `Bearer ${SECRET}` } }),
    UNKNOWN,
  );

  assertEquals((await answer?.json()).allowance, { used: 1, limit: 100, month: "2026-03" });
});

Deno.test("createReportRoutes() reads the form for one person, whose body the server keeps apart", async () => {
  const { sink, eventsOf } = createEventModel();
  const opened = { sink, reader: createReferenceStore(eventsOf), close: sink.close };
  const routes = createReportRoutes(KEYS, { opened, log: () => {}, now: () => NOW_MS, refusals });
  const app = createApp({
    keys: KEYS,
    sink,
    path: "/v1/events",
    maxPending: 10,
    requestTimeoutMs: 1_000,
    log: () => {},
    routes,
  });
  const listener = await listen({ host: "127.0.0.1", port: 0, requestTimeoutMs: 1_000, handle: app.handle });
  const read = async (userId: string): Promise<unknown> => {
    const answer = await fetch(`http://127.0.0.1:${listener.port}/reports?view=person&format=json`, {
      method: "POST",
      headers: { Authorization: `Bearer ${SECRET}` },
      body: new URLSearchParams({ userId }),
    });
    const { of, error } = await answer.json();
    return [answer.status, of ?? error.code];
  };

  const answers = [await read("ada"), await read("a".repeat(20_000))];
  await listener.stop();

  assertEquals(answers, [[200, { userId: "ada" }], [413, "body_too_large"]]);
});

Deno.test("createReportRoutes() leads from the address of the ingest to the reports", async () => {
  const { sink, eventsOf } = createEventModel();
  const opened = { sink, reader: createReferenceStore(eventsOf), close: sink.close };

  const [route] = createReportRoutes(KEYS, { opened, log: () => {}, now: () => NOW_MS, refusals });
  const answer = await route?.(new Request("http://localhost/"), UNKNOWN);
  const posted = await route?.(new Request("http://localhost/", { method: "POST" }), UNKNOWN);

  assertEquals([answer?.status, answer?.headers.get("Location"), posted], [302, "reports", undefined]);
});

Deno.test("createReportRoutes() makes none without a secret, and refuses a sink that can't be read", () => {
  const sink = createMemorySink();
  const options = { opened: { sink, close: sink.close }, log: () => {}, now: () => NOW_MS, refusals };

  assertEquals(createReportRoutes([{ apiKey: KEY, origins: "any" }], options), []);
  assertThrows(
    () => createReportRoutes(KEYS, options),
    ServerFault,
    "this sink has no reports: they need a folder, or --reports clickhouse:URL",
  );
});
