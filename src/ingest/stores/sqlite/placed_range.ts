import type { EventRange } from "../../ports/data_store.ts";

/** A range of events, and which part of it. */
export interface PlacedRange extends EventRange {
  /** Place behind which it begins. */
  readonly after: number;
  /** The last place. */
  readonly until: number;
}
