import type { FoundData } from "../../ports/data_store.ts";
import type { StoredOwner } from "../../events/selection.ts";

/** Summary of events that were looked at. */
export interface DataSummary {
  /** Adds an event. */
  add(event: StoredOwner): void;
  /** Returns the anonymous ids of those that have one. */
  anonymousIds(): ReadonlySet<string>;
  /** Returns how many events and sessions there were. */
  counts(): Pick<FoundData, "events" | "sessions">;
  /** Returns all of it. */
  found(): FoundData;
}

/** Creates the summary of no events. */
export function createDataSummary(): DataSummary {
  const [sessions, anonymousIds, userIds] = [new Set<string>(), new Set<string>(), new Set<string>()];
  let events = 0;
  let first: string | undefined;
  let last: string | undefined;

  return {
    add({ sessionId, anonymousId, userId, timestamp }) {
      events += 1;
      if (sessionId !== null) sessions.add(sessionId);
      if (typeof anonymousId === "string") anonymousIds.add(anonymousId);
      // As its hash has it, and ClickHouse: UTF-8 holds no half of a character.
      if (typeof userId === "string") userIds.add(userId.toWellFormed());
      if (first === undefined || timestamp < first) first = timestamp;
      if (last === undefined || timestamp > last) last = timestamp;
    },
    anonymousIds: () => anonymousIds,
    counts: () => ({ events, sessions: sessions.size }),
    found: () => ({
      events,
      sessions: sessions.size,
      ...(first !== undefined && { first }),
      ...(last !== undefined && { last }),
      anonymousIds: [...anonymousIds],
      userIds: [...userIds],
    }),
  };
}
