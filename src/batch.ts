import type { TransportAnswer } from "./environment/environment.ts";
import {
  KEEPALIVE_BUDGET_BYTES,
  MAX_BATCH_BYTES,
  MAX_EXIT_REQUESTS,
  STEP_ASIDE_AFTER,
  UNSENT_BYTES,
} from "./limits.ts";
import { utf8Length } from "./utf8.ts";

/** Where events go, and how many at a time. */
export interface Target {
  /** Ingest URL. */
  readonly endpoint: string;
  /** Publishable key. */
  readonly apiKey: string;
  /** Hash of both. */
  readonly account: string;
  /** Most events in a batch. */
  readonly maxEvents: number;
  /** Milliseconds between automatic flushes. */
  readonly flushInterval: number;
}

/** What a batch is made of, in memory and on the device. */
export interface BatchContent {
  /** When its first event was finished, in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** Version of the SDK that captured its events. */
  readonly version: string;
  /** Its events, oldest first: see {@linkcode expand}. */
  readonly events: string[];
  /** Answers of 5xx other than 503, or failures of any kind at an earlier account, each right after a 2xx. */
  errors: number;
  /** The `batchId`; absent until it's first sent. From then on the batch doesn't change. */
  id?: string | undefined;
  /** Where it is on the device, since it was first saved there. */
  key?: string | undefined;
}

/** Events of one kind that travel together. */
export interface Batch extends BatchContent {
  /** Where it goes, with which key. */
  readonly target: Target;
  /** Whether it holds aggregate pageviews. */
  readonly isAggregate?: boolean;
  /** Whether another page captured it. */
  readonly isAdopted?: boolean;
  /** UTF-8 bytes of its body. */
  bytes: number;
  /** How many of its events, from the first on, are on the device. */
  saved: number;
  /** Whether what is on the device is out of date. */
  isDirty: boolean;
  /** Tail of its last event; undefined where the next one has to say its own. */
  tail?: string | undefined;
  /** Its events, a line each, which is cheaper kept than joined; undefined once some were taken, until it's saved. */
  lines?: string | undefined;
  /** Ends the request that carries it, while one does, and takes the answer to it. */
  cancel?: ((answer?: TransportAnswer) => void) | undefined;
  /** Whether that request outlives the page. */
  keepalive?: boolean;
}

/** What a batch starts with. */
export type BatchInit = BatchContent & Pick<Batch, "target" | "isAggregate" | "isAdopted">;

/** Creates a batch that isn't on the device, or not as it is now. */
export function createBatch(init: BatchInit): Batch {
  return {
    ...init,
    bytes: UNSENT_BYTES + utf8Length(buildBody(init)),
    saved: 0,
    isDirty: true,
    lines: init.events.join("\n"),
  };
}

/** Returns whether a batch takes no more events. */
export function isComplete({ id, isAdopted, events, target, bytes }: Batch): boolean {
  return !!id || isAdopted || events.length >= target.maxEvents || bytes >= MAX_BATCH_BYTES;
}

/** What decides which batch is next. */
export interface Turn {
  /** Where events go now. */
  readonly target: Target | undefined;
  /** Open batch that has waited for its flush interval. */
  readonly due: Batch | undefined;
  /** Failures in a row. */
  readonly failures: number;
}

/**
 * Returns the batch to send while the page lives: the page's own before adopted ones, and last what the server fails
 * at. While there are failures, batches for the current account go first. After some, and each time after twice as many,
 * it's the turn of another batch, since one may fail for good; none comes before an earlier one of its kind was tried.
 * A batch that is tried takes no more events, so more turns would leave many small ones behind in an outage.
 */
export function findNext(batches: readonly Batch[], { target, due, failures }: Turn): Batch | undefined {
  const isForeign = (batch: Batch): boolean => !!failures && batch.target.account !== target?.account;
  const rank = (batch: Batch): number => (batch.errors && 3) + (batch.isAdopted ? 2 : +isForeign(batch));
  // Beside what fails at another account, no batch waits for more events.
  const isShared = batches.some(isForeign);
  const ready = batches.filter((batch, i) =>
    batches[i + 1] || batch === due || isShared || batch.target !== target || isComplete(batch)
  )
    .sort((a, b) => rank(a) - rank(b));
  return ready[Math.round(failures / STEP_ASIDE_AFTER / 2) % (ready.findIndex(({ id }) => !id) + 1 || ready.length)];
}

/** Returns the batches that can leave with the page, beside those under way: its own before adopted ones. */
export function findLeavers(batches: readonly Batch[]): readonly Batch[] {
  let room = KEEPALIVE_BUDGET_BYTES;
  let slots = MAX_EXIT_REQUESTS;
  // What is under way has its room first.
  return [0, 1, 2].flatMap((rank) =>
    batches.filter(({ cancel, isAdopted, bytes }) => {
      if ((cancel ? 0 : isAdopted ? 2 : 1) !== rank || bytes > room || !slots) return false;
      room -= bytes;
      slots--;
      return rank > 0;
    })
  );
}

/**
 * Returns the JSON texts of events as a batch keeps them: each is its own text and then, unless it's that of the event
 * before, a tab and its tail, which is most of the whole.
 */
export function expand(events: readonly string[]): string[] {
  let tail: string | undefined;
  return events.map((event) => {
    const [own, next] = event.split("\t");
    tail = next ?? tail;
    return `${own}${tail}`;
  });
}

/**
 * Builds the body of a request: EventRequestPayload (SPEC 2.7) or AggregatePageviewPayload (SPEC 2.8).
 *
 * @param current The event that gives `sessionId`, `identity` and `context`: the first one, or where there is none one
 * captured now.
 */
export function buildBody(
  { id, isAggregate, events }: Pick<Batch, "id" | "isAggregate" | "events">,
  sentAt?: string,
  current: string | undefined = events[0],
): string {
  const envelope = isAggregate ? ',"collection":"aggregate"' : current?.split("\t")[1]?.slice(0, -1);
  return `{"type":"event","batchId":"${id}","sentAt":"${sentAt}"${envelope},"events":[${expand(events)}]}`;
}
