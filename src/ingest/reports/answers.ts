/**
 * The answers of the reports. None may be cached, framed or read by another origin.
 *
 * @module
 */
import { DEFAULT_RETRY_S } from "../contract/refusal.ts";
import { ReaderFault } from "../ports/reader.ts";
import { buildProblemDocument, STYLE } from "./page/document.ts";
import type { Html } from "./page/html.ts";
import type { Format, Problem } from "./query/query.ts";
import { createDigest } from "../platform/digest.ts";

const HEADERS: Readonly<Record<string, string>> = {
  "Cache-Control": "no-store",
  // Where the secret isn't enough, say by Basic credentials that a browser adds by itself, the origin has to be ours.
  "Cross-Origin-Resource-Policy": "same-origin",
  "Cross-Origin-Opener-Policy": "same-origin",
  "Referrer-Policy": "no-referrer",
  "Vary": "Authorization",
  "X-Content-Type-Options": "nosniff",
  "X-Frame-Options": "DENY",
  "X-Robots-Tag": "noindex",
};

/** Policy of answers that aren't pages. */
const NOTHING = "default-src 'none'; frame-ancestors 'none'";

const TITLES: Readonly<Record<Problem["status"], string>> = {
  400: "This isn't a report we can make",
  401: "A secret key opens the reports",
  403: "This doesn't open here",
  404: "There is no such site",
  405: "Reports can only be read",
  413: "The form is too large",
  415: "This isn't a form",
  429: "Too many wrong secret keys",
  503: "The report isn't available",
};

const UNAVAILABLE: Problem = {
  status: 503,
  code: "unavailable",
  message: "the store can't be read at the moment, try again later",
  retryAfterS: DEFAULT_RETRY_S,
};

/** Says that the store can't be read, and why where that is for whoever asks. */
export function toUnavailable(error: unknown): Problem {
  return error instanceof ReaderFault ? { ...UNAVAILABLE, message: error.message } : UNAVAILABLE;
}

/** Answers with a page. */
export async function answerPage(page: Html, status = 200): Promise<Response> {
  return new Response(page.markup, {
    status,
    headers: {
      ...HEADERS,
      "Content-Type": "text/html; charset=utf-8",
      "Content-Security-Policy": await buildPolicy(),
    },
  });
}

/** Answers with a file. */
export function answerFile(text: string, { type, name }: { type: string; name: string }): Response {
  return new Response(text, {
    headers: {
      ...HEADERS,
      "Content-Type": type,
      "Content-Disposition": `attachment; filename="${name}"`,
      "Content-Security-Policy": NOTHING,
    },
  });
}

/** Leads to the reports without parameters, wherever they are mounted. */
export function leadBack(): Response {
  return new Response(null, {
    status: 303,
    headers: { ...HEADERS, "Location": "?", "Content-Security-Policy": NOTHING },
  });
}

/** Answers a request for a report that there isn't, in the form that was asked for; `mcp` is for programs. */
export async function answerProblem(problem: Problem, format: Format | "mcp"): Promise<Response> {
  const { status, code, message, retryAfterS } = problem;
  const answer = format === "html"
    ? await answerPage(
      buildProblemDocument(TITLES[status], `${message.charAt(0).toUpperCase()}${message.slice(1)}.`),
      status,
    )
    : new Response(JSON.stringify({ error: { code, message } }), {
      status,
      headers: { ...HEADERS, "Content-Type": "application/json", "Content-Security-Policy": NOTHING },
    });
  // The browser asks for the password, and keeps it for the visit (RFC 7617).
  const challenge = format === "mcp" ? 'Bearer realm="Reports"' : 'Basic realm="Reports", charset="UTF-8"';
  if (status === 401) answer.headers.set("WWW-Authenticate", challenge);
  if (retryAfterS !== undefined) answer.headers.set("Retry-After", String(retryAfterS));
  if (status === 405) answer.headers.set("Allow", format === "mcp" ? "POST" : "GET, HEAD, POST");
  return answer;
}

/** No script, no request: the style by its hash, the icon as data, and a form that stays here (CSP 3). */
async function buildPolicy(): Promise<string> {
  const hash = await createDigest()(STYLE, "base64");
  return [
    "default-src 'none'",
    `style-src 'sha256-${hash}'`,
    "img-src data:",
    "form-action 'self'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
}
