import { assert } from "@std/assert";
import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough, Readable } from "node:stream";
import { createNodeListener } from "../../../../src/ingest/server/http/node_listener.ts";

const CHUNK = new Uint8Array(16_384);

Deno.test("createNodeListener() waits for a slow reader without piling up listeners", async () => {
  const incoming = Object.assign(Readable.from([]), {
    socket: new EventEmitter(),
    method: "GET",
    url: "/reports",
    rawHeaders: [],
    headers: {},
    complete: true,
  }) as unknown as IncomingMessage;
  const outgoing = Object.assign(new PassThrough({ highWaterMark: 1 }), {
    writeHead: () => outgoing,
    flushHeaders: () => {},
  }) as unknown as PassThrough & ServerResponse;
  let count = 0;
  let most = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller): void {
      most = Math.max(most, outgoing.listenerCount("close"));
      if (++count > 30) controller.close();
      else controller.enqueue(CHUNK);
    },
  });
  const listener = createNodeListener(() => Promise.resolve(new Response(body)), {
    requestTimeoutMs: 10_000,
    idleMs: 10_000,
  });

  listener.answerRequest(incoming, outgoing);
  outgoing.resume();
  await once(outgoing, "end");

  assert(most < 5, `${most} listeners`);
});
