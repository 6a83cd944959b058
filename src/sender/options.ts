/** The second argument of a sender's `fetch`: every implementation of `fetch` takes it. */
export interface SenderRequest {
  /** The ingest takes no other method. */
  readonly method: "POST";
  /** Key, secret, version and content type, by name. */
  readonly headers: Record<string, string>;
  /** One batch as JSON. */
  readonly body: string;
  /** Ends the request after 30 seconds, and at the sender's end. */
  readonly signal: AbortSignal;
  /** A redirect isn't followed: key and secret go nowhere else. */
  readonly redirect: "manual";
}

/** The part of an answer that a sender reads. */
export interface SenderResponse {
  /** The HTTP status, 0 for a redirect that a browser's `fetch` hides. */
  readonly status: number;
  /** The kind of answer by the Fetch standard, where the implementation has it. */
  readonly type?: string;
  /** The answer's headers; a sender asks for `Retry-After`. */
  readonly headers: {
    /** Returns a header's value, or `null` without it. */
    get(name: string): string | null;
  };
  /** Reads the body, which has the error's message. */
  text(): Promise<string>;
}

/** Options of {@linkcode createSender}. */
export interface SenderOptions {
  /** The site's publishable key, non-empty: what a backend sends is stored beside what the site's pages send. */
  readonly apiKey: string;
  /**
   * A sending secret of the key: printable ASCII without spaces. Whoever has it can send in the name of any user, so it
   * belongs into the environment of the process, and never into a page.
   */
  readonly secret: string;
  /**
   * Where events go: `https:`, or `http:` on this machine.
   *
   * @default {"https://ingest.vendor.example/v1/events"}
   */
  readonly endpoint?: string;
  /**
   * Milliseconds from the first step that waits to its request. Without a meaning where there is a `waitUntil`.
   *
   * @default {5000}
   */
  readonly flushInterval?: number;
  /**
   * Most events of a request, 1-100. As soon as so many wait, they are sent.
   *
   * @default {50}
   */
  readonly maxBatchSize?: number;
  /**
   * Keeps a process alive until a promise has settled, where a platform ends it with the answer: `ctx.waitUntil` of
   * Workers, as `(promise) => ctx.waitUntil(promise)`, since it has to be called on its object. With it steps leave at the
   * end of their task, and the promise is that of {@linkcode Sender.flush}.
   *
   * @default {none: steps wait for the interval}
   */
  readonly waitUntil?: (promise: Promise<unknown>) => void;
  /**
   * Sends a request: through a proxy, a service binding, or into an ingest in the same process, as
   * `(url, init) => ingest(new Request(url, init))`. Any function like `fetch` does, that of undici or node-fetch too.
   *
   * @default {fetch}
   */
  readonly fetch?: (url: string, init: SenderRequest) => Promise<SenderResponse>;
  /**
   * Hears what is lost, and what has to wait. Whether it throws or rejects changes nothing; what it loses itself isn't reported.
   *
   * @default {console.warn(), once a minute for each kind}
   */
  readonly onProblem?: (problem: SenderProblem) => void;
}

/** Something that a backend did or that happened to one of its users. */
export interface SenderStep {
  /** Who it was, as the site's pages call them in `identify()`: 1-1,000 characters; null for nobody who is known. */
  readonly userId: string | null;
  /** The visitor of the site, where you know it: 1-128 characters. */
  readonly anonymousId?: string | undefined;
  /** The session of the site that it belongs to, where you know it: 1-128 characters. There is none otherwise. */
  readonly sessionId?: string | undefined;
  /**
   * The page that it belongs to, as an absolute URL of at most 8,192 characters: reports count the step on that page's site.
   * They count it on none without.
   */
  readonly pageUrl?: string | undefined;
  /** Its name, 1-100 characters (Unicode code points). */
  readonly name: string;
  /** Its properties, at most 32 KiB as JSON. Copied at the call. */
  readonly properties?: Readonly<Record<string, unknown>> | undefined;
  /**
   * When it happened.
   *
   * @default {now}
   */
  readonly timestamp?: Date | undefined;
  /**
   * An ID of yours: of two steps with the same one, under the same secret, one is stored. The ID itself isn't sent: the
   * event has a UUID that is made of it and of the secret.
   *
   * @default {none: each call is a step of its own}
   */
  readonly dedupeId?: string | undefined;
}

/** Something that went wrong. Its message holds no secret, no key and nothing of a step. */
export type SenderProblem =
  /** Steps are lost. */
  | {
    readonly kind: "dropped";
    /**
     * Why: `invalid` for a step that can't be sent as it is, `too_large` for one over its limit or refused with 413,
     * `queue_full` past the bounds of memory, `rejected` by the ingest, `stopped` since the ingest refuses the key or the
     * secret, `closed` since the sender is.
     */
    readonly reason: "invalid" | "too_large" | "queue_full" | "rejected" | "stopped" | "closed";
    /** Number of steps. */
    readonly count: number;
    readonly message: string;
  }
  /** The ingest took nothing; what it was to take is sent again, with the same IDs. */
  | {
    readonly kind: "waiting";
    /** Milliseconds until then. */
    readonly delayMs: number;
    readonly message: string;
  };

/** Why steps were lost. */
export type SenderDropReason = Extract<SenderProblem, { readonly kind: "dropped" }>["reason"];

/** Sends steps of a backend. No member throws or rejects, and each works when passed around unbound. */
export interface Sender {
  /** Takes a step, and sends it with others. */
  readonly step: (step: SenderStep) => void;
  /**
   * Sends what waits. Resolves when all of it is stored or lost, and after 30 seconds at the latest. A wait that the ingest
   * asked for, or that follows a failure, is kept. What was lost before isn't part of it: call it in the task of `step()`.
   *
   * @returns `"stored"` where all of it is. `"unavailable"` where it should come again, since a part isn't stored that may be
   * then, and always after `close()`. `"refused"` where that would be in vain: all but what the ingest refuses is stored.
   */
  readonly flush: () => Promise<"stored" | "refused" | "unavailable">;
  /**
   * Takes no more steps, flushes, and drops what is left then. Nothing keeps the process alive afterwards.
   *
   * @returns What became of all that waited, as `flush()` says it.
   */
  readonly close: () => ReturnType<Sender["flush"]>;
}
