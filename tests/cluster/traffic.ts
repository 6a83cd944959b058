import { FULL, headersOf, KEY, manyEvents } from "../ingest/fixtures.ts";

/** What a load has seen so far. */
export interface Load extends AsyncDisposable {
  /** Ids of the events that were sent, answered or not. */
  readonly sent: ReadonlySet<string>;
  /** Ids of the events whose batch was answered 202. */
  readonly acknowledged: ReadonlySet<string>;
  /** Answers by status; 0 for no answer at all. */
  readonly statuses: ReadonlyMap<number, number>;
  /** Begins no further batch, and resolves once each one is acknowledged. */
  finish(): Promise<void>;
  /** Ends it once each sender has its answer, whatever that is. */
  stop(): Promise<void>;
}

/** How batches are sent. */
export interface SendingOptions {
  /** Returns where the next request goes. */
  readonly endpoint: () => string;
  /** How many requests are under way at a time. */
  readonly senders: number;
  /** Key to send with. */
  readonly apiKey?: string;
}

/** How a load is made. */
export interface LoadOptions extends SendingOptions {
  /** Begins every event id. */
  readonly prefix: string;
  /** Events per request. */
  readonly batchSize: number;
}

/** What a sender sends until it is acknowledged. */
export interface LoadBatch {
  /** Body of its request. */
  readonly body: string;
  /** Ids of its events. */
  readonly ids: readonly string[];
}

const RETRY_WAIT_MS = 20;

/** Sends batches of the same event with ids of their own, see {@linkcode startSending}. */
export function startLoad({ prefix, batchSize, ...options }: LoadOptions): Load {
  return startSending((sender, batch) => {
    const batchId = `${prefix}-${sender}-${batch}`;
    const events = manyEvents(batchSize, batchId);
    return { ids: events.map(({ id }) => id), body: JSON.stringify({ ...FULL, batchId, events }) };
  }, options);
}

/**
 * Sends batches as the SDK does: one that isn't answered 202 is sent again with the same ids, until it is or the load
 * ends. What was never answered 202 may be stored or not.
 */
export function startSending(
  buildBatch: (sender: number, batch: number) => LoadBatch,
  { endpoint, senders, apiKey = KEY }: SendingOptions,
): Load {
  const sent = new Set<string>();
  const acknowledged = new Set<string>();
  const statuses = new Map<number, number>();
  let isEnding = false;
  let isOver = false;

  async function send(body: string): Promise<boolean> {
    const status = await post(endpoint(), { body, apiKey });
    statuses.set(status, (statuses.get(status) ?? 0) + 1);
    if (status !== 202) await new Promise((resolve) => setTimeout(resolve, RETRY_WAIT_MS));
    return status === 202;
  }

  async function run(sender: number): Promise<void> {
    for (let batch = 0; !isEnding; batch++) {
      const { body, ids } = buildBatch(sender, batch);
      for (const id of ids) sent.add(id);
      let isStored = await send(body);
      while (!isStored && !isOver) isStored = await send(body);
      if (isStored) { for (const id of ids) acknowledged.add(id); }
    }
  }

  const running = Promise.all(Array.from({ length: senders }, (_, sender) => run(sender)));

  async function stop(): Promise<void> {
    isEnding = true;
    isOver = true;
    await running;
  }

  return {
    sent,
    acknowledged,
    statuses,
    async finish(): Promise<void> {
      isEnding = true;
      await running;
    },
    stop,
    [Symbol.asyncDispose]: stop,
  };
}

async function post(
  url: string,
  { body, apiKey }: { readonly body: string; readonly apiKey: string },
): Promise<number> {
  try {
    const answer = await fetch(url, { method: "POST", headers: headersOf({ "X-API-Key": apiKey }), body });
    await answer.body?.cancel();
    return answer.status;
  } catch {
    // The process is gone, or goes at this moment.
    return 0;
  }
}

/** How long something may take on a machine that is busy, or while servers elect a leader. */
const LIMIT_S = 120;

/** Resolves once the condition holds; throws after two minutes. */
export async function until(what: string, holds: () => boolean | Promise<boolean>): Promise<void> {
  const limitMs = Date.now() + 1_000 * LIMIT_S;
  while (!await holds()) {
    if (Date.now() > limitMs) throw new Error(`After ${LIMIT_S} s still not: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, RETRY_WAIT_MS));
  }
}
