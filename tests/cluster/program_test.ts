/**
 * The program as a process, on Deno and, bundled as the npm package has it, on Node.
 *
 * @module
 */
import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { FULL, headersOf, KEY, manyEvents, ORIGIN } from "../ingest/fixtures.ts";
import {
  bundleForNode,
  type IngestProcessOptions,
  runIngest,
  type RunningIngest,
  startIngest,
} from "./ingest_process.ts";

const KEY_ARGS = ["--key", `${KEY}=${ORIGIN}`] as const;
const MEMORY_ARGS = [...KEY_ARGS, "--sink", "memory"] as const;

const directory = Deno.makeTempDirSync();
let nodeProgram: string | undefined;
globalThis.addEventListener("unload", () => Deno.removeSync(directory, { recursive: true }));

/** Registers a test for both. */
function testBoth(name: string, test: (options: IngestProcessOptions) => Promise<void>): void {
  Deno.test(`ingest on Deno: ${name}`, () => test({}));
  Deno.test(`ingest on Node: ${name}`, async () => {
    nodeProgram ??= await bundleForNode(directory);
    await test({ nodeProgram });
  });
}

function send({ endpoint }: RunningIngest, body: BodyInit, headers: Record<string, string> = {}): Promise<Response> {
  return fetch(endpoint, { method: "POST", headers: headersOf(headers), body });
}

function messages(stdout: string): string[] {
  return stdout.trim().split("\n").map((line) => JSON.parse(line).message);
}

testBoth("receives events, answers its operator and ends on SIGTERM", async (options) => {
  const ingest = await startIngest(MEMORY_ARGS, options);

  const answer = await send(ingest, JSON.stringify({ ...FULL, events: manyEvents(50) }));
  const readiness = await fetch(`${ingest.origin}/readyz`);
  const metrics = await (await fetch(`${ingest.origin}/metrics`)).text();
  const { code, stdout, stderr } = await ingest.end("SIGTERM");

  assertEquals([answer.status, await answer.json()], [202, { accepted: 50, duplicates: 0 }]);
  assertEquals([readiness.status, await readiness.text()], [200, "ready\n"]);
  assertStringIncludes(metrics, 'vendor_ingest_events_accepted_total{key="key-1"} 50\n');
  assertEquals([code, stderr, messages(stdout)], [0, "", ["listening", "stopping", "stopped"]]);
});

testBoth("answers a preflight, and bodies that are refused or too long", async (options) => {
  const ingest = await startIngest(MEMORY_ARGS, options);

  const preflight = await fetch(ingest.endpoint, { method: "OPTIONS", headers: { Origin: ORIGIN } });
  const tooLong = await send(ingest, "x".repeat(1_900_000));
  const nowhere = await fetch(`${ingest.origin}/nowhere`, { method: "POST", body: "x".repeat(1_900_000) });
  const malformed = await send(ingest, "{");
  const found = await send(ingest, JSON.stringify(FULL));
  const answers = [preflight, tooLong, nowhere, malformed, found];
  await Promise.all(answers.map((answer) => answer.text()));
  await ingest.end();

  assertEquals(answers.map(({ status }) => status), [204, 413, 404, 400, 202]);
  assertEquals(answers.map(({ headers }) => headers.get("Access-Control-Allow-Origin")), ["*", "*", "*", "*", "*"]);
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
  await untilPending(ingest);
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
  await untilPending(ingest);

  const { code } = await ingest.end("SIGINT");
  hanging.resolve();
  await (await answering)?.text();

  assertEquals(code, 0);
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
  assertStringIncludes(metrics, "vendor_ingest_requests_pending 0\n");
});

testBoth("says in one line that its port is in use", async (options) => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const { port } = listener.addr;

  const { code, stderr } = await runIngest([...MEMORY_ARGS, "--port", `${port}`], options);

  assertEquals([code, stderr], [1, `ingest: can't listen on 127.0.0.1 port ${port}: the port is in use\n`]);
});

