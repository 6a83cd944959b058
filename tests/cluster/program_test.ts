import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { gzipSync } from "node:zlib";
import { FULL, headersOf, manyEvents, ORIGIN } from "../ingest/fixtures.ts";
import { commandLine, startIngest } from "./ingest_process.ts";
import {
  KEY_ARGS,
  MEMORY_ARGS,
  newFolder,
  send,
  testBoth,
  testBothWithFolder,
  testOnce,
  untilCounted,
} from "./program.ts";

testBoth("receives events, answers its operator and ends on SIGTERM", async (options) => {
  const ingest = await startIngest(MEMORY_ARGS, options);

  const answer = await send(ingest, JSON.stringify({ ...FULL, events: manyEvents(50) }));
  const readiness = await fetch(`${ingest.origin}/readyz`);
  const metrics = await (await fetch(`${ingest.origin}/metrics`)).text();
  const { code, stdout, stderr } = await ingest.end("SIGTERM");

  assertEquals([answer.status, await answer.json()], [202, { accepted: 50, duplicates: 0 }]);
  assertEquals([readiness.status, await readiness.text()], [200, "ready\n"]);
  assertStringIncludes(metrics, 'vendor_ingest_events_accepted_total{key="key-1"} 50\n');
  for (const name of ["process_resident_memory_bytes", "process_open_fds", "nodejs_eventloop_lag_p99_seconds"]) {
    assertMatch(metrics, new RegExp(`^${name} \\d`, "m"));
  }
  assertEquals([code, stderr, messages(stdout)], [0, "", ["listening", "stopping", "stopped"]]);
});

testBoth("answers a preflight, and bodies that are refused or too long", async (options) => {
  const ingest = await startIngest(MEMORY_ARGS, options);

  const preflight = await fetch(ingest.endpoint, { method: "OPTIONS", headers: { Origin: ORIGIN } });
  const tooLong = await send(ingest, "x".repeat(1_900_000));
  const nowhere = await fetch(`${ingest.origin}/nowhere`, { method: "POST", body: "x".repeat(1_900_000) });
  const malformed = await send(ingest, "{");
  const found = await send(ingest, JSON.stringify(FULL));
  const [half, rest] = [JSON.stringify(FULL).slice(0, 50), JSON.stringify(FULL).slice(50)];
  const twoMembers = await fetch(ingest.endpoint, {
    method: "POST",
    headers: headersOf({ "Content-Encoding": "gzip" }),
    body: Uint8Array.from([...gzipSync(half), ...gzipSync(rest)]),
  });
  const answers = [preflight, tooLong, nowhere, malformed, found, twoMembers];
  await Promise.all(answers.map((answer) => answer.text()));
  await ingest.end();

  assertEquals(answers.map(({ status }) => status), [204, 413, 404, 400, 202, 400]);
  assertEquals(
    answers.map(({ headers }) => headers.get("Access-Control-Allow-Origin")),
    [ORIGIN, ORIGIN, "*", ORIGIN, ORIGIN, ORIGIN], // the one to nowhere names no origin
  );
});

testBoth("finishes the request under way when it ends, and takes no new one", async (options) => {
  const ingest = await startIngest(MEMORY_ARGS, options);
  const half = Promise.withResolvers<void>();
  const [start, rest] = [JSON.stringify(FULL).slice(0, 20), JSON.stringify(FULL).slice(20)].map((text) =>
    new TextEncoder().encode(text)
  );
  const body = new ReadableStream({
    async start(controller): Promise<void> {
      controller.enqueue(start);
      await half.promise;
      controller.enqueue(rest);
      controller.close();
    },
  });

  const answering = send(ingest, body);
  await untilCounted(ingest, "bodies_waiting 1");
  const ending = ingest.end("SIGTERM");
  await ingest.until('"stopping"');
  const late = await send(ingest, JSON.stringify(FULL));
  const readiness = await fetch(`${ingest.origin}/readyz`);
  await Promise.all([late.text(), readiness.text()]);
  half.resolve();
  const answer = await answering;
  const { code, stdout } = await ending;

  assertEquals([late.status, late.headers.get("Retry-After"), readiness.status], [503, "2", 503]);
  assertEquals([answer.status, await answer.json()], [202, { accepted: 1, duplicates: 0 }]);
  assertEquals([code, messages(stdout).at(-1)], [0, "stopped"]);
});

