import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { FULL, headersOf } from "../ingest/fixtures.ts";
import { type RunningIngest, startIngest } from "./ingest_process.ts";
import { KEY_ARGS, MEMORY_ARGS, newFolder, send, testBoth, testOnce } from "./program.ts";

function linesOf(log: string, message: string): readonly Record<string, unknown>[] {
  const lines = log.trim().split("\n").map((line) => JSON.parse(line));
  return lines.filter((line) => line.message === message).map(({ time: _, message: __, ...fields }) => fields);
}

async function statusOf(url: string, init: RequestInit = {}): Promise<number> {
  const answer = await fetch(url, init);
  await answer.body?.cancel();
  return answer.status;
}

async function sendBody(ingest: RunningIngest, body: string): Promise<number> {
  const answer = await send(ingest, body);
  await answer.body?.cancel();
  return answer.status;
}

testBoth("shows its metrics to nobody else's machine unless told so", async (options) => {
  const ingest = await startIngest([...MEMORY_ARGS, "--host", "0.0.0.0"], options);
  const origin = ingest.origin.replace("0.0.0.0", "127.0.0.1");

  const statuses = [await statusOf(`${origin}/metrics`), await statusOf(`${origin}/healthz`)];
  await ingest.end();

  assertEquals(statuses, [404, 200]);
});

testBoth("shows its metrics at a port of their own, counters from the first scrape on", async (options) => {
  const ingest = await startIngest([...MEMORY_ARGS, "--metrics-port", "0"], options);
  const [line] = linesOf(await ingest.until('"listening"'), "listening");
  const { origin } = new URL(String(line?.metrics));

  const text = await (await fetch(`${origin}/metrics`)).text();
  const statuses = await Promise.all([
    statusOf(`${ingest.origin}/metrics`),
    statusOf(`${ingest.origin}/readyz`),
    statusOf(`${origin}/readyz`),
    statusOf(`${origin}/healthz`),
    statusOf(`${origin}/v1/events`, { method: "POST", headers: headersOf(), body: JSON.stringify(FULL) }),
  ]);
  const { code } = await ingest.end();

  assertEquals(statuses, [404, 200, 200, 200, 404]);
  for (
    const sample of [
      'requests_total{status="202"} 0',
      'requests_total{status="503"} 0',
      'events_accepted_total{key="key-1"} 0',
      'events_duplicate_total{key="key-1"} 0',
      'events_collected_total{collection="aggregate"} 0',
      'pageviews_collected_total{collection="aggregate",key="key-1"} 0',
      'refused_total{code="unknown_key",key=""} 0',
      'refused_total{code="overloaded",key=""} 0',
      'refused_total{code="rate_limited",key="key-1"} 0',
      'refused_total{code="refused_by_sink",key="key-1"} 0',
      'pageviews_over_allowance_total{key="key-1"} 0',
      'bodies_refused_total{bound="rate"} 0',
      "sink_ready 1",
    ]
  ) assertStringIncludes(text, `vendor_ingest_${sample}\n`);
  assertMatch(text, /^process_open_fds \d/m);
  assertEquals(code, 0);
});

testOnce("says where its reports are, and what it refused", async (options) => {
  const secret = "sk_test_0123456789";
  const sink = ["--sink", `file:${newFolder()}`];
  const ingest = await startIngest([...KEY_ARGS, ...sink], { ...options, env: { INGEST_REPORT_SECRET: secret } });
  const reports = `${ingest.origin}/reports`;
  const wrong = { headers: { Authorization: "Bearer sk_test_9876543210" } };

  const statuses = [
    await statusOf(reports),
    await statusOf(reports, wrong),
    await statusOf(reports, wrong),
    await sendBody(ingest, "{"),
    await sendBody(ingest, "{"),
    await sendBody(ingest, "{"),
  ];
  const { stdout } = await ingest.end();

  assertEquals(statuses, [401, 401, 401, 400, 400, 400]);
  assertEquals(linesOf(stdout, "listening").map((line) => line.reports), [reports]);
  assertEquals(linesOf(stdout, "refused"), [
    { level: "info", code: "wrong_report_secret", count: 1 },
    { level: "info", code: "malformed", key: "key-1", count: 1, reason: "body must be JSON" },
    { level: "info", code: "wrong_report_secret", count: 1 },
    { level: "info", code: "malformed", key: "key-1", count: 2, reason: "body must be JSON" },
  ]);
  assertEquals(stdout.includes("sk_test"), false);
});

testOnce("says that its sink is lost, and that it is back", async (options) => {
  const path = newFolder();
  const ingest = await startIngest([...KEY_ARGS, "--sink", `file:${path}`], options);
  const before = await sendBody(ingest, JSON.stringify(FULL));
  using other = new DatabaseSync(`${path}/tail.db`, { timeout: 10_000 });

  other.exec("BEGIN IMMEDIATE");
  const lost = await ingest.until('"the sink is lost"');
  const refused = await send(ingest, JSON.stringify(FULL));
  const { error } = await refused.json();
  other.exec("ROLLBACK");
  await ingest.until('"the sink is back"');
  const after = await sendBody(ingest, JSON.stringify(FULL));
  const { stdout } = await ingest.end();

  assertEquals([before, refused.status, error.code, after], [202, 503, "unavailable", 202]);
  assertEquals(linesOf(lost, "the sink is lost").map(({ level, sink }) => [level, sink]), [["warn", "file"]]);
  assertEquals(linesOf(stdout, "the sink is back").map(({ level, sink }) => [level, sink]), [["info", "file"]]);
  assertEquals(linesOf(stdout, "refused").map(({ code, count }) => [code, count]), [["unavailable", 1]]);
});
