import { NO_ANSWER, type TransportAnswer, type TransportRequest } from "../client/platform/environment.ts";
import type { AggregatePageviewPayload, EventRequestPayload } from "../client/base/types.ts";

/** A request that a page handed to its browser. */
export interface TestRequest {
  /** Where to. */
  readonly url: string;
  /** Request headers. */
  readonly headers: Readonly<Record<string, string>>;
  /** Body as sent. */
  readonly text: string;
  /** Body as parsed; `"collection" in body` tells an aggregate one. */
  readonly body: EventRequestPayload | AggregatePageviewPayload;
  /** Whether it outlives the page. */
  readonly keepalive: boolean;
  /** `"low"` while the page's own requests go first. */
  readonly priority: "low" | "auto";
  /** When it was sent, in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /**
   * State of the request: `pending` while nobody answered, `answered` with an HTTP status, `failed` for want of a
   * network or of keepalive quota, `aborted` by the page or by its end, `refused` by the browser before it left:
   * blocked by a content security policy, or impossible to build.
   */
  readonly state: "pending" | "answered" | "failed" | "aborted" | "refused";
  /** HTTP status it was answered with; absent until then. */
  readonly status: number | undefined;
  /** Answers it, unless it has ended. */
  answer(answer: TransportAnswer): void;
  /** Lets it fail as when the network breaks, unless it has ended. */
  fail(): void;
}

/** A request, and what ends it. */
export interface RequestControl {
  /** The request as tests see it. */
  readonly request: TestRequest;
  /** Ends it, once. Returns whether it hadn't ended before. */
  end(state: TestRequest["state"], answer: TransportAnswer): boolean;
}

/** Time of a request, and the listener of its end. */
export interface TestRequestOptions {
  /** When it was sent. */
  readonly timeMs: number;
  /** Hears how it ended. */
  readonly onEnd: (answer: TransportAnswer) => void;
}

/** Creates a pending request. */
export function createTestRequest(sent: TransportRequest, { timeMs, onEnd }: TestRequestOptions): RequestControl {
  const { url, headers, body: text, keepalive, priority } = sent;
  let state: TestRequest["state"] = "pending";
  let status: number | undefined;
  const end: RequestControl["end"] = (next, answer) => {
    if (state !== "pending") return false;
    state = next;
    if (state === "answered") status = answer.status;
    onEnd(answer);
    return true;
  };
  const request: TestRequest = {
    url,
    headers,
    text,
    keepalive,
    priority,
    timeMs,
    get body() {
      return JSON.parse(text);
    },
    get state() {
      return state;
    },
    get status() {
      return status;
    },
    answer: (answer) =>
      answer.status > NO_ANSWER && !isRedirect(answer) ? void end("answered", answer) : request.fail(),
    fail: () => void end("failed", { status: NO_ANSWER }),
  };
  return { request, end };
}

/** Redirects aren't followed, so that the key goes nowhere else: to a page they fail (Fetch standard, HTTP fetch). */
function isRedirect({ status }: TransportAnswer): boolean {
  return [301, 302, 303, 307, 308].includes(status);
}