testBoth("ends after its grace period though a request hangs", async (options) => {
  const ingest = await startIngest([...MEMORY_ARGS, "--grace", "200"], options);
  const hanging = Promise.withResolvers<void>();
  const body = new ReadableStream({
    async start(controller): Promise<void> {
      controller.enqueue(new TextEncoder().encode("{"));
      await hanging.promise;
      controller.close();
    },
  });
  const answering = send(ingest, body).catch(() => undefined);
  await untilCounted(ingest, "bodies_waiting 1");

  const { code } = await ingest.end("SIGINT");
  hanging.resolve();
  await (await answering)?.text();

  assertEquals(code, 0);
});

testBothWithFolder("ends after its grace period though its sink hangs", async (options) => {
  const path = newFolder();
  const ingest = await startIngest([...KEY_ARGS, "--sink", `file:${path}`, "--grace", "200"], options);
  using other = new DatabaseSync(`${path}/tail.db`, { timeout: 10_000 });
  other.exec("BEGIN IMMEDIATE");
  const answering = send(ingest, JSON.stringify(FULL)).catch(() => undefined);
  await untilCounted(ingest, "requests_pending 1");

  const { code, stdout } = await ingest.end();
  const answer = await answering;
  other.exec("ROLLBACK");

  // The sink gives up after 10 s, and would have answered then.
  assertEquals([code, messages(stdout), answer], [
    0,
    ["listening", "no event is deleted by age", "stopping", "stopped"],
    undefined,
  ]);
});

testBoth("goes on, and ends as it should, when nobody reads its log any more", async (options) => {
  const ingest = await startIngest([...MEMORY_ARGS, "--log-level", "debug"], options);
  await ingest.closeOutput();

  const answers = [await send(ingest, JSON.stringify(FULL)), await send(ingest, JSON.stringify(FULL))];
  await Promise.all(answers.map((answer) => answer.text()));
  const { code, stderr } = await ingest.end();

  assertEquals(answers.map(({ status }) => status), [202, 202]);
  assertEquals([code, stderr], [0, ""]);
});

testBoth("answers 503 to a body that stalls", async (options) => {
  const ingest = await startIngest([...MEMORY_ARGS, "--request-timeout", "200"], options);
  const { hostname, port } = new URL(ingest.origin);
  const connection = await Deno.connect({ hostname, port: Number(port) });
  const head = [...headersOf({ "Content-Length": "5000" })].map(([name, value]) => `${name}: ${value}\r\n`).join("");
  await connection.write(new TextEncoder().encode(`POST /v1/events HTTP/1.1\r\nHost: x\r\n${head}\r\n{"type":`));

  const buffer = new Uint8Array(1_000);
  const text = new TextDecoder().decode(buffer.subarray(0, await connection.read(buffer) ?? 0));
  connection.close();
  const metrics = await (await fetch(`${ingest.origin}/metrics`)).text();
  await ingest.end();

  assertMatch(text, /^HTTP\/1\.1 503 /);
  assertMatch(text, /retry-after: 5\r\n/i);
  assertStringIncludes(metrics, "vendor_ingest_bodies_waiting 0\n");
  assertStringIncludes(metrics, 'vendor_ingest_bodies_refused_total{bound="rate"} 1\n');
});

