/**
 * The program while somebody holds connections open, alone and behind nginx.
 *
 * @module
 */
import { assert, assertEquals, assertMatch } from "@std/assert";
import { FULL, headersOf } from "../ingest/fixtures.ts";
import { exchange } from "../ingest/server/http/raw_exchange.ts";
import { type RunningIngest, startIngest } from "./ingest_process.ts";
import { until } from "./traffic.ts";
import { startNginx } from "./proxies.ts";
import { bundleOnce, KEY_ARGS, MEMORY_ARGS, send, testBoth } from "./program.ts";
import { startStalling } from "./stalling_senders.ts";

/** Sends as a page does, one request after the other, each over a connection of its own; tells their times. */
async function sendWell(endpoint: string, count: number, headers: Record<string, string> = {}): Promise<number[]> {
  const times: number[] = [];
  for (let sent = 0; sent < count; sent++) {
    const startMs = performance.now();
    const answer = await fetch(endpoint, {
      method: "POST",
      headers: headersOf({ ...headers, Connection: "close" }),
      body: JSON.stringify(FULL),
    });
    await answer.body?.cancel();
    assertEquals(answer.status, 202);
    times.push(performance.now() - startMs);
  }
  return times;
}

async function readMetric({ origin }: RunningIngest, name: string): Promise<number> {
  const metrics = await (await fetch(`${origin}/metrics`)).text();
  return Number(metrics.split("\n").find((line) => line.startsWith(`vendor_ingest_${name} `))?.split(" ").at(-1) ?? 0);
}

testBoth("answers everyone while 500 connections stall their bodies, and are opened anew", async (options) => {
  const ingest = await startIngest(MEMORY_ARGS, options);
  const port = Number(new URL(ingest.origin).port);
  const silent = [exchange(port, ""), exchange(port, "POST /v1/events HTTP/1.1\r\nHost:")];

  const senders = startStalling(port, { connections: 500 });
  await until("stalling", async () => await readMetric(ingest, "bodies_waiting") >= 500);
  const times = await sendWell(ingest.endpoint, 50);
  await until("opened anew", () => senders.opened() >= 1_000);
  times.push(...await sendWell(ingest.endpoint, 50));
  const slow = await readMetric(ingest, 'bodies_refused_total{bound="rate"}');
  const answers = await Promise.all(silent);
  await senders.stop();
  await ingest.end();

  times.sort((one, other) => one - other);
  const p99Ms = times[98] ?? Infinity;
  console.log(`${senders.opened()} connections, ${slow} ended as too slow; p99 of 100 requests ${p99Ms.toFixed(0)} ms`);
  assert(p99Ms < 1_000, `${p99Ms} ms`);
  assert(slow >= 500, `${slow} ended as too slow`);
  for (const { text } of answers) assertMatch(text, /^HTTP\/1\.1 408 .*access-control-allow-origin: \*/is);
});

testBoth("bounds what a sender holds open behind nginx, and nobody else", async (options) => {
  const ingest = await startIngest([...MEMORY_ARGS, "--trust-proxy", "127.0.0.1"], options);
  const nginx = await startNginx(ingest.origin);
  const [bad, good] = ["203.0.113.9", "203.0.113.10"].map((address) => ({ "X-Forwarded-For": address }));

  const senders = startStalling(nginx.port, { connections: 200, ...(bad && { headers: bad }) });
  await until("turned away", async () => await readMetric(ingest, 'bodies_refused_total{bound="address"}') >= 100);
  const waiting = await readMetric(ingest, "bodies_waiting");
  const times = await sendWell(`http://127.0.0.1:${nginx.port}/v1/events`, 50, good);
  await senders.stop();
  await nginx.stop();
  await ingest.end();

  assert(waiting <= 100, `${waiting} bodies wait`);
  // Behind a body that stalls, one would wait for the 5 s that this has.
  assert(Math.max(...times) < 4_000, `${Math.max(...times)} ms`);
});

/** Takes all file descriptors of an ingest, and gives them back after a while. */
async function exhaust({ origin }: RunningIngest): Promise<void> {
  const { hostname, port } = new URL(origin);
  const idle = await Promise.all(Array.from({ length: 300 }, () => Deno.connect({ hostname, port: Number(port) })));
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  for (const connection of idle) connection.close();
}

Deno.test("ingest on Node: answers again once it has file descriptors again", async () => {
  const ingest = await startIngest(MEMORY_ARGS, { nodeProgram: await bundleOnce(), descriptors: 256 });

  await exhaust(ingest);
  await until("answered", async () => {
    const answer = await send(ingest, JSON.stringify(FULL), AbortSignal.timeout(1_000)).catch(() => undefined);
    await answer?.body?.cancel();
    return answer?.status === 202;
  });
  const { code } = await ingest.end();

  assertEquals(code, 0);
});

Deno.test("ingest on Deno: says that it accepts nothing any more after it had no file descriptor left, and ends with 1", async () => {
  const ingest = await startIngest(MEMORY_ARGS, { descriptors: 256 });

  await exhaust(ingest);
  await ingest.until('"stopped"');
  const { code, stdout, stderr } = await ingest.ended;

  assertEquals(code, 1);
  assertMatch(stdout, /"level":"error","message":"stopping","reason":"no connection is accepted any more/);
  assertMatch(stderr, /^ingest: no connection is accepted any more, .+$/m);
});

/** Has more answered than its log fits into what is between it and a reader that stalls. */
async function sendWhileStalled(ingest: RunningIngest): Promise<ReadonlySet<number>> {
  const resume = ingest.stallOutput();
  const statuses = new Set<number>();
  for (let round = 0; round < 40; round++) {
    const answers = await Promise.all(Array.from({ length: 100 }, () => fetch(`${ingest.origin}/nowhere`)));
    await Promise.all(answers.map((answer) => answer.text()));
    for (const { status } of answers) statuses.add(status);
  }
  resume();
  return statuses;
}

testBoth("goes on while its log isn't read", async (options) => {
  const ingest = await startIngest([...KEY_ARGS, "--sink", "memory", "--log-level", "debug"], options);

  const statuses = await sendWhileStalled(ingest);
  const { code, stdout } = await ingest.end();

  assertEquals([statuses, code], [new Set([404]), 0]);
  assertEquals(stdout.match(/"message":"request"/g)?.length, 4_000);
});

Deno.test("ingest on Node: goes on while its terminal stands still", async () => {
  // util-linux's terminal, whose command is one text.
  const args = ["-c", `exec script -qc "exec node ${await bundleOnce()} $*" /dev/null`, "sh"];
  const launcher = { command: "sh", args };
  const ingest = await startIngest([...MEMORY_ARGS, "--log-level", "debug"], { launcher });

  const statuses = await sendWhileStalled(ingest);
  await ingest.end();

  assertEquals(statuses, new Set([404]));
});
