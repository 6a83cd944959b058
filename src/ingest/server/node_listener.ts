import type { IncomingMessage, ServerResponse } from "node:http";
import { answerRefusal } from "../request/answers.ts";
import { buildMalformed } from "../request/refusal.ts";
import { METHOD_NOT_ALLOWED } from "../request/request_checks.ts";
import type { Sender } from "./sender.ts";

/** As much of a body that nobody reads as is waited for, so that the connection can be used again. */
const MAX_SKIPPED_BYTES = 65_536;

/** How long a sender may go on with a body that was answered already, in milliseconds. */
const LINGER_MS = 2_000;

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Makes a listener for Node's http server of a Web-standard handler that never rejects. */
export function toNodeListener(
  handle: (request: Request, sender: Sender) => Promise<Response>,
): (request: IncomingMessage, response: ServerResponse) => void {
  return (incoming, outgoing) => {
    const request = toRequest({ incoming, outgoing });
    const sender = { address: incoming.socket?.remoteAddress };
    const answering = request === undefined ? Promise.resolve(refuse(incoming)) : handle(request, sender);
    answering.then((response) => answer(response, { incoming, outgoing })).catch(() => outgoing.destroy());
  };
}

function toRequest({ incoming, outgoing }: Exchange): Request | undefined {
  const { method = "GET", url = "/", rawHeaders } = incoming;
  try {
    const headers = new Headers();
    for (let index = 0; index + 1 < rawHeaders.length; index += 2) {
      headers.append(rawHeaders[index] ?? "", rawHeaders[index + 1] ?? "");
    }
    const hasBody = method !== "GET" && method !== "HEAD";
    const init: RequestInit & { readonly duplex: "half" } = {
      method,
      headers,
      duplex: "half",
      ...(hasBody && { body: toStream({ incoming, outgoing }) }),
    };
    // Put together as text: a path may begin with two slashes, which would name a host.
    return new Request(url.startsWith("/") ? `http://localhost${url}` : new URL(url, "http://localhost"), init);
  } catch {
    // TRACE, a target that is neither path nor URL, a header that isn't Latin-1.
    return undefined;
  }
}

/** Answers what no `Request` can hold (Fetch standard, forbidden methods) as the ingest does elsewhere. */
function refuse({ method }: IncomingMessage): Response {
  return answerRefusal(method === "TRACE" ? METHOD_NOT_ALLOWED : buildMalformed("the target must be a path or a URL"));
}

/** Not `Readable.toWeb()`: cancelled, that destroys the socket, and the sender never gets to read its answer. */
function toStream({ incoming, outgoing }: Exchange): ReadableStream<Uint8Array> {
  let isDone = false;
  return new ReadableStream<Uint8Array>({
    start(controller): void {
      incoming.on("data", (chunk: Uint8Array) => {
        if (isDone) return;
        if (outgoing.headersSent) {
          // Answered already, as a wrong key is: held back, the rest would keep the next request of the connection.
          isDone = true;
          return controller.error(new Error("the request was answered before its body was read"));
        }
        controller.enqueue(chunk);
        if ((controller.desiredSize ?? 1) <= 0) incoming.pause();
      });
      const end = (act: () => void) => (): void => {
        if (!isDone) act();
        isDone = true;
      };
      incoming.once("end", end(() => controller.close()));
      incoming.once("error", end(() => controller.error(new Error("the connection broke"))));
      incoming.once("close", end(() => controller.error(new Error("the connection broke"))));
      incoming.pause();
    },
    pull(): void {
      incoming.resume();
    },
    cancel(): void {
      isDone = true;
      incoming.resume();
    },
  }, { highWaterMark: 1 });
}

async function answer(response: Response, { incoming, outgoing }: Exchange): Promise<void> {
  const isLeftUnread = !incoming.complete && !(Number(incoming.headers["content-length"]) <= MAX_SKIPPED_BYTES);
  for (const [name, value] of response.headers) outgoing.appendHeader(name, value);
  if (isLeftUnread) return await answerEarly(response, { incoming, outgoing });
  outgoing.writeHead(response.status);
  if (response.body !== null && incoming.method !== "HEAD") await copy(response.body, outgoing);
  outgoing.end();
  incoming.resume();
}

/**
 * Answers a sender that isn't done. Its connection is closed afterwards, since what is left would hold up the next
 * request; but not at once: that would reset it, and the answer would be lost on its way.
 */
async function answerEarly(response: Response, { incoming, outgoing }: Exchange): Promise<void> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  // With its length the answer is whole before its end.
  outgoing.writeHead(response.status, { "Connection": "close", "Content-Length": bytes.byteLength });
  if (incoming.method !== "HEAD") outgoing.write(bytes);
  outgoing.flushHeaders();
  await new Promise<void>((resolve) => {
    setTimeout(resolve, LINGER_MS).unref();
    incoming.once("end", resolve).once("close", resolve).resume();
  });
  outgoing.end();
  if (!incoming.complete) incoming.destroy();
}

async function copy(body: ReadableStream<Uint8Array>, outgoing: ServerResponse): Promise<void> {
  const reader = body.getReader();
  for (let read = await reader.read(); !read.done; read = await reader.read()) {
    if (outgoing.destroyed) return await reader.cancel();
    if (outgoing.write(read.value)) continue;
    await untilWritable(outgoing);
  }
}

/** Resolves once more can be written, or never will be. Leaves no listener: a long answer waits hundreds of times. */
function untilWritable(outgoing: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const end = (): void => {
      outgoing.off("drain", end).off("close", end);
      resolve();
    };
    outgoing.on("drain", end).on("close", end);
  });
}
