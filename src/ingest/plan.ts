import { createPlanCheck, type Plan } from "@vendor/sdk/contract";
import type { IngestOptions, ViolationCount } from "./options.ts";
import type { ReceivedBatch } from "./events/received_batch.ts";
import type { StoredEvent } from "./events/stored_event.ts";

/** A batch as a plan leaves it. */
export interface CheckedBatch {
  /** The events to store. One that breaks the plan says so, or isn't among them. */
  readonly batch: ReceivedBatch;
  /** The events that aren't to be stored. */
  readonly refused: readonly StoredEvent[];
}

/** A plan, for batches. */
export interface BatchPlan {
  /** Checks the events of a batch. */
  check(batch: ReceivedBatch): CheckedBatch;
  /** Counts what breaks the plan among events that were checked. */
  count(events: readonly StoredEvent[]): readonly ViolationCount[];
}

/** A schema that throws. Its message says nothing of the event, which the one of the cause may repeat. */
export class PlanFault extends Error {
  /** Tells it from the faults of a sink. */
  override readonly name = "PlanFault";
}

/** Options of {@linkcode createBatchPlan}, beside the plan. */
export interface BatchPlanOptions {
  /** The treatment of events that break the plan. */
  readonly mode: NonNullable<IngestOptions["planMode"]>;
  /** Hears of a schema that throws: a fault of the plan, for which no event is to suffer. */
  readonly onError: (error: unknown) => void;
}

/**
 * Creates what holds batches to a plan.
 *
 * @throws {TypeError} For a plan that holds something else than schemas, and for an unknown mode.
 */
export function createBatchPlan(plan: Plan, { mode, onError }: BatchPlanOptions): BatchPlan {
  if (mode !== "count" && mode !== "refuse") throw new TypeError('planMode must be "count" or "refuse"');
  const checkStep = createPlanCheck(plan);

  function mark(event: StoredEvent): StoredEvent {
    try {
      const violation = checkStep(event);
      return violation === undefined ? event : { ...event, violation: violation.kind };
    } catch (error) {
      onError(new PlanFault(`the schema of ${JSON.stringify(event.name)} failed`, { cause: error }));
      return event;
    }
  }

  return {
    check(batch): CheckedBatch {
      const events = batch.events.map(mark);
      const refused = mode === "refuse" ? events.filter(({ violation }) => violation !== undefined) : [];
      if (refused.length === 0) return { batch: { ...batch, events }, refused };
      const kept = events.filter(({ violation }) => violation === undefined);
      return { batch: { ...batch, events: kept }, refused };
    },
    count(events): readonly ViolationCount[] {
      const counts = new Map<string, ViolationCount>();
      for (const { name: eventName, violation: kind } of events) {
        if (kind === undefined) continue;
        // Senders may make up any number of names.
        const name = kind === "unknown" ? "" : eventName;
        const place = `${kind} ${name}`;
        counts.set(place, { name, kind, count: (counts.get(place)?.count ?? 0) + 1 });
      }
      return [...counts.values()];
    },
  };
}
