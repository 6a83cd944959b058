import { describeError } from "../describe_error.ts";
import { guard } from "../guard.ts";
import type { LinkOptions } from "../sinks/jetstream/jetstream_link.ts";
import { DEFAULT_STREAM, DEFAULT_SUBJECT_PREFIX } from "../sinks/jetstream/jetstream_sink.ts";
import type { KeyedEvent, LoadTarget, UnfitEvent } from "../sinks/load_target.ts";
import { createPurger } from "./purger.ts";
import { readMessage } from "./read_message.ts";
import { ACK_WAIT_MS, openStreamSource, type SourceMessage, type StreamSource } from "./stream_source.ts";

/** What {@linkcode createLoader} takes. */
export interface LoaderOptions extends LinkOptions, LoadingOptions {
  /**
   * Name of the stream, which the ingest makes.
   *
   * @default {"VENDOR_EVENTS"}
   */
  readonly stream?: string;
  /**
   * First part of the subjects.
   *
   * @default {"vendor.events"}
   */
  readonly subjectPrefix?: string;
  /**
   * Name of the durable consumer, made when it is missing. Loaders with the same one share the work; each store has its
   * own.
   *
   * @default {"vendor_loader"}
   */
  readonly consumer?: string;
  /**
   * Subject that messages are copied to which can't be loaded, with the header `Vendor-Reason`. The loader makes a stream
   * for it, `<stream>_DEAD_LETTERS`, unless one keeps the subject.
   *
   * @default {"vendor.dead_letters"}
   */
  readonly deadLetterSubject?: string;
}

/** How messages are loaded. */
export interface LoadingOptions {
  /** Where events are stored. The loader doesn't close it. */
  readonly target: LoadTarget;
  /**
   * Most events of a block. One that isn't full is stored after a second.
   *
   * @default {20000}
   */
  readonly maxBlockEvents?: number;
  /**
   * How long messages stay in the stream after every consumer has acknowledged them, in milliseconds. It begins anew with
   * the loader. `Infinity` keeps them for ever.
   *
   * @default {3600000, an hour}
   */
  readonly purgeAfterMs?: number;
  /** Hears of each attempt that failed; the loader tries again. What it throws is ignored. */
  readonly onError?: (error: unknown) => void;
}

/** What a loader did since its start. */
export interface LoaderCounts {
  /** Events that were stored, repeats among them. */
  readonly loaded: number;
  /** Blocks that were stored. */
  readonly blocks: number;
  /** Messages that went to the dead letters. */
  readonly deadLetters: number;
  /** Messages that were removed from the stream. */
  readonly purged: number;
  /** Attempts that failed. */
  readonly failures: number;
}

/** Moves events from a stream into a store. */
export interface Loader {
  /** Returns what was done so far. */
  counts(): LoaderCounts;
  /** Ends after the block that is being stored. What isn't acknowledged is left for another loader. */
  close(): Promise<void>;
}

const DEFAULT_CONSUMER = "vendor_loader";
const DEFAULT_DEAD_LETTER_SUBJECT = "vendor.dead_letters";
const DEFAULT_BLOCK_EVENTS = 20_000;
const DEFAULT_PURGE_AFTER_MS = 60 * 60 * 1000;

/** How long a block that isn't full waits for more. */
const BLOCK_MS = 1000;

/** Messages that are asked for at a time. One may have a megabyte: more would take gigabytes. */
const MAX_FETCH_MESSAGES = 1000;

/** Most bytes of a block. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;

/** Between two attempts, doubled each time up to the last. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [200, 5000] as const;

/** How long a message that couldn't be buried waits for its next turn. */
const UNBURIED_WAIT_MS = 30_000;

/**
 * Connects to a NATS cluster and loads the events of a stream into a store, in blocks. A message is acknowledged once its
 * block is in: a loader, a server or a store that is killed at any moment loses nothing. What is stored twice by that is
 * one event to the store. Several loaders share the work.
 *
 * A message that is no event, or that the store never takes, goes to the dead letters. Messages that every consumer has
 * acknowledged are removed from the stream after an hour.
 *
 * @example
 * ```ts
 * import { createClickHouseTarget } from "@vendor/sdk/ingest/clickhouse";
 * import { createLoader, type Loader } from "@vendor/sdk/ingest/load";
 *
 * export async function startLoader(): Promise<Loader> {
 *   const target = await createClickHouseTarget({ url: "http://localhost:8123" });
 *   return await createLoader({ servers: ["nats-1:4222", "nats-2:4222"], target, onError: console.error });
 * }
 * ```
 *
 * @throws {Error} Where the official client isn't installed, and for a cluster that can't be reached.
 */
export async function createLoader(options: LoaderOptions): Promise<Loader> {
  const { subjectPrefix = DEFAULT_SUBJECT_PREFIX } = options;
  const source = await openStreamSource({
    ...options,
    stream: options.stream ?? DEFAULT_STREAM,
    subject: `${subjectPrefix}.*`,
    consumer: options.consumer ?? DEFAULT_CONSUMER,
    deadLetterSubject: options.deadLetterSubject ?? DEFAULT_DEAD_LETTER_SUBJECT,
  });
  return startLoader(source, options);
}

