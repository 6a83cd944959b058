import { assert, assertEquals } from "@std/assert";
import {
  type ArrivalBound,
  type ArrivalLimits,
  type Arrivals,
  createArrivals,
} from "../../../../src/ingest/server/http/arrivals.ts";
import { answerBusy } from "../../../../src/ingest/server/http/gate.ts";
import { post } from "../../fixtures.ts";

const UNLIMITED: ArrivalLimits = {
  bytes: 1e9,
  bodiesPerAddress: 1e9,
  graceMs: 1e9,
  bytesPerS: 1e9,
  timeMs: 1e9,
};

function setUp(limits: Partial<ArrivalLimits>): { arrivals: Arrivals; bounds: ArrivalBound[] } {
  const bounds: ArrivalBound[] = [];
  const arrivals = createArrivals({
    limits: { ...UNLIMITED, ...limits },
    turnAway: answerBusy,
    onBound: (bound) => bounds.push(bound),
  });
  return { arrivals, bounds };
}

/** Starts a body of so many bytes; `end()` sends its last. */
function startBody(arrivals: Arrivals, size: number, address?: string) {
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const answer = arrivals.receive(post(readable), { address }).then((result) => {
    if (result instanceof Response) return `${result.status} ${result.headers.get("Retry-After")}`;
    return "status" in result ? `${result.status} ${result.code}` : result.byteLength;
  });
  writer.write(new Uint8Array(size)).catch(() => {});
  return { answer, end: () => writer.close() };
}

async function untilBytes(arrivals: Arrivals, bytes: number): Promise<void> {
  while (arrivals.bytes() !== bytes) await new Promise((next) => setTimeout(next));
}

Deno.test("createArrivals() hands over bodies, and counts what is on its way", async () => {
  const { arrivals, bounds } = setUp({});
  const [one, two] = [startBody(arrivals, 10), startBody(arrivals, 20)];
  await untilBytes(arrivals, 30);

  assertEquals(arrivals.bodies(), 2);
  await Promise.all([one.end(), two.end()]);
  assertEquals([await one.answer, await two.answer], [10, 20]);
  assertEquals([arrivals.bodies(), arrivals.bytes(), bounds], [0, 0, []]);
});

Deno.test("createArrivals() turns the oldest away where there are too many bytes, and takes the new one", async () => {
  const { arrivals, bounds } = setUp({ bytes: 100 });
  const stalled = startBody(arrivals, 60);
  await untilBytes(arrivals, 60);

  const honest = startBody(arrivals, 50);

  assertEquals([await stalled.answer, bounds], ["503 2", ["bytes"]]);
  await honest.end();
  assertEquals([await honest.answer, arrivals.bytes()], [50, 0]);
});

Deno.test("createArrivals() bounds the bodies of an address, and of nobody whose address isn't known", async () => {
  const { arrivals, bounds } = setUp({ bodiesPerAddress: 1 });
  const first = startBody(arrivals, 1, "2001:db8::1");
  const unknown = [startBody(arrivals, 1), startBody(arrivals, 1)];

  const neighbour = await startBody(arrivals, 1, "2001:db8::2").answer;
  const stranger = startBody(arrivals, 1, "2001:db8:0:1::1");
  await Promise.all([first, stranger, ...unknown].map(({ end }) => end()));
  const answers = await Promise.all([first, stranger, ...unknown].map(({ answer }) => answer));
  const again = startBody(arrivals, 1, "2001:db8::1");
  await again.end();

  assertEquals([neighbour, answers, bounds], ["429 2", [1, 1, 1, 1], ["address"]]);
  assertEquals(await again.answer, 1);
});

Deno.test("createArrivals() ends a body that is too slow, and waits longer for one of which more is here", async () => {
  const { arrivals, bounds } = setUp({ graceMs: 20, bytesPerS: 1_000, timeMs: 10_000 });
  const ended: string[] = [];

  const slow = startBody(arrivals, 1);
  const faster = startBody(arrivals, 300);
  const answers = [
    slow.answer.then((answer) => ended.push(`slow ${answer}`)),
    faster.answer.then((answer) => ended.push(`faster ${answer}`)),
  ];
  const startMs = performance.now();
  await Promise.all(answers);

  assertEquals(ended, ["slow 503 incomplete_body", "faster 503 incomplete_body"]);
  assertEquals([bounds, arrivals.bodies(), arrivals.bytes()], [["rate", "rate"], 0, 0]);
  assert(performance.now() - startMs > 250);
});
