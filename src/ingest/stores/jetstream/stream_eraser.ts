import { connect } from "./jetstream_link.ts";
import type { LinkOptions } from "./jetstream_options.ts";
import { apiCodeOf, loadNats, openReader, type StreamReader } from "./jetstream_modules.ts";
import { DEFAULT_SUBJECT_PREFIX, STREAM_NOT_FOUND } from "./jetstream_stream.ts";
import { createErasureCheck, type Erasure, toOwner } from "../../events/erasures.ts";
import { readMessage } from "./read_message.ts";
import { DEAD_LETTERS, SUBJECT_HEADER } from "./stream_source.ts";

/** Which stream is meant. */
export interface StreamEraserOptions extends LinkOptions {
  /** Name of the stream, which the ingest makes. */
  readonly stream: string;
  /**
   * First part of the subjects.
   *
   * @default {"vendor.events"}
   */
  readonly subjectPrefix?: string;
}

/** Messages that are read at a time. */
const FETCH_MESSAGES = 500;

/** Milliseconds to wait for them: the client's shortest. */
const FETCH_MS = 1000;

/** JetStream's "message not found": the purge was faster. */
const MESSAGE_NOT_FOUND = 10_057;

/**
 * Deletes the messages of a stream that records of one key name, and those of its dead letters, byte for byte: what a
 * loader would leave out, or keep for the purge. Returns how many that were.
 *
 * @throws {Error} Where the client isn't installed, no server can be reached, or there is no such stream.
 */
export async function eraseFromStream(options: StreamEraserOptions, erasures: readonly Erasure[]): Promise<number> {
  const keyHash = erasures[0]?.key;
  if (keyHash === undefined) return 0;
  const connection = await connect(await loadNats(), options);
  const reader = await openReader(connection);
  const { stream, subjectPrefix = DEFAULT_SUBJECT_PREFIX } = options;
  try {
    const waiting = await eraseNamed(reader, { stream, subject: `${subjectPrefix}.${keyHash}` }, erasures);
    // Every letter: the subject that it came on is in its head.
    return waiting + await eraseNamed(reader, { stream: `${stream}${DEAD_LETTERS}` }, erasures).catch(ignoreMissing);
  } finally {
    await connection.close();
  }
}

function ignoreMissing(error: unknown): number {
  if (apiCodeOf(error) === STREAM_NOT_FOUND) return 0;
  throw error;
}

interface Messages {
  readonly stream: string;
  /** Subject of the messages; absent for all. */
  readonly subject?: string;
}

async function eraseNamed(
  { client, manager }: StreamReader,
  { stream, subject }: Messages,
  erasures: readonly Erasure[],
): Promise<number> {
  const { state } = await manager.streams.info(stream);
  if (state.messages === 0) return 0;
  const isErased = createErasureCheck(erasures);
  const consumer = await client.consumers.get(stream, subject === undefined ? {} : { filter_subjects: subject });
  let [erased, last] = [0, 0];
  for (;;) {
    const before = last;
    for await (const message of await consumer.fetch({ max_messages: FETCH_MESSAGES, expires: FETCH_MS })) {
      last = message.seq;
      const read = readMessage(message.headers?.get(SUBJECT_HEADER) || message.subject, message.data);
      if ("reason" in read || !await isErased(toOwner(read.keyHash, read.event))) continue;
      erased += await manager.streams.deleteMessage(stream, message.seq, true).then(Number, (error) => {
        if (apiCodeOf(error) === MESSAGE_NOT_FOUND) return 0;
        throw error;
      });
    }
    // What comes after the beginning was captured later, or the loader leaves it out.
    if (last === before || last >= state.last_seq) break;
  }
  return erased;
}
