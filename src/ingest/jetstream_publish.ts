import type { PubAck, StreamPublisher } from "./jetstream_modules.ts";

/** A message for a stream. */
export interface StreamMessage {
  /** Subject. */
  readonly subject: string;
  /** Id by which the servers know it again. */
  readonly id: string;
  /** Content. */
  readonly payload: Uint8Array;
}

/** How long one attempt waits for its acknowledgement. */
const ATTEMPT_TIMEOUT_MS = 2_500;

/** Between two attempts. */
const ATTEMPT_WAIT_MS = 200;

/**
 * Publishes a message until it is acknowledged: attempts that end without an answer, as while a leader is elected, are
 * repeated under the same id. Rejects once the deadline has passed.
 */
export async function publishUntil(
  publisher: StreamPublisher,
  { subject, id, payload }: StreamMessage,
  deadlineMs: number,
): Promise<PubAck> {
  for (;;) {
    try {
      const timeout = Math.max(1, Math.min(ATTEMPT_TIMEOUT_MS, deadlineMs - Date.now()));
      const ack = await publisher.publish(subject, payload, { msgID: id, timeout });
      if (ack.seq > 0) return ack;
      // Newer servers call an id a duplicate when its first message isn't stored yet, and may never be.
      throw new Error("its first copy isn't stored yet");
    } catch (cause) {
      if (Date.now() + ATTEMPT_WAIT_MS >= deadlineMs) {
        const reason = cause instanceof Error ? cause.message : String(cause);
        throw new Error(`an event wasn't acknowledged in time: ${reason}`, { cause });
      }
      await new Promise((resolve) => setTimeout(resolve, ATTEMPT_WAIT_MS));
    }
  }
}
