/**
 * The Model Context Protocol over HTTP: a message a request, answered at once, and nothing that is kept between them.
 *
 * @module
 */
import type { Authenticator } from "../access/authenticator.ts";
import { hasType, type ReadBody, readText } from "../access/request_body.ts";
import { isProblem, type Problem } from "../query/query.ts";
import { answerText } from "./messages.ts";
import { createTools, type ToolsOptions } from "./tools.ts";

/** Options of {@linkcode answerMcp}, beside the request. */
export interface McpOptions extends Pick<ToolsOptions, "read" | "fail"> {
  /** Says who may read. */
  readonly authenticator: Authenticator;
  /** Address of the client. */
  readonly address: string | undefined;
  /** Reads the body, where the request doesn't hold it. */
  readonly readBody: ReadBody | undefined;
  /** Hears of a secret that is wrong. */
  readonly onWrongSecret: () => void;
}

/** Most bytes of a message: the arguments of a call are those of a URL. */
const MAX_BYTES = 65_536;

const ONLY_POST: Problem = { status: 405, code: "method_not_allowed", message: "send messages with POST" };

const NO_PAGES: Problem = {
  status: 403,
  code: "origin_refused",
  message: "this is for programs: a page of a browser can't ask here",
};

const NO_SECRET: Problem = { status: 401, code: "unauthorized", message: "send a report secret as a Bearer token" };

const TYPE_WRONG: Problem = { status: 415, code: "unsupported_media_type", message: "send application/json" };

const TOO_LARGE: Problem = {
  status: 413,
  code: "body_too_large",
  message: `a message may have ${MAX_BYTES} bytes at most`,
};

/** Answers a message. */
export async function answerMcp(request: Request, options: McpOptions): Promise<Response | Problem> {
  const { authenticator, address, readBody, onWrongSecret, ...ofTools } = options;
  // Else a page could have a name of its own lead to an ingest in the same network, and read what this answers.
  if (request.headers.has("Origin")) return NO_PAGES;
  if (request.method !== "POST") return ONLY_POST;
  const authorization = request.headers.get("Authorization");
  // A browser sends Basic by itself, which was given it for the page.
  if (authorization === null || !/^Bearer /i.test(authorization)) return NO_SECRET;
  const access = await authenticator.find(authorization, address);
  if (isProblem(access)) {
    onWrongSecret();
    return access;
  }
  if (!hasType(request, "application/json")) return TYPE_WRONG;
  const text = await readText(request, { bytes: MAX_BYTES, read: readBody });
  if (text === undefined) return TOO_LARGE;
  const reply = await answerText(text, createTools({ access, ...ofTools }), request.headers);
  if (reply === undefined) return new Response(null, { status: 202, headers: { "Cache-Control": "no-store" } });
  return new Response(JSON.stringify(reply.message), {
    status: reply.status,
    headers: {
      "Cache-Control": "no-store",
      "Content-Type": "application/json",
      "X-Content-Type-Options": "nosniff",
    },
  });
}
