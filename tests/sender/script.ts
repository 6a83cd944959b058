/**
 * A sender whose requests a test answers.
 *
 * @module
 */
import type { FakeTime } from "@std/testing/time";
import type { EventRequestPayload } from "../../src/client/base/types.ts";
import {
  createSender,
  type Sender,
  type SenderOptions,
  type SenderProblem,
  type SenderStep,
} from "../../src/sender/mod.ts";

export const SECRET = "ss_0123456789abcdef0123456789abcdef";

/** What a test's clock doesn't move. */
const { setTimeout: wait } = globalThis;

/** How long requests take that are answered at once: HMAC and streams are no matter of timers. */
const TURN_MS = 5;

/** Moves the clock of a test, and lets the requests of before and afterwards end. */
export async function pass(time: FakeTime, ms: number): Promise<void> {
  await settle();
  await time.tickAsync(ms);
  await settle();
}

/** Waits as long as a few hashes take, which a busy machine makes long, and a turn. */
async function settle(): Promise<void> {
  for (let round = 0; round < 4; round++) await crypto.subtle.digest("SHA-256", new Uint8Array(1));
  await new Promise((resolve) => wait(resolve, TURN_MS));
}

/** A request, as it left. */
export interface Sent {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: EventRequestPayload;
  readonly signal: AbortSignal;
}

/** An answer, or why there is none: `"deaf"` takes no notice of the request's end. The last one is given to all further requests. */
export type Reply = Response | Error | "never" | "deaf" | { readonly status: number };

/** Creates a sender, what hears of its requests and problems, and answers them in turn. */
export function setUp(
  replies: readonly Reply[] = [new Response("{}", { status: 202 })],
  options: Partial<SenderOptions> = {},
): { readonly sender: Sender; readonly sent: readonly Sent[]; readonly problems: readonly SenderProblem[] } {
  const sent: Sent[] = [];
  const problems: SenderProblem[] = [];
  const sender = createSender({
    apiKey: "pk_test_1",
    secret: SECRET,
    endpoint: "https://ingest.shop.example/v1/events",
    fetch: async (url, init) => {
      const { signal } = init;
      const headers = Object.fromEntries(new Headers(init.headers));
      sent.push({ url, headers, body: JSON.parse(init.body), signal });
      const reply = replies[Math.min(sent.length, replies.length) - 1] ?? "never";
      if (reply instanceof Error) throw reply;
      if (reply instanceof Response) return reply.clone();
      if (reply === "deaf") return await new Promise(() => {});
      if (reply !== "never") return reply as Response; // a wrapper's own object
      return await new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason)));
    },
    onProblem: (problem) => void problems.push(problem),
    ...options,
  });
  return { sender, sent, problems };
}

/** Returns the names of the events of each request. */
export function namesOf(sent: readonly Sent[]): readonly (readonly string[])[] {
  return sent.map(({ body }) => body.events.map(({ name }) => name));
}

/** Builds a step of a user. */
export const step = (name: string, more: Partial<SenderStep> = {}): SenderStep => ({ userId: "u-1", name, ...more });

/** Builds so many steps. */
export const steps = (count: number): readonly SenderStep[] =>
  Array.from({ length: count }, (_, index) => step(`step ${index}`));

/** Sends into an ingest of the same process. */
export function within(ingest: (request: Request) => Promise<Response>): NonNullable<SenderOptions["fetch"]> {
  return (url, init) => ingest(new Request(url, init));
}