testBoth("says in one line what is wrong with its arguments", async (options) => {
  const unknown = await runIngest(["--prot", "1"], options);
  const badOrigin = await runIngest(["--key", "pk_1=shop.example", "--sink", "memory"], options);
  const twice = await runIngest(["--key", "pk_1=any", "--key", "pk_1=any", "--sink", "memory"], options);

  assertEquals([unknown.code, unknown.stderr], [2, "ingest: Unknown option '--prot', see --help\n"]);
  assertEquals(badOrigin.code, 2);
  assertMatch(
    badOrigin.stderr,
    /^ingest: keys\[0\]\.origins\[0\] must be an origin such as "https:\/\/shop\.example"\n$/,
  );
  assertEquals([twice.code, twice.stderr], [2, "ingest: keys[1].apiKey is listed twice\n"]);
});

testBoth("says in one line that its sink can't be used", async (options) => {
  const forward = await runIngest([...KEY_ARGS, "--sink", "forward:http://127.0.0.1:1/v1/events"], options);
  const badUrl = await runIngest([...KEY_ARGS, "--sink", "forward:ingest.example"], options);

  assertEquals([forward.code, badUrl.code], [1, 1]);
  assertMatch(forward.stderr, /^ingest: the sink can't be used: the endpoint of the forward sink didn't answer: .+\n$/);
  assertEquals(
    badUrl.stderr,
    "ingest: the sink can't be used: url must be an http or https URL without credentials\n",
  );
});

testBoth("shows its help and its version", async (options) => {
  const help = await runIngest(["--help"], options);
  const version = await runIngest(["--version"], options);

  assertEquals([help.code, version.code, version.stdout], [0, 0, "0.1.0\n"]);
  assertStringIncludes(help.stdout, "--key KEY=SITES");
});

testBoth("answers 503 under overload, and doesn't grow", async (options) => {
  const hanging = Promise.withResolvers<void>();
  let taken = 0;
  const upstream = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, async ({ method }) => {
    if (method === "POST") {
      taken += 1;
      await hanging.promise;
    }
    return new Response("ok");
  });
  const sink = `forward:http://127.0.0.1:${upstream.addr.port}/v1/events`;
  const ingest = await startIngest([...KEY_ARGS, "--sink", sink, "--max-pending", "8"], options);
  const properties = { text: "y".repeat(9_000) };
  const body = JSON.stringify({ ...FULL, events: manyEvents(90).map((event) => ({ ...event, properties })) });

  const held = Array.from({ length: 8 }, () => send(ingest, body));
  while (taken < 8) await new Promise((next) => setTimeout(next, 20));
  const statuses: string[] = [];
  for (let round = 0; round < 10; round++) {
    const answers = await Promise.all(Array.from({ length: 30 }, () => send(ingest, body)));
    await Promise.all(answers.map((answer) => answer.text()));
    statuses.push(...answers.map(({ status, headers }) => `${status} ${headers.get("Retry-After")}`));
  }
  const memory = readMemoryMiB(ingest);
  hanging.resolve();
  const late = await Promise.all(held);
  await Promise.all(late.map((answer) => answer.text()));
  await ingest.end();
  await upstream.shutdown();

  console.log(`${memory} MiB after 300 requests of ${body.length} bytes past the limit of 8`);
  assertEquals([statuses.length, new Set(statuses)], [300, new Set(["503 2"])]);
  assertEquals([taken, new Set(late.map(({ status }) => status))], [8, new Set([202])]);
  assert(memory < 400, `${memory} MiB`);
});

testBoth("keeps nothing of what its endpoint doesn't take, and goes on when it is back", async (options) => {
  const upstream = serveUpstream(0);
  const { port } = upstream.addr;
  const ingest = await startIngest([...KEY_ARGS, "--sink", `forward:http://127.0.0.1:${port}/v1/events`], options);
  const body = JSON.stringify(FULL);

  const before = await send(ingest, body);
  await upstream.shutdown();
  const during = await send(ingest, body);
  const readiness = await fetch(`${ingest.origin}/readyz`);
  const again = serveUpstream(port);
  const after = await send(ingest, body);
  await Promise.all([before, during, readiness, after].map((answer) => answer.text()));
  const { code, stdout } = await ingest.end();
  await again.shutdown();

  assertEquals([before.status, during.status, readiness.status, after.status], [202, 503, 503, 202]);
  assertEquals([during.headers.get("Retry-After"), code], ["5", 0]);
  assertStringIncludes(stdout, "the endpoint of the forward sink didn't answer");
  assertEquals(stdout.includes(KEY), false);
});

