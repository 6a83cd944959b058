import { assertEquals, assertRejects } from "@std/assert";
import { stub } from "@std/testing/mock";
import { FakeTime } from "@std/testing/time";
import type { Link, ReconnectingLink } from "../../../../src/ingest/stores/jetstream/jetstream_link.ts";
import type { PubAck } from "../../../../src/ingest/stores/jetstream/jetstream_modules.ts";
import { publishUntil } from "../../../../src/ingest/stores/jetstream/jetstream_publish.ts";

const MESSAGE = { subject: "vendor.events.a", id: "a.1", payload: new Uint8Array([1]) };

const NEW: PubAck = { seq: 7, duplicate: false };

const DUPLICATE: PubAck = { seq: 7, duplicate: true };

/** The client's errors: no answer in time, nobody on the subject, and an answer with JetStream's number. */
const TIMEOUT = Object.assign(new Error("timeout"), { name: "TimeoutError" });
const NO_RESPONDERS = Object.assign(new Error("jetstream is not enabled"), { name: "JetStreamNotEnabled" });
const apiError = (code: number) => Object.assign(new Error(`error ${code}`), { name: "JetStreamApiError", code });

/** A connection that answers with one after the other, and notes under which ids it was asked. */
function createLink(...answers: readonly (PubAck | Error)[]): Link & { ids: string[]; read(): void } {
  const ids: string[] = [];
  const left = [...answers];
  const reading = Promise.withResolvers<void>();
  return {
    ids,
    read: reading.resolve,
    publisher: {
      publish: (_subject, _payload, { msgID }) => {
        ids.push(msgID);
        const answer = left.shift() ?? TIMEOUT;
        return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
      },
    },
    manager: { streams: { info: () => Promise.reject(TIMEOUT), add: () => Promise.reject(TIMEOUT) } },
    maxPayloadBytes: Infinity,
    otherServers: () => [],
    isClosed: () => false,
    drained: () => reading.promise,
    close: () => Promise.resolve(),
  };
}

/** Keeps the connection until it is told to use another. */
function keep(link: Link): ReconnectingLink & { use(other: Link): void } {
  let current = link;
  return {
    use: (other) => void (current = other),
    current: () => current,
    ask: (act) => act(current),
    close: () => Promise.resolve(),
  };
}

/** Publishes while time passes; `act` is done at its begin. */
async function publish(
  reconnecting: ReconnectingLink,
  { limitMs = 5_000, act = () => {} }: { readonly limitMs?: number; readonly act?: () => void } = {},
): Promise<PubAck> {
  using time = new FakeTime();
  using _clock = stub(performance, "now", () => time.now);
  const publishing = publishUntil(reconnecting, MESSAGE, time.now + limitMs);
  publishing.catch(() => {}); // whoever asked hears of it
  await time.tickAsync(0);
  act();
  for (let passedMs = 0; passedMs <= limitMs; passedMs += 100) await time.tickAsync(100);
  return await publishing;
}

Deno.test("publishUntil() repeats an attempt without answer under the same id, once its server reads", async () => {
  const link = createLink(TIMEOUT, NO_RESPONDERS, apiError(10_008), NEW);
  link.read();

  const ack = await publish(keep(link));

  assertEquals(ack, NEW);
  assertEquals(link.ids, ["a.1", "a.1", "a.1", "a.1"]);
});

Deno.test("publishUntil() writes a message once to a server that hangs", async () => {
  const link = createLink();

  await assertRejects(() => publish(keep(link), { limitMs: 1_000 }), Error, "in time: timeout");

  assertEquals(link.ids, ["a.1"]);
});

Deno.test("publishUntil() repeats on the connection that replaces one", async () => {
  const [hung, fresh] = [createLink(TIMEOUT), createLink(NEW)];
  const reconnecting = keep(hung);

  const ack = await publish(reconnecting, {
    act: () => {
      reconnecting.use(fresh);
      hung.read();
    },
  });

  assertEquals(ack, NEW);
  assertEquals([hung.ids, fresh.ids], [["a.1"], ["a.1"]]);
});

Deno.test("publishUntil() takes a duplicate of its own unanswered attempt for new", async () => {
  const [late, known] = [createLink(TIMEOUT, DUPLICATE), createLink(NO_RESPONDERS, DUPLICATE)];
  late.read();

  assertEquals([await publish(keep(late)), await publish(keep(known))], [NEW, DUPLICATE]);
});

Deno.test("publishUntil() believes in no duplicate whose first copy isn't stored", async () => {
  const link = createLink({ seq: 0, duplicate: true }, apiError(10_158), DUPLICATE);

  assertEquals(await publish(keep(link)), DUPLICATE);
});

Deno.test("publishUntil() rejects at once what the cluster refuses", async () => {
  const link = createLink(apiError(10_077), NEW);

  await assertRejects(
    () => publish(keep(link)),
    Error,
    "an event was refused: error 10077",
  );
  assertEquals(link.ids, ["a.1"]);
});

Deno.test("publishUntil() rejects at its deadline", async () => {
  const link = createLink();
  link.read();

  await assertRejects(
    () => publish(keep(link), { limitMs: 300 }),
    Error,
    "an event wasn't acknowledged in time: timeout",
  );
});

Deno.test("publishUntil() keeps its deadline though the wall clock is set", async () => {
  const link = createLink(TIMEOUT, NEW);
  link.read();

  using stack = new DisposableStack();

  const ack = await publish(keep(link), { act: () => void stack.use(stub(Date, "now", () => 0)) });

  assertEquals(ack, NEW);
});
