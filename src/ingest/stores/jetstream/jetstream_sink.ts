import { describeError } from "../../platform/describe_error.ts";
import { createReconnectingLink, type Link, openLink } from "./jetstream_link.ts";
import { apiCodeOf, loadNats, type PubAck } from "./jetstream_modules.ts";
import { publishUntil, type StreamMessage } from "./jetstream_publish.ts";
import {
  checkConfig,
  DEFAULT_STREAM,
  DEFAULT_SUBJECT_PREFIX,
  ensureStream,
  STREAM_NOT_FOUND,
  type StreamNeeds,
} from "./jetstream_stream.ts";
import type { JetStreamSinkOptions } from "./jetstream_options.ts";
import { hashKey } from "../../platform/digest.ts";
import type { ReceivedBatch } from "../../events/received_batch.ts";
import type { EventSink, SinkRefusal } from "../../ports/sink.ts";

const DEFAULT_REPLICAS = 3;
const DEFAULT_WINDOW_MS = 8 * 24 * 60 * 60 * 1000;
const DEFAULT_TIMEOUT_MS = 10_000;

/** Milliseconds that `check()` waits for a cluster that elects another leader. */
const REELECTION_MS = 3_000;
const DEFAULT_MAX_PENDING_EVENTS = 20_000;

/** Most bytes that wait, beside the events: 20,000 of the largest would take gigabytes. */
const MAX_PENDING_BYTES = 64 * 1024 * 1024;

/** Time in which a refusal of the cluster, such as a full disk, keeps the sink from being ready, unless something is stored. */
const REFUSAL_MS = 30_000;

/** Most bytes of the headers of a message, beside its id. */
const HEADER_BYTES = 64;

const TOO_LARGE: SinkRefusal = {
  status: 413,
  code: "event_too_large",
  message: "an event is larger than can be stored",
};

const OVERLOADED: SinkRefusal = {
  status: 503,
  code: "overloaded",
  message: "too many events at a time, try again later",
  retryAfterS: 2,
};

/**
 * Connects to a NATS cluster and creates the sink that publishes to a JetStream of it: one message per event, with its
 * JSON, acknowledged by a majority of the replicas. Any number of processes may publish to one stream.
 *
 * The subject is `vendor.events.<hash of the key>`, the message id the hash and the event's id; the servers drop an id
 * that they know. When a batch fails half way, what was stored of it is a duplicate the next time.
 *
 * @throws {Error} Where the official client isn't installed, for a cluster that can't be reached, and for a stream that
 * can't be made or doesn't do.
 */
