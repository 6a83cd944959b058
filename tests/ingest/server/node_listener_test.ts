import { assert, assertEquals } from "@std/assert";
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { PassThrough, Readable } from "node:stream";
import { toNodeListener } from "../../../src/ingest/server/node_listener.ts";

const CHUNK = new Uint8Array(16_384);

/** A request whose body arrives as it is pushed, and the answer to it. */
function createExchange({ method = "POST", url = "/v1/events" } = {}): {
  incoming: Readable & IncomingMessage;
  outgoing: PassThrough & ServerResponse;
  statuses: number[];
  headers: Headers;
} {
  const statuses: number[] = [];
  const headers = new Headers();
  const incoming = Object.assign(new Readable({ read: () => {} }), {
    method,
    url,
    rawHeaders: [],
    headers: { "content-length": String(3 * CHUNK.length) },
    complete: false,
  });
  const outgoing = Object.assign(new PassThrough({ highWaterMark: 1 }), {
    headersSent: false,
    appendHeader: (name: string, value: string) => headers.append(name, value),
    writeHead: (status: number) => {
      statuses.push(status);
      outgoing.headersSent = true;
      return outgoing;
    },
  });
  return {
    incoming: incoming as unknown as Readable & IncomingMessage,
    outgoing: outgoing as unknown as PassThrough & ServerResponse,
    statuses,
    headers,
  };
}

Deno.test("toNodeListener() lets a body run out that was answered unread", async () => {
  const { incoming, outgoing, statuses } = createExchange();
  const listener = toNodeListener(() => Promise.resolve(new Response("wait", { status: 429 })));

  listener(incoming, outgoing);
  outgoing.resume();
  await once(outgoing, "end");
  incoming.push(CHUNK);
  await new Promise((resolve) => setTimeout(resolve, 0));
  incoming.push(CHUNK);
  incoming.push(CHUNK);
  incoming.push(null);
  await once(incoming, "end");

  assertEquals(statuses, [429]);
});

Deno.test("toNodeListener() hands on a path that begins with two slashes", async () => {
  const { incoming, outgoing } = createExchange({ url: "//v1/events" });
  const paths: string[] = [];
  const listener = toNodeListener(({ url }) => {
    paths.push(new URL(url).pathname);
    return Promise.resolve(new Response());
  });

  listener(incoming, outgoing);
  outgoing.resume();
  await once(outgoing, "end");
  incoming.destroy();

  assertEquals(paths, ["//v1/events"]);
});

/** Sends what no `Request` can hold, and returns its answer. */
async function refuse(request: { method?: string; url?: string }): Promise<unknown[]> {
  const { incoming, outgoing, statuses, headers } = createExchange(request);
  Object.assign(incoming, { complete: true });
  toNodeListener(() => Promise.reject(new Error("it was handed on")))(incoming, outgoing);
  const body = (await outgoing.toArray()).join("");
  incoming.destroy();
  return [statuses, headers.get("Access-Control-Allow-Origin"), body === "" ? "" : JSON.parse(body).error];
}

Deno.test("toNodeListener() refuses TRACE and a target that is none as the ingest does", async () => {
  const method = { code: "method_not_allowed", message: "events are sent with POST" };
  const target = { code: "malformed", message: "the target must be a path or a URL" };

  assertEquals(await refuse({ method: "TRACE" }), [[405], "*", method]);
  assertEquals(await refuse({ method: "GET", url: "http://[::bad/" }), [[400], "*", target]);
});

Deno.test("toNodeListener() waits for a slow reader without piling up listeners", async () => {
  const { incoming, outgoing } = createExchange();
  let count = 0;
  let most = 0;
  const body = new ReadableStream<Uint8Array>({
    pull(controller): void {
      most = Math.max(most, outgoing.listenerCount("close"));
      if (++count > 30) controller.close();
      else controller.enqueue(CHUNK);
    },
  });
  const listener = toNodeListener(() => Promise.resolve(new Response(body)));

  listener(incoming, outgoing);
  outgoing.resume();
  await once(outgoing, "end");
  incoming.destroy();

  assert(most < 5, `${most} listeners`);
});
