import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import { Buffer } from "node:buffer";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { type Answer, type AnsweredRefusal, answerRefusal, nameOrigin } from "../../http/answers.ts";
import { buildMalformed, METHOD_NOT_ALLOWED } from "../../contract/refusal.ts";
import { createDeadlines, type Deadline } from "./deadlines.ts";
import type { Sender } from "./sender.ts";
import { fromIncoming, type ServerRequest } from "./server_request.ts";

/** As much of a body that nobody reads as is waited for, so that the connection can be used again. */
const MAX_SKIPPED_BYTES = 65_536;

/** Most milliseconds that a sender may go on with a body that was answered already. */
const LINGER_MS = 2_000;

/**
 * Most requests of a connection that wait for their answers. Browsers and proxies wait before they send the next;
 * the runtime hands all of them on at once, a thousand to a packet, and keeps the answers that nobody reads.
 */
const MAX_PIPELINED = 16;

const MALFORMED = buildMalformed("the request must be HTTP/1.1");

/** The faults that aren't a malformed request, by Node's codes. */
const REFUSALS: Readonly<Record<string, AnsweredRefusal>> = {
  ERR_HTTP_REQUEST_TIMEOUT: { status: 408, code: "request_timeout", message: "the request didn't arrive in time" },
  HPE_HEADER_OVERFLOW: { status: 431, code: "headers_too_large", message: "the headers must be at most 16 KiB" },
};

const EXPECTATION: AnsweredRefusal = {
  status: 417,
  code: "expectation_failed",
  message: "header Expect must be 100-continue, or missing",
};

/** A connection, and the requests of it that wait for their answers. */
interface Connection extends Deadline {
  waiting: number;
  /** The answer that it gave last, or gives. */
  answer: ServerResponse | undefined;
  endMs: number;
}

interface Exchange {
  readonly incoming: IncomingMessage;
  readonly outgoing: ServerResponse;
}

