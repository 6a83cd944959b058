import type { EventOwner } from "./erasures.ts";

/** An event of the store, without what it says. */
export interface StoredOwner extends EventOwner {
  /** Its place in the order of arrival. */
  readonly seq: number;
  /** Session; null for aggregates. */
  readonly sessionId: string | null;
}
