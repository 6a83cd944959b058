import { REFUSAL_STATUSES, type RefusalStatus } from "../request/refusal.ts";
import { DEFAULT_RETRY_S, limitRetryAfter } from "../request/retry_after.ts";
import type { SinkRefusal } from "./sink.ts";

const KNOWN_STATUSES: ReadonlySet<RefusalStatus> = new Set(Object.values(REFUSAL_STATUSES));

/**
 * Makes the refusal of a sink keep the contract: 429 and 503 have a time to wait, the others have none.
 *
 * @throws {TypeError} For a status that isn't one of a refusal, as plain JavaScript can return. Whether its sender
 * would keep the events or drop them is anybody's guess.
 */
export function checkSinkRefusal({ status, code, message, retryAfterS }: SinkRefusal): SinkRefusal {
  if (!KNOWN_STATUSES.has(status)) {
    throw new TypeError(`the sink refused with ${status}, which is no status of a refusal`);
  }
  const mayReturn = status === 429 || status === 503;
  return { status, code, message, ...(mayReturn && { retryAfterS: limitRetryAfter(retryAfterS ?? DEFAULT_RETRY_S) }) };
}