export async function createJetStreamSink(options: JetStreamSinkOptions): Promise<EventSink> {
  const { subjectPrefix = DEFAULT_SUBJECT_PREFIX } = options;
  const needs = readNeeds(options);
  const { timeoutMs = DEFAULT_TIMEOUT_MS, maxPendingEvents = DEFAULT_MAX_PENDING_EVENTS } = options;
  const nats = await loadNats();
  const link = await openLink(nats, options);
  const maxMessageBytes = await openStream(link, needs);
  const reconnecting = createReconnectingLink(link, (servers) => openLink(nats, options, servers));
  const encoder = new TextEncoder();
  const underWay = new Set<Promise<unknown>>();
  let pendingEvents = 0;
  let pendingBytes = 0;
  let refusal: { readonly error: Error; readonly atMs: number } | undefined;
  let isClosed = false;

  async function publishAll(
    { apiKey, events }: ReceivedBatch,
    parts: readonly Pick<StreamMessage, "id" | "payload">[],
  ): ReturnType<EventSink["store"]> {
    const keyHash = await hashKey(apiKey);
    const deadlineMs = performance.now() + timeoutMs;
    const subject = `${subjectPrefix}.${keyHash}`;
    const messages = parts.map(({ id, payload }) => ({ subject, id: `${keyHash}.${id}`, payload }));
    const maxBytes = Math.min(maxMessageBytes, reconnecting.current().maxPayloadBytes) - HEADER_BYTES;
    if (messages.some(({ id, payload }) => id.length + payload.byteLength > maxBytes)) return TOO_LARGE;
    const acks = await Promise.allSettled(messages.map((message) => publishUntil(reconnecting, message, deadlineMs)));
    const failure = acks.find(({ status }) => status === "rejected");
    if (failure?.status === "rejected") {
      const { reason } = failure;
      if (apiCodeOf(reason.cause) !== undefined) refusal = { error: reason, atMs: performance.now() };
      throw reason;
    }
    const stored = events.filter((_, index) => isNew(acks[index]));
    if (stored.length > 0) refusal = undefined;
    return { accepted: stored.length, duplicates: events.length - stored.length, events: stored };
  }

  /** Makes a stream anew that was deleted, so that the next look finds it; rejects all the same. */
  async function remakeStream(error: unknown): Promise<never> {
    if (apiCodeOf(error) !== STREAM_NOT_FOUND) throw error;
    await ensureStream(reconnecting.current().manager, needs);
    throw new Error(`the stream ${needs.name} was deleted with what it held; it was made anew`, { cause: error });
  }

  return {
    async store(batch) {
      if (isClosed) throw new Error("the JetStream sink is closed");
      const { length } = batch.events;
      // A batch alone is taken whatever it holds: turned down, it would come back for ever.
      const isAlone = pendingEvents === 0;
      if (!isAlone && pendingEvents + length > maxPendingEvents) return OVERLOADED;
      const parts = batch.events.map((event) => ({
        // The id is any text; encoded, it fits into a header and stays distinct.
        id: encodeURIComponent(event.id),
        payload: encoder.encode(JSON.stringify(event)),
      }));
      const bytes = parts.reduce((sum, { payload }) => sum + payload.byteLength, 0);
      if (!isAlone && pendingBytes + bytes > MAX_PENDING_BYTES) return OVERLOADED;
      pendingEvents += length;
      pendingBytes += bytes;
      const publishing = publishAll(batch, parts);
      underWay.add(publishing);
      const release = (): void => {
        pendingEvents -= length;
        pendingBytes -= bytes;
      };
      // What wasn't acknowledged may still be in memory, on its way to a server that hangs.
      publishing.then(release, () => reconnecting.current().drained().then(release));
      try {
        return await publishing;
      } finally {
        underWay.delete(publishing);
      }
    },
    async check() {
      if (isClosed || reconnecting.current().isClosed()) throw new Error("the connection to NATS is closed");
      const { cluster, config } = await reconnecting.ask(({ manager }) => manager.streams.info(needs.name))
        .catch(remakeStream);
      // Whoever runs the cluster may have changed it since the start.
      checkConfig(config, needs);
      if (refusal !== undefined && performance.now() - refusal.atMs < REFUSAL_MS) throw refusal.error;
      if (cluster === undefined || cluster.leader) return;
      // A cluster that elects another one, as while it starts, is no reason yet.
      await reconnecting.ask(({ manager }) => ensureStream(manager, needs, REELECTION_MS));
    },
    async close() {
      isClosed = true;
      await Promise.allSettled(underWay);
      await reconnecting.close();
    },
  };
}

function readNeeds(options: JetStreamSinkOptions): StreamNeeds {
  const { stream: name = DEFAULT_STREAM, subjectPrefix = DEFAULT_SUBJECT_PREFIX } = options;
  const { replicas = DEFAULT_REPLICAS, duplicateWindowMs = DEFAULT_WINDOW_MS } = options;
  return { name, subject: `${subjectPrefix}.*`, replicas, duplicateWindowMs };
}

/** Returns how many bytes a message of the stream may have, headers included. */
async function openStream(link: Link, needs: StreamNeeds): Promise<number> {
  try {
    const { max_msg_size: maxBytes = -1 } = await ensureStream(link.manager, needs);
    return maxBytes < 0 ? Infinity : maxBytes;
  } catch (cause) {
    await link.close();
    throw new Error(`JetStream can't be used: ${describeError(cause)}`, { cause });
  }
}

function isNew(ack: PromiseSettledResult<PubAck> | undefined): boolean {
  return ack?.status === "fulfilled" && !ack.value.duplicate;
}
