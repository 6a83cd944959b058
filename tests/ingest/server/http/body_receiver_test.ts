import { assert, assertEquals } from "@std/assert";
import {
  type BodyBound,
  type BodyLimits,
  type BodyReceiver,
  createBodyReceiver,
} from "../../../../src/ingest/server/http/body_receiver.ts";
import { answerBusy } from "../../../../src/ingest/server/http/answer_busy.ts";
import { toNetwork } from "../../../../src/ingest/contract/syntax.ts";
import { fromRequest } from "../../../../src/ingest/http/request.ts";
import { createExchange } from "../../../../src/ingest/stages.ts";
import { post } from "../../fixtures.ts";

const UNLIMITED: BodyLimits = {
  bytes: 1e9,
  bodiesPerAddress: 1e9,
  graceMs: 1e9,
  bytesPerS: 1e9,
  timeMs: 1e9,
};

function setUp(limits: Partial<BodyLimits>): { receiver: BodyReceiver; bounds: BodyBound[] } {
  const bounds: BodyBound[] = [];
  const receiver = createBodyReceiver({
    limits: { ...UNLIMITED, ...limits },
    turnAway: answerBusy,
    onBound: (bound) => bounds.push(bound),
  });
  return { receiver, bounds };
}

/** Starts a body of so many bytes; `end()` sends its last. */
function startBody(receiver: BodyReceiver, size: number, address?: string) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const arrival = { address, country: undefined, network: address && toNetwork(address), startMs: performance.now() };
  const exchange = createExchange(fromRequest(post(readable)), arrival);
  const answer = receiver.receive(exchange).then((verdict) => {
    if (verdict === undefined) return exchange.body.byteLength;
    return `${verdict.status} ${"headers" in verdict ? verdict.headers["Retry-After"] : verdict.code}`;
  });
  writer.write(new Uint8Array(size)).catch(() => {});
  return { answer, end: () => writer.close() };
}

async function untilBytes(receiver: BodyReceiver, bytes: number): Promise<void> {
  while (receiver.bytes() !== bytes) await new Promise((next) => setTimeout(next));
}

Deno.test("createBodyReceiver() hands over bodies, and counts what is on its way", async () => {
  const { receiver, bounds } = setUp({});
  const [one, two] = [startBody(receiver, 10), startBody(receiver, 20)];
  await untilBytes(receiver, 30);

  assertEquals(receiver.bodies(), 2);
  await Promise.all([one.end(), two.end()]);
  assertEquals([await one.answer, await two.answer], [10, 20]);
  assertEquals([receiver.bodies(), receiver.bytes(), bounds], [0, 0, []]);
});

Deno.test("createBodyReceiver() turns the oldest away where there are too many bytes, and takes the new one", async () => {
  const { receiver, bounds } = setUp({ bytes: 100 });
  const stalled = startBody(receiver, 60);
  await untilBytes(receiver, 60);

  const honest = startBody(receiver, 50);

  assertEquals([await stalled.answer, bounds], ["503 2", ["bytes"]]);
  await honest.end();
  assertEquals([await honest.answer, receiver.bytes()], [50, 0]);
});

Deno.test("createBodyReceiver() bounds the bodies of an address, and of nobody whose address isn't known", async () => {
  const { receiver, bounds } = setUp({ bodiesPerAddress: 1 });
  const first = startBody(receiver, 1, "2001:db8::1");
  const unknown = [startBody(receiver, 1), startBody(receiver, 1)];

  const neighbour = await startBody(receiver, 1, "2001:db8::2").answer;
  const stranger = startBody(receiver, 1, "2001:db8:0:1::1");
  await Promise.all([first, stranger, ...unknown].map(({ end }) => end()));
  const answers = await Promise.all([first, stranger, ...unknown].map(({ answer }) => answer));
  const again = startBody(receiver, 1, "2001:db8::1");
  await again.end();

  assertEquals([neighbour, answers, bounds], ["429 2", [1, 1, 1, 1], ["address"]]);
  assertEquals(await again.answer, 1);
});

Deno.test("createBodyReceiver() ends a body that is too slow, and waits longer for one of which more is here", async () => {
  const { receiver, bounds } = setUp({ graceMs: 20, bytesPerS: 1_000, timeMs: 10_000 });
  const ended: string[] = [];

  const slow = startBody(receiver, 1);
  const faster = startBody(receiver, 300);
  const answers = [
    slow.answer.then((answer) => ended.push(`slow ${answer}`)),
    faster.answer.then((answer) => ended.push(`faster ${answer}`)),
  ];
  const startMs = performance.now();
  await Promise.all(answers);

  assertEquals(ended, ["slow 503 incomplete_body", "faster 503 incomplete_body"]);
  assertEquals([bounds, receiver.bodies(), receiver.bytes()], [["rate", "rate"], 0, 0]);
  assert(performance.now() - startMs > 250);
});
