import { describeError } from "../../platform/describe_error.ts";
import type { ReconnectingLink } from "./jetstream_link.ts";
import { apiCodeOf, isPassing, isTimeout, type PubAck } from "./jetstream_modules.ts";

/** A message for a stream. */
export interface StreamMessage {
  /** Subject. */
  readonly subject: string;
  /** Id by which the servers know it again. */
  readonly id: string;
  /** Content. */
  readonly payload: Uint8Array;
}

/** Time that one attempt waits for its acknowledgement. */
const ATTEMPT_TIMEOUT_MS = 2_500;

/** Between two attempts. */
const ATTEMPT_WAIT_MS = 200;

/** Code of newer servers for an id whose first message isn't stored yet. */
const DUPLICATE_IN_PROCESS_CODE = 10_158;

/**
 * Publishes a message until it is acknowledged: attempts that end without an answer, as while a leader is elected, are
 * repeated under the same id. Rejects once the deadline, a time of `performance.now()`, has passed, and at once where
 * the cluster refuses the message.
 */
export async function publishUntil(
  reconnecting: ReconnectingLink,
  { subject, id, payload }: StreamMessage,
  deadlineMs: number,
): Promise<PubAck> {
  let mayBeStored = false;
  for (;;) {
    const link = reconnecting.current();
    let cause: unknown;
    try {
      const timeout = Math.max(1, Math.min(ATTEMPT_TIMEOUT_MS, deadlineMs - performance.now()));
      const ack = await reconnecting.ask(({ publisher }) =>
        publisher.publish(subject, payload, { msgID: id, timeout })
      );
      // A duplicate of an attempt whose acknowledgement was late or lost is new all the same.
      if (ack.seq > 0) return { ...ack, duplicate: ack.duplicate && !mayBeStored };
      // Newer servers call an id a duplicate when its first message isn't stored yet, and may never be.
      cause = new Error("its first copy isn't stored yet");
    } catch (error) {
      cause = error;
      const isUnanswered = reconnecting.current() !== link || isTimeout(error);
      const isInProcess = apiCodeOf(error) === DUPLICATE_IN_PROCESS_CODE;
      if (!isUnanswered && !isInProcess && !isPassing(error)) {
        throw new Error(`an event was refused: ${describeError(error)}`, { cause });
      }
      mayBeStored ||= isUnanswered;
      // A server that hangs reads nothing: each attempt would stay in memory, beside the ones before.
      if (isUnanswered) await untilDeadline(link.drained(), deadlineMs);
    }
    if (performance.now() + ATTEMPT_WAIT_MS >= deadlineMs) {
      throw new Error(`an event wasn't acknowledged in time: ${describeError(cause)}`, { cause });
    }
    await new Promise((resolve) => setTimeout(resolve, ATTEMPT_WAIT_MS));
  }
}

/** Waits for the promise, at most until the deadline. */
async function untilDeadline(promise: Promise<void>, deadlineMs: number): Promise<void> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const deadline = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, Math.max(0, deadlineMs - performance.now()));
  });
  await Promise.race([promise, deadline]);
  clearTimeout(timer);
}
