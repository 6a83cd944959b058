import { describeError } from "../platform/describe_error.ts";
import { guard } from "../platform/guard.ts";
import type { BlockResult, KeyedEvent } from "../ports/load_target.ts";
import type { Loader, LoadingOptions } from "./loading.ts";
import { createPurger } from "./purger.ts";
import { readMessage } from "../stores/jetstream/read_message.ts";
import { ACK_WAIT_MS, type SourceMessage, type StreamSource } from "../stores/jetstream/stream_source.ts";

const DEFAULT_BLOCK_EVENTS = 20_000;
const DEFAULT_PURGE_AFTER_MS = 60 * 60 * 1000;

/** Milliseconds that a block that isn't full waits for more. */
const BLOCK_MS = 1000;

/** Messages that are asked for at a time. One may have a megabyte: more would take gigabytes. */
const MAX_FETCH_MESSAGES = 1000;

/** Most bytes of a block. */
const MAX_BLOCK_BYTES = 64 * 1024 * 1024;

/** Between two attempts, doubled each time up to the last. */
const [FIRST_WAIT_MS, LAST_WAIT_MS] = [200, 5000] as const;

/** Milliseconds that a message waits before it comes again that the dead letters couldn't take. */
const DEAD_LETTER_WAIT_MS = 30_000;

/** A message that is an event. */
interface LoadedMessage {
  readonly message: SourceMessage;
  readonly keyed: KeyedEvent;
}

/** Starts to load from a source. */
export function startLoader(source: StreamSource, options: LoadingOptions): Loader {
  const { target, maxBlockEvents = DEFAULT_BLOCK_EVENTS, purgeAfterMs = DEFAULT_PURGE_AFTER_MS } = options;
  const reportError = guard(options.onError);
  const counts = { loaded: 0, blocks: 0, erased: 0, deadLetters: 0, purged: 0, failures: 0 };
  const inHand = new Set<readonly SourceMessage[]>();
  let stopWaiting = (): void => {};
  // Not Promise.withResolvers(), which Node 20 lacks.
  const closing = new Promise<void>((resolve) => stopWaiting = resolve);
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
    await Promise.race([waited, closing]);
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
  async function store(events: readonly KeyedEvent[]): Promise<BlockResult | undefined> {
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
  async function moveToDeadLetters(message: SourceMessage, reason: string): Promise<void> {
    try {
      await source.addDeadLetter(message, reason);
      // Servers before 2.10 take no reason here, and would ignore the answer.
      message.term();
      counts.deadLetters += 1;
    } catch (error) {
      fail(new Error(`a dead letter couldn't be kept: ${describeError(error)}`, { cause: error }));
      message.nak(DEAD_LETTER_WAIT_MS);
    }
  }

  async function load(block: readonly SourceMessage[]): Promise<void> {
    const loaded: LoadedMessage[] = [];
    for (const message of block) {
      const read = readMessage(message.subject, message.data);
      if ("reason" in read) await moveToDeadLetters(message, read.reason);
      else loaded.push({ message, keyed: read });
    }
    if (loaded.length === 0) return;
    const stored = await store(loaded.map(({ keyed }) => keyed));
    if (stored === undefined) return giveBack(block);
    const { unfit, erased } = stored;
    const reasons = new Map(unfit.map(({ index, reason }) => [index, reason]));
    for (const [index, { message }] of loaded.entries()) {
      const reason = reasons.get(index);
      if (reason === undefined) message.ack();
      else await moveToDeadLetters(message, reason);
    }
    counts.loaded += loaded.length - unfit.length - erased;
    counts.erased += erased;
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
    stopWaiting();
    await running;
    clearInterval(heart);
    await purger.close();
    await source.close();
  }

  let closed: Promise<void> | undefined;
  return { counts: () => ({ ...counts }), countWaiting: source.countWaiting, close: () => closed ??= close() };
}