testBoth("shows reports to who knows the secret", async (options) => {
  const secret = "sk_test_0123456789";
  const ingest = await startIngest(MEMORY_ARGS, { ...options, env: { INGEST_REPORT_SECRET: secret } });
  await (await send(ingest, JSON.stringify(FULL))).text();

  const refused = await fetch(`${ingest.origin}/reports`);
  const report = await fetch(`${ingest.origin}/reports?format=json&from=2026-03-01&to=2026-03-01`, {
    headers: { Authorization: `Bearer ${secret}` },
  });
  const [, text] = await Promise.all([refused.text(), report.text()]);
  const { stdout } = await ingest.end();

  assertEquals([refused.status, report.status], [401, 200]);
  assertStringIncludes(text, '"Checkout started"');
  assertEquals(stdout.includes(secret), false);
});

Deno.test("ingest on Deno: has no reports of a sink that can't be read", async () => {
  const env = { INGEST_REPORT_SECRET: "sk_test_0123456789" };

  const { code, stderr } = await runIngest([...KEY_ARGS, "--sink", "sqlite::memory:"], { env });

  assertEquals([code, stderr], [1, "ingest: reports need the memory sink or a SQLite file\n"]);
});

Deno.test("ingest on Deno: says in one line that its database can't be written, or no cluster be reached", async () => {
  const path = `${directory}/missing/events.db`;

  const sqlite = await runIngest([...KEY_ARGS, "--sink", `sqlite:${path}`]);
  const nats = await runIngest([...KEY_ARGS, "--sink", "nats:127.0.0.1:1"]);

  assertEquals([sqlite.code, nats.code], [1, 1]);
  assertMatch(sqlite.stderr, /^ingest: the sink can't be used: the SQLite database "[^"]+" can't be used: unable.*\n$/);
  assertMatch(nats.stderr, /^ingest: the sink can't be used: NATS can't be reached at 127\.0\.0\.1:1: .+\n$/);
});

Deno.test("ingest on Node: says what it needs where there is no NATS client", async () => {
  nodeProgram ??= await bundleForNode(directory);

  const { code, stderr } = await runIngest([...KEY_ARGS, "--sink", "nats:127.0.0.1:1"], { nodeProgram });

  assertEquals(code, 1);
  assertStringIncludes(stderr, "needs the packages @nats-io/transport-node and @nats-io/jetstream");
});

Deno.test("ingest on Deno: keeps events in SQLite over a restart", async () => {
  const args = [...KEY_ARGS, "--sink", `sqlite:${directory}/events.db`];
  const body = JSON.stringify(FULL);

  const first = await startIngest(args);
  const before = await (await send(first, body)).json();
  await first.end();
  const second = await startIngest(args);
  const after = await (await send(second, body)).json();
  await second.end();

  assertEquals([before, after], [{ accepted: 1, duplicates: 0 }, { accepted: 0, duplicates: 1 }]);
});

async function untilPending({ origin }: RunningIngest): Promise<void> {
  for (;;) {
    const metrics = await (await fetch(`${origin}/metrics`)).text();
    if (metrics.includes("vendor_ingest_requests_pending 1\n")) return;
  }
}

function serveUpstream(port: number): Deno.HttpServer<Deno.NetAddr> {
  return Deno.serve({ hostname: "127.0.0.1", port, onListen: () => {} }, async (request) => {
    await request.body?.cancel();
    return new Response("ok");
  });
}

function readMemoryMiB({ pid }: RunningIngest): number {
  const kib = /VmRSS:\s+(\d+)/.exec(Deno.readTextFileSync(`/proc/${pid}/status`))?.[1];
  return Math.round(Number(kib) / 1_024);
}
