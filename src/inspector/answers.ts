/** What an answer of the ingest says beside its status, in words. */
interface AnswerText {
  readonly error?: { readonly message?: unknown };
  readonly duplicates?: unknown;
  readonly refused?: unknown;
}

/** What a call returned, and the body of the answer to the request that it sent; empty where that can't be read. */
export interface Read<T> {
  /** What the call returned. */
  readonly result: T;
  /** The body. Never rejects. */
  readonly text: Promise<string>;
}

/**
 * Makes a call that may send a request, and reads what the answer says. It's the same request: for the time of the call
 * `fetch()` is another function, which passes on to the page's own, and the answer is read twice.
 */
export function readAnswer<T>(send: () => T): Read<T> {
  const { fetch } = globalThis;
  let text = Promise.resolve("");
  const reading = (...args: Parameters<typeof fetch>): Promise<Response> => {
    const answer = fetch.apply(globalThis, args);
    try {
      // Before the SDK reads it, which leaves nothing to clone.
      text = answer.then((response) => response.clone().text()).catch(() => "");
    } catch {
      // A page that replaced fetch() with something that returns no promise.
    }
    return answer;
  };
  try {
    globalThis.fetch = reading;
  } catch {
    return { result: send(), text }; // a page that froze it
  }
  try {
    return { result: send(), text };
  } finally {
    if (globalThis.fetch === reading) globalThis.fetch = fetch;
  }
}

/** Puts the body of an answer into words; empty where it says nothing. */
export function describeAnswer(text: string): string {
  try {
    const { error, duplicates, refused }: AnswerText = JSON.parse(text);
    if (typeof error?.message === "string") return error.message;
    const counts = [
      Number(duplicates) > 0 ? `${duplicates} of the request known already` : "",
      Number(refused) > 0 ? `${refused} of the request off the plan, not stored` : "",
    ];
    return counts.filter((count) => count).join(", ");
  } catch {
    return ""; // no JSON: a proxy's page
  }
}
