/**
 * The program under more than it can take, and while its endpoint is away.
 *
 * @module
 */
import { assert, assertEquals, assertStringIncludes } from "@std/assert";
import { FULL, KEY, manyEvents } from "../ingest/fixtures.ts";
import { type RunningIngest, startIngest } from "./ingest_process.ts";
import { KEY_ARGS, send, testBoth } from "./program.ts";

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
