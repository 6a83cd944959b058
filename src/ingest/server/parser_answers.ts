/**
 * What is answered where no request gets as far as the app, as the ingest answers elsewhere.
 *
 * @module
 */
import { type IncomingMessage, type ServerResponse, STATUS_CODES } from "node:http";
import type { Duplex } from "node:stream";
import { type AnsweredRefusal, answerRefusal } from "../request/answers.ts";
import { buildMalformed } from "../request/refusal.ts";
import { isMidAnswer, toNodeListener } from "./node_listener.ts";

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

/** Answers what the parser of HTTP didn't take, and closes the connection. */
export async function answerParserFault(error: Error & { readonly code?: string }, socket: Duplex): Promise<void> {
  // Nothing is to be written into another answer, nor to somebody who has gone.
  if (error.code === "ECONNRESET" || !socket.writable || isMidAnswer(socket)) return void socket.destroy();
  const response = answerRefusal(REFUSALS[error.code ?? ""] ?? MALFORMED);
  const body = await response.text();
  const lines = [
    `HTTP/1.1 ${response.status} ${STATUS_CODES[response.status]}`,
    ...[...response.headers].map(([name, value]) => `${name}: ${value}`),
    `content-length: ${body.length}`,
    "connection: close",
  ];
  socket.end(`${lines.join("\r\n")}\r\n\r\n${body}`, () => socket.destroy());
}

/** Answers a header `Expect` that can't be met (RFC 9110, 10.1.1). */
export const answerExpectation: (request: IncomingMessage, response: ServerResponse) => void = toNodeListener(() =>
  Promise.resolve(answerRefusal(EXPECTATION))
);