testBoth("takes a sender that goes in the middle of its body for no error of its own", async (options) => {
  const ingest = await startIngest([...MEMORY_ARGS, "--log-level", "debug"], options);
  const { hostname, port } = new URL(ingest.origin);
  const head = [...headersOf({ "Content-Length": "5000" })].map(([name, value]) => `${name}: ${value}\r\n`).join("");

  const connection = await Deno.connect({ hostname, port: Number(port) });
  await connection.write(new TextEncoder().encode(`POST /v1/events HTTP/1.1\r\nHost: x\r\n${head}\r\n{"type":`));
  await untilCounted(ingest, "bodies_waiting 1");
  connection.close();
  const log = await ingest.until('"message":"request"');
  const metrics = await (await fetch(`${ingest.origin}/metrics`)).text();
  const { code } = await ingest.end();

  assertStringIncludes(metrics, 'vendor_ingest_refused_total{code="incomplete_body",key="key-1"} 1\n');
  assertMatch(log, /"level":"debug","message":"request","method":"POST","status":503/);
  assertEquals([code, log.includes('"level":"error"')], [0, false]);
});

testOnce("shows reports to who knows the secret", async (options) => {
  const secret = "sk_test_0123456789";
  const sink = ["--sink", `file:${newFolder()}`];
  const ingest = await startIngest([...KEY_ARGS, ...sink], { ...options, env: { INGEST_REPORT_SECRET: secret } });
  await (await send(ingest, JSON.stringify(FULL))).text();

  const refused = await fetch(`${ingest.origin}/reports`);
  const report = await fetch(`${ingest.origin}/reports?view=steps&format=json`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  const [, text] = await Promise.all([refused.text(), report.text()]);
  const { stdout } = await ingest.end();

  assertEquals([refused.status, report.status], [401, 200]);
  assertStringIncludes(text, '"Checkout started"');
  assertEquals(stdout.includes(secret), false);
});

testOnce("makes the only key a secret, which no output but a terminal has", async (options) => {
  const path = newFolder();
  const ingest = await startIngest([...KEY_ARGS, "--sink", `file:${path}`], options);

  const secret = (await Deno.readTextFile(`${path}-report-secret`)).trim();
  const headers = { Authorization: `Bearer ${secret}` };
  const report = await fetch(`${ingest.origin}/reports?format=json`, { headers });
  await report.body?.cancel();
  const { stdout, stderr } = await ingest.end();

  assertEquals([report.status, stdout.includes(secret), stderr], [200, false, ""]);
  assertStringIncludes(stdout, `"secretFile":"${path}-report-secret"`);
});

testBothWithFolder("shows a terminal the secret once", async (options) => {
  const path = newFolder();
  const args = [...KEY_ARGS, "--sink", `file:${path}`];
  const [program = "", ...programArgs] = commandLine([], options);
  // `script` runs a command line on a terminal of its own.
  const onTerminal = ["-c", 'exec script -qec "$*" /dev/null', "sh", program, ...programArgs];
  const launcher = { command: "sh", args: onTerminal };

  const first = await (await startIngest(args, { launcher })).end();
  const second = await (await startIngest(args, { launcher })).end();

  const secret = (await Deno.readTextFile(`${path}-report-secret`)).trim();
  assertStringIncludes(first.stdout, `/reports opens with any user name and the password ${secret}`);
  assertEquals(second.stdout.includes(secret), false);
});

Deno.test("ingest on Deno: keeps events in a folder over a restart", async () => {
  const args = [...KEY_ARGS, "--sink", `file:${newFolder()}`];
  const body = JSON.stringify(FULL);

  const first = await startIngest(args);
  const before = await (await send(first, body)).json();
  await first.end();
  const second = await startIngest(args);
  const after = await (await send(second, body)).json();
  await second.end();

  assertEquals([before, after], [{ accepted: 1, duplicates: 0 }, { accepted: 0, duplicates: 1 }]);
});

function messages(stdout: string): string[] {
  return stdout.trim().split("\n").map((line) => JSON.parse(line).message);
}
