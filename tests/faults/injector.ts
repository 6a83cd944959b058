import type { IncomingMessage, ServerResponse } from "node:http";
import { createIngest, createMemorySink, type StoredEvent } from "../../src/ingest/mod.ts";
import { buildAnswer } from "../browser/ingest_server.ts";
import type { Planner } from "./fault.ts";
import { startListener } from "./listener.ts";
import { createPauses } from "./pauses.ts";

/** Key that the ingest knows. */
export const KEY = "pk_faults";

/** A POST whose body was read. */
export interface Attempt {
  /** Tells attempts apart, see {@linkcode buildAttemptKey}. */
  readonly key: string;
  /** Batch that it carries. */
  readonly batchId: string;
  /** Events that it carries. */
  readonly events: readonly { readonly id: string; readonly name: string }[];
  /** When it had come in, in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** Whether it reached the ingest. */
  isForwarded: boolean;
  /** Whether it came in whole, and was broken off by its sender before it was answered. */
  isAborted: boolean;
}

/** The real ingest behind faults. */
export interface Injector {
  /** The `endpoint` option. */
  readonly endpoint: string;
  /** POSTs in the order in which they came. */
  readonly attempts: readonly Attempt[];
  /** Events that the ingest stored, in order. */
  readonly stored: readonly StoredEvent[];
  /** Chooses what happens to later requests; without a planner all are passed on. */
  plan(planner?: Planner): void;
  /** Closes the port: connections break, and new ones are refused. */
  away(): Promise<void>;
  /** Opens the port again. */
  back(): Promise<void>;
  /** Ends it. */
  close(): Promise<void>;
}

/** Names an attempt by what its body says; a page can do the same. */
function buildAttemptKey(batchId: string, sentAt: string): string {
  return `${batchId} ${sentAt}`;
}

/** Starts the ingest and the injector before it. */
export async function startInjector(): Promise<Injector> {
  const attempts: Attempt[] = [];
  const stored: StoredEvent[] = [];
  const counts: Record<string, number> = {};
  const pauses = createPauses();
  const sink = createMemorySink();
  const ingest = createIngest({
    keys: [{ apiKey: KEY, origins: "any" }],
    sink,
    onEvents: (events) => void stored.push(...events),
  });
  let planner: Planner | undefined;

  async function handle(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const { method = "", url = "" } = incoming;
    let isGone = false;
    let attempt: Attempt | undefined;
    outgoing.on("close", () => {
      isGone = !outgoing.writableEnded;
      if (attempt && !attempt.isForwarded) attempt.isAborted = isGone;
    });
    const index = counts[method] ?? 0;
    counts[method] = index + 1;
    const fault = planner?.({ method, index });
    if (fault?.kind === "drop_unread") return void outgoing.destroy();
    const chunks: Uint8Array[] = [];
    for await (const chunk of incoming) chunks.push(chunk);
    const text = await new Blob(chunks as BlobPart[]).text();
    if (method === "POST") attempts.push(attempt = parseAttempt(text));
    if (fault?.kind === "hang") return;
    if (fault?.kind === "drop_read") return void outgoing.destroy();
    if (fault?.kind === "delay") await pauses.pause(fault.ms);
    if (isGone) return;
    if (fault?.kind === "answer") {
      return await reply(
        outgoing,
        buildAnswer(fault.status, fault.retryAfter === undefined ? {} : { "Retry-After": fault.retryAfter }),
      );
    }
    if (attempt) attempt.isForwarded = true;
    const headers = Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, `${value}`]);
    const answer = await ingest(
      new Request(new URL(url, "http://ingest"), { method, headers, ...(method === "POST" && { body: text }) }),
    );
    if (fault?.kind === "lose_answer") return void outgoing.destroy();
    await reply(outgoing, answer);
  }

  const listener = await startListener(handle);
  return {
    endpoint: `http://127.0.0.1:${listener.port}/v1/events`,
    attempts,
    stored,
    plan(next) {
      planner = next;
    },
    away: listener.away,
    back: listener.back,
    async close() {
      pauses.end();
      await listener.away();
      await sink.close();
    },
  };
}

function parseAttempt(text: string): Attempt {
  const { batchId, sentAt, events } = JSON.parse(text);
  return {
    key: buildAttemptKey(batchId, sentAt),
    batchId,
    events: events.map(({ id, name }: StoredEvent) => ({ id, name })),
    timeMs: Date.now(),
    isForwarded: false,
    isAborted: false,
  };
}

async function reply(outgoing: ServerResponse, answer: Response): Promise<void> {
  const text = await answer.text();
  outgoing.writeHead(answer.status, Object.fromEntries(answer.headers));
  outgoing.end(text);
}
