import { connect } from "./jetstream_link.ts";
import type { LinkOptions } from "./jetstream_options.ts";
import {
  apiCodeOf,
  type ConsumedMessage,
  loadNats,
  openReader,
  type StreamConsumer,
  type StreamReader,
} from "./jetstream_modules.ts";

/** Which messages are loaded, and under which name. */
export interface StreamSourceOptions extends LinkOptions {
  /** Name of the stream. */
  readonly stream: string;
  /** Subjects of the events, with a wildcard for the key. */
  readonly subject: string;
  /** Name of the durable consumer that all loaders of a store share. */
  readonly consumer: string;
  /** Subject for what can't be loaded. */
  readonly deadLetterSubject: string;
}

/** A message that was delivered, and is to be acknowledged. */
export type SourceMessage = Pick<ConsumedMessage, "subject" | "data" | "seq" | "ack" | "nak" | "term" | "working">;

/** Where a loader takes messages from. */
export interface StreamSource {
  /**
   * Resolves to messages as they come: at most so many, and after a second at the latest. Rejects where the stream can't
   * be read; the messages that came before that are delivered again.
   */
  fetch(maxMessages: number): Promise<readonly SourceMessage[]>;
  /** Keeps a copy of a message that can't be loaded, and says why. */
  addDeadLetter(message: SourceMessage, reason: string): Promise<void>;
  /** Returns how many messages the consumer hasn't acknowledged yet. */
  countWaiting(): Promise<number>;
  /** Returns the last number up to which every consumer of the stream has acknowledged all. */
  findAcknowledged(): Promise<number>;
  /** Removes the messages up to a number, and returns how many those were. */
  purge(upTo: number): Promise<number>;
  /** Disconnects, once what was acknowledged is sent. */
  close(): Promise<void>;
}

/** Time without a sign of life after which another loader gets a message. */
export const ACK_WAIT_MS = 30_000;

/** The client's shortest. */
const FETCH_MS = 1000;

/** A server that answers no ping for twice that time is left for another one. */
const PING_INTERVAL_MS = 5000;

/** Longest time of the last acknowledgements. */
const FLUSH_MS = 2000;

const NANOSECONDS_PER_MS = 1_000_000;

/** Longest reason, in UTF-16 units. */
const MAX_REASON_UNITS = 500;

/** End of the name of the stream with what can't be loaded. */
export const DEAD_LETTERS = "_DEAD_LETTERS";

/** Header of such a message: the subject that it came on. */
export const SUBJECT_HEADER = "Vendor-Subject";

/** JetStream's "consumer not found". */
const CONSUMER_NOT_FOUND = 10_014;

/**
 * Connects to a cluster. The stream needn't be there yet: the ingest makes it.
 *
 * @throws {Error} Where the client isn't installed, and where no server can be reached.
 */
export async function openStreamSource(options: StreamSourceOptions): Promise<StreamSource> {
  const { stream, subject, consumer: consumerName, deadLetterSubject } = options;
  const connection = await connect(await loadNats(), options, {
    pingInterval: PING_INTERVAL_MS,
    maxPingOut: 2,
    // A server that starts may not know its users yet, and the client would give up for good.
    ignoreAuthErrorAbort: true,
  });
  const reader = await openReader(connection);
  const { client, manager, headers } = reader;
  let consumer: StreamConsumer | undefined;
  let hasDeadLetterStream = false;

  async function findConsumer(): Promise<StreamConsumer> {
    await ensureConsumer(reader, options);
    return await client.consumers.get(stream, consumerName);
  }

  /** Makes a stream for what can't be loaded, unless one keeps its subject. */
  async function ensureDeadLetterStream(): Promise<void> {
    if (hasDeadLetterStream) return;
    const isKept = await manager.streams.find(deadLetterSubject).then(() => true, () => false);
    if (!isKept) {
      const { config } = await manager.streams.info(stream);
      await manager.streams.add({
        name: `${stream}${DEAD_LETTERS}`,
        subjects: [deadLetterSubject],
        storage: "file",
        num_replicas: config.num_replicas,
      });
    }
    hasDeadLetterStream = true;
  }

  return {
    async fetch(maxMessages) {
      const messages: SourceMessage[] = [];
      try {
        consumer ??= await findConsumer();
        const delivered = await consumer.fetch({ max_messages: maxMessages, expires: FETCH_MS });
        for await (const message of delivered) messages.push(message);
        return messages;
      } catch (error) {
        // It may be gone, with its stream: the next time it is looked for.
        consumer = undefined;
        if (messages.length > 0) return messages;
        throw error;
      }
    },
    async addDeadLetter(message, reason) {
      await ensureDeadLetterStream();
      const head = headers();
      head.set("Vendor-Reason", reason.slice(0, MAX_REASON_UNITS).replace(/[^ -~]/g, "?"));
      head.set(SUBJECT_HEADER, message.subject);
      head.set("Vendor-Sequence", String(message.seq));
      await client.publish(deadLetterSubject, message.data, { headers: head, msgID: `${stream}.${message.seq}` });
    },
    async countWaiting() {
      const { num_pending, num_ack_pending } = await manager.consumers.info(stream, consumerName);
      return num_pending + num_ack_pending;
    },
    async findAcknowledged() {
      let floor = Infinity;
      for await (const { ack_floor } of manager.consumers.list(stream)) floor = Math.min(floor, ack_floor.stream_seq);
      return Number.isFinite(floor) ? floor : 0;
    },
    async purge(upTo) {
      const { config } = await manager.streams.info(stream);
      // A stream of the ingest has no other subjects. nats-server 2.9 goes on to count what is purged by a filter.
      const filter = config.subjects.every((kept) => kept === subject) ? {} : { filter: subject };
      // The message of the number itself stays.
      const { purged } = await manager.streams.purge(stream, { ...filter, seq: upTo + 1 });
      return purged;
    },
    async close() {
      let timer: ReturnType<typeof setTimeout> | undefined;
      const late = new Promise<void>((resolve) => timer = setTimeout(resolve, FLUSH_MS));
      await Promise.race([connection.flush().catch(() => {}), late]);
      clearTimeout(timer);
      await connection.close();
    },
  };
}

/**
 * Makes the durable consumer where it is missing. Any number of loaders may do so.
 *
 * @throws {Error} When the stream is missing, or the consumer is of another kind.
 */
async function ensureConsumer({ manager }: StreamReader, options: StreamSourceOptions): Promise<void> {
  const { stream, subject, consumer } = options;
  const found = await manager.consumers.info(stream, consumer).catch((error: unknown) => {
    if (apiCodeOf(error) === CONSUMER_NOT_FOUND) return undefined;
    throw error;
  });
  if (found === undefined) {
    await manager.consumers.add(stream, {
      durable_name: consumer,
      filter_subject: subject,
      ack_policy: "explicit",
      deliver_policy: "all",
      ack_wait: ACK_WAIT_MS * NANOSECONDS_PER_MS,
      // Each loader holds as many as it can store: the default of 1000 for all would be a block's tenth.
      max_ack_pending: -1,
    });
    return;
  }
  const { ack_policy, deliver_policy, deliver_subject } = found.config;
  if (ack_policy !== "explicit" || deliver_policy !== "all" || deliver_subject !== undefined) {
    throw new Error(`the consumer ${consumer} of ${stream} must pull all messages and acknowledge each`);
  }
}