/** Listeners of Node's http server, one for each of its events. */
export interface NodeListener {
  /** For `request`. */
  answerRequest(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** For `checkExpectation`: a header `Expect` that can't be met (RFC 9110, 10.1.1). */
  answerExpectation(incoming: IncomingMessage, outgoing: ServerResponse): void;
  /** For `clientError`: answers what the parser of HTTP didn't take, and closes the connection. */
  answerParserFault(error: Error & { readonly code?: string }, socket: Duplex): void;
}

/** Answers a request of the address at the other end; never rejects. */
export type ServerHandler = (request: ServerRequest, peer: Sender) => Promise<Answer | Response>;

/** When a connection is closed that doesn't read its answer. */
export interface AnswerTimes {
  /** Most milliseconds that a request may take from its headers to the end of its answer. */
  readonly requestTimeoutMs: number;
  /** Most milliseconds that its connection may then stand still. */
  readonly idleMs: number;
}

/** Makes the listeners of Node's http server of a handler. */
export function createNodeListener(handle: ServerHandler, times: AnswerTimes): NodeListener {
  const connections = new WeakMap<Duplex, Connection>();
  // Of an answer that nobody reads none of the server's timeouts hears: for them, its request has ended. That of the
  // socket does, and costs a quarter of a small request: it is for those alone that take long.
  const deadlines = createDeadlines();

  function find(socket: Socket): Connection {
    const known = connections.get(socket);
    if (known !== undefined) return known;
    const connection: Connection = {
      waiting: 0,
      answer: undefined,
      endMs: 0,
      onOver: () => void socket.setTimeout(times.idleMs),
    };
    connections.set(socket, connection);
    socket.once("close", () => deadlines.remove(connection));
    return connection;
  }

  function begin(connection: Connection): void {
    connection.waiting += 1;
    if (connection.waiting > 1) return;
    connection.endMs = performance.now() + times.requestTimeoutMs;
    deadlines.add(connection);
  }

  function end(connection: Connection): void {
    connection.waiting -= 1;
    if (connection.waiting === 0) deadlines.remove(connection);
  }

  function respond({ incoming, outgoing }: Exchange, handler: ServerHandler): void {
    const { socket } = incoming;
    // What was parsed already still comes.
    if (socket.destroyed) return;
    const connection = find(socket);
    begin(connection);
    outgoing.once("close", () => end(connection));
    if (connection.waiting > MAX_PIPELINED) return void socket.destroy();
    connection.answer = outgoing;
    incoming.on("error", ignore); // whoever reads the body hears of its end
    const request = fromIncoming(incoming);
    const answering = request === undefined
      ? Promise.resolve(refuse(incoming, findFault(incoming)))
      : handler(request, { address: socket.remoteAddress });
    answering.then((given) => {
      // Most are whole, and their requests read: for these there is nothing to wait for.
      if (incoming.readableEnded && !(given instanceof Response)) {
        return writeAnswer(given, { outgoing, isLast: false });
      }
      return answer(given, { incoming, outgoing });
    }).catch(() => outgoing.destroy());
  }

  /** Returns whether an answer has begun on a connection, and isn't at its end. */
  function isMidAnswer(socket: Duplex): boolean {
    const answer = connections.get(socket)?.answer;
    return answer !== undefined && answer.headersSent && !answer.writableFinished;
  }

  return {
    answerRequest: (incoming, outgoing) => respond({ incoming, outgoing }, handle),
    answerExpectation: (incoming, outgoing) =>
      respond({ incoming, outgoing }, () => Promise.resolve(refuse(incoming, EXPECTATION))),
    answerParserFault(error, socket): void {
      // Nothing is to be written into another answer, nor to somebody who has gone.
      if (error.code === "ECONNRESET" || !socket.writable || isMidAnswer(socket)) return void socket.destroy();
      const { status, headers, body } = answerRefusal(REFUSALS[error.code ?? ""] ?? MALFORMED);
      const lines = [
        `HTTP/1.1 ${status} ${STATUS_CODES[status]}`,
        ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
        `content-length: ${body?.length}`,
        "connection: close",
      ];
      socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
    },
  };
}

function ignore(): void {}

/** Says what no `Request` can hold (Fetch standard, forbidden methods) as the ingest does elsewhere. */
function findFault({ method }: IncomingMessage): AnsweredRefusal {
  return method === "TRACE"
    ? METHOD_NOT_ALLOWED
    : buildMalformed("the request must have a header Host and a path or a URL, without dot segments or backslashes");
}

function refuse({ headers }: IncomingMessage, refusal: AnsweredRefusal): Answer {
  return nameOrigin(answerRefusal(refusal), headers.origin ?? null);
}

async function answer(given: Answer | Response, { incoming, outgoing }: Exchange): Promise<void> {
  const isLeftUnread = !incoming.complete && !(Number(incoming.headers["content-length"]) <= MAX_SKIPPED_BYTES);
  if (!(given instanceof Response)) writeAnswer(given, { outgoing, isLast: isLeftUnread });
  // A report may be long; whatever else there is to say is short.
  else if (given.status === 200) await copy(given, outgoing);
  else writeAnswer(await read(given), { outgoing, isLast: isLeftUnread });
  if (!incoming.complete) {
    await untilComplete(incoming);
    // What is left would hold up the next request. Not at once: that would reset the connection, answer and all.
    if (!incoming.complete) incoming.destroy();
  }
  if (!outgoing.writableEnded) outgoing.end();
  incoming.resume();
}

async function read(response: Response): Promise<Answer> {
  const { status, headers } = response;
  return { status, headers: Object.fromEntries(headers), body: status === 204 ? null : await response.text() };
}

function writeAnswer(
  { status, headers, body }: Answer,
  { outgoing, isLast }: { readonly outgoing: ServerResponse; readonly isLast: boolean },
): void {
  const text = body ?? "";
  outgoing.writeHead(status, {
    ...headers,
    ...(status !== 204 && { "Content-Length": Buffer.byteLength(text) }),
    ...(isLast && { "Connection": "close" }),
  });
  // With its length the answer is whole before its end, at which the connection would be closed.
  if (isLast) outgoing.write(text);
  else outgoing.end(text);
}

/** Lets the rest of a body run out that nobody reads; resolves when that, or the time for it, is over. */
function untilComplete(incoming: IncomingMessage): Promise<void> {
  const { socket } = incoming;
  return new Promise((resolve) => {
    const end = (): void => {
      clearTimeout(timer);
      incoming.off("end", end);
      socket.off("close", end);
      resolve();
    };
    const timer = setTimeout(end, LINGER_MS);
    incoming.on("end", end).resume();
    // Once it is answered, a request needn't close with its connection.
    socket.on("close", end);
  });
}

async function copy({ status, headers, body }: Response, outgoing: ServerResponse): Promise<void> {
  // Not with the first piece of the body: that may take long, and nobody would know that there is an answer.
  outgoing.writeHead(status, Object.fromEntries(headers)).flushHeaders();
  const reader = body?.getReader();
  // Whoever makes the body is to hear that nobody reads it any more.
  outgoing.once("close", () => reader?.cancel().catch(() => {}));
  for (let read = await reader?.read(); read?.done === false; read = await reader?.read()) {
    if (outgoing.destroyed) return;
    if (!outgoing.write(read.value)) await untilWritable(outgoing);
  }
  outgoing.end();
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