/** A message that is an event. */
interface LoadedMessage {
  readonly message: SourceMessage;
  readonly keyed: KeyedEvent;
}

/** Starts to load from a source. */
export function startLoader(source: StreamSource, options: LoadingOptions): Loader {
  const { target, maxBlockEvents = DEFAULT_BLOCK_EVENTS, purgeAfterMs = DEFAULT_PURGE_AFTER_MS } = options;
  const reportError = guard(options.onError);
  const counts = { loaded: 0, blocks: 0, deadLetters: 0, purged: 0, failures: 0 };
  const inHand = new Set<readonly SourceMessage[]>();
  const closing = Promise.withResolvers<void>();
  let isClosing = false;

  function fail(error: unknown): void {
    counts.failures += 1;
    reportError(error);
  }

  /** Waits, longer with each attempt, or until the loader closes. */
  async function pause(attempt: number): Promise<void> {
    let timer: ReturnType<typeof setTimeout> | undefined;
    const waited = new Promise<void>((resolve) => {
      timer = setTimeout(resolve, Math.min(LAST_WAIT_MS, FIRST_WAIT_MS * 2 ** attempt));
    });
    await Promise.race([waited, closing.promise]);
    clearTimeout(timer);
  }

  /** Collects a block: until it is full, a second has passed, or the stream can't be read. */
  async function collect(): Promise<readonly SourceMessage[]> {
    const startMs = performance.now();
    const block: SourceMessage[] = [];
    let bytes = 0;
    inHand.add(block);
    while (!isClosing && block.length < maxBlockEvents && bytes < MAX_BLOCK_BYTES) {
      try {
        const messages = await source.fetch(Math.min(MAX_FETCH_MESSAGES, maxBlockEvents - block.length));
        block.push(...messages);
        bytes += messages.reduce((sum, { data }) => sum + data.byteLength, 0);
      } catch (error) {
        fail(error);
        await pause(block.length > 0 ? 0 : 2);
      }
      if (performance.now() - startMs >= BLOCK_MS) break;
    }
    return block;
  }

  /** Stores events; tries until they are in, or returns nothing where the loader closes before. */
  async function store(events: readonly KeyedEvent[]): Promise<readonly UnfitEvent[] | undefined> {
    for (let attempt = 0; !isClosing || attempt === 0; attempt++) {
      try {
        return await target.store(events);
      } catch (error) {
        fail(error);
        await pause(attempt);
      }
    }
    return undefined;
  }

  /** Moves a message to the dead letters. Where that fails, it comes again. */
  async function bury(message: SourceMessage, reason: string): Promise<void> {
    try {
      await source.bury(message, reason);
      // Servers before 2.10 take no reason here, and would ignore the answer.
      message.term();
      counts.deadLetters += 1;
    } catch (error) {
      fail(new Error(`a dead letter couldn't be kept: ${describeError(error)}`, { cause: error }));
      message.nak(UNBURIED_WAIT_MS);
    }
  }

  async function load(block: readonly SourceMessage[]): Promise<void> {
    const loaded: LoadedMessage[] = [];
    for (const message of block) {
      const read = readMessage(message.subject, message.data);
      if ("reason" in read) await bury(message, read.reason);
      else loaded.push({ message, keyed: read });
    }
    if (loaded.length === 0) return;
    const unfit = await store(loaded.map(({ keyed }) => keyed));
    if (unfit === undefined) return giveBack(block);
    const reasons = new Map(unfit.map(({ index, reason }) => [index, reason]));
    for (const [index, { message }] of loaded.entries()) {
      const reason = reasons.get(index);
      if (reason === undefined) message.ack();
      else await bury(message, reason);
    }
    counts.loaded += loaded.length - unfit.length;
    counts.blocks += 1;
  }

  function giveBack(block: readonly SourceMessage[]): void {
    for (const message of block) message.nak();
  }

  /** Stores one block while the next one is collected. */
  async function run(): Promise<void> {
    let next = collect();
    while (!isClosing) {
      const block = await next;
      if (isClosing) break;
      next = collect();
      await load(block);
      inHand.delete(block);
    }
    giveBack(await next);
  }

  // Whoever waits for a store that is away keeps its messages: they would go to and fro between loaders.
  const heart = setInterval(() => {
    for (const block of inHand) for (const message of block) message.working();
  }, ACK_WAIT_MS / 3);
  const purger = createPurger(source, {
    purgeAfterMs,
    now: () => performance.now(),
    onPurged: (count) => counts.purged += count,
    onError: fail,
  });
  const running = run();

  async function close(): Promise<void> {
    isClosing = true;
    closing.resolve();
    await running;
    clearInterval(heart);
    await purger.close();
    await source.close();
  }

  let closed: Promise<void> | undefined;
  return { counts: () => ({ ...counts }), close: () => closed ??= close() };
}
