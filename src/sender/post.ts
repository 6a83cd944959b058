import { attempt, describeError } from "../client/base/attempt.ts";
import { TIMEOUT_MS } from "../client/base/limits.ts";
import { NO_ANSWER, UNSENDABLE } from "../client/platform/environment.ts";
import { parseRetryAfter } from "../client/platform/time.ts";
import type { SenderOptions, SenderRequest, SenderResponse } from "./options.ts";

/** Most milliseconds that a body may take once its status is known. */
const BODY_MS = 5000;

/** The end of a request. */
export interface Answer {
  /** HTTP status; `NO_ANSWER` for a network error, `UNSENDABLE` for a request that can't even be built. */
  readonly status: number;
  /** Text of the answer or the error. */
  readonly text: string;
  /** `Retry-After` in milliseconds from now; 0 without one. */
  readonly retryAfterMs: number;
}

/** A request under way. */
export interface Posting {
  /** Resolves when it has ended; never rejects. */
  readonly answer: Promise<Answer>;
  /** Ends it without an answer. */
  readonly abort: () => void;
}

/** A request to post. */
export interface Post {
  readonly url: string;
  readonly headers: Record<string, string>;
  /** Makes the body. */
  readonly buildBody: () => Promise<string>;
  /** Sends the request. */
  readonly fetch: NonNullable<SenderOptions["fetch"]>;
}

/** Posts a body, and waits 30 seconds for the answer. */
export function post({ url, headers, buildBody, fetch }: Post): Posting {
  const controller = new AbortController();
  const { signal } = controller;

  async function send(): Promise<Answer> {
    const request = await build();
    if (request === undefined) return { status: UNSENDABLE, text: "", retryAfterMs: 0 };
    const timer = setTimeout(() => controller.abort(new Error("no answer in 30 s")), TIMEOUT_MS);
    // Whoever sends the request may take no notice of its signal.
    const aborted = new Promise<never>((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    // It may throw at once, too, or return what is no promise.
    const answered = async (): Promise<Answer> => read(await fetch(url, request));
    try {
      return await Promise.race([answered(), aborted]);
    } catch (error) {
      return { status: NO_ANSWER, text: describeFailure(error), retryAfterMs: 0 };
    } finally {
      clearTimeout(timer);
      controller.abort(); // a body that doesn't end is read no further
    }
  }

  async function build(): Promise<SenderRequest | undefined> {
    try {
      new Request(url, { headers });
      return { method: "POST", headers, body: await buildBody(), signal, redirect: "manual" };
    } catch {
      // A header that can't be one, or credentials in the URL. The runtime's message would repeat them.
    }
  }

  return { answer: send(), abort: () => controller.abort() };
}

/** Reads an answer. The status is there first, whatever becomes of the rest: it may be an object of somebody's own. */
async function read(response: SenderResponse): Promise<Answer> {
  const { status } = response;
  const retryAfterMs = attempt(() => parseRetryAfter(response.headers.get("Retry-After"), Date.now())) ?? 0;
  const text = await readText(response);
  const isRedirect = response.type === "opaqueredirect" || (status >= 300 && status < 400);
  return isRedirect
    ? { status: NO_ANSWER, text: "the endpoint redirects", retryAfterMs }
    : { status, text, retryAfterMs };
}

/** Reads a body for 5 seconds; empty where it isn't there by then. */
async function readText(response: SenderResponse): Promise<string> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<string>((resolve) => timer = setTimeout(() => resolve(""), BODY_MS));
  try {
    return String(await Promise.race([response.text(), late]));
  } catch {
    return "";
  } finally {
    clearTimeout(timer);
  }
}

/** Says why there is no answer: Node's `fetch` has the reason in the cause of its error. */
function describeFailure(error: unknown): string {
  return describeError(error instanceof Error && error.cause !== undefined ? error.cause : error);
}
