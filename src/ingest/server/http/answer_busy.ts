import { type Answer, answerRefusal } from "../../http/answers.ts";
import type { SinkRefusal } from "../../ports/sink.ts";

/**
 * Why a server turns a request away that the ingest would take: there are too many at work or arriving, too many of one
 * address, it took too long, or the server is about to end.
 */
export const BUSY_CODES = ["overloaded", "too_many_bodies", "timeout", "stopping"] as const;

/** One of {@linkcode BUSY_CODES}. */
export type BusyCode = typeof BUSY_CODES[number];

/** Seconds that a sender is told to wait. */
const RETRY_AFTER_S = 2;

const ANSWERS: Readonly<Record<BusyCode, Pick<SinkRefusal, "status" | "message">>> = {
  overloaded: { status: 503, message: "too many requests at a time, try again later" },
  too_many_bodies: { status: 429, message: "too many unfinished requests from your address, try again later" },
  timeout: { status: 503, message: "the request took too long, try again later" },
  stopping: { status: 503, message: "the server is about to end, try again later" },
};

/** Answers a request that is turned away. */
export function answerBusy(code: BusyCode): Answer {
  return answerRefusal({ ...ANSWERS[code], code, retryAfterS: RETRY_AFTER_S });
}
