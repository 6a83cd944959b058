import { assertEquals } from "@std/assert";
import fc from "fast-check";
import type { DataSubject, ReportQuery, ReportReader, StoredEvent } from "../../../src/ingest/mod.ts";
import { createReferenceStore } from "../reports/reference_store.ts";
import { buildQuery, SITE } from "../reports/fixtures.ts";
import { batchOf } from "./sink_contract.ts";
import type { WithHeld } from "./data_contract.ts";
import { anEvent as build } from "./data_fixtures.ts";

const USERS = ["ada", "bob", undefined] as const;

const VISITORS = ["a-1", "a-2", "a-3"] as const;

/** Behind every erasure of the test: it names none of these. */
const LATER = "2199-03-02T10:00:00.000Z";

// Few ids, so that events come again after an erasure; few people, so that they share sessions, paths and devices.
const anEvent: fc.Arbitrary<StoredEvent> = fc.record({
  id: fc.integer({ min: 0, max: 200 }),
  name: fc.constantFrom("$pageview", "signup"),
  day: fc.integer({ min: 1, max: 3 }),
  isFull: fc.boolean(),
  isLater: fc.boolean(),
  session: fc.integer({ min: 0, max: 3 }),
  userId: fc.constantFrom(...USERS),
  anonymousId: fc.constantFrom(...VISITORS),
  pageUrl: fc.constantFrom(`${SITE}/`, `${SITE}/teas`, "https://blog.example/"),
  violation: fc.constantFrom("missing" as const, undefined),
}).map(({ id, name, day, isFull, isLater, session, userId, anonymousId, pageUrl, violation }) =>
  build(buildId(id), {
    name: isFull ? name : "$pageview",
    collection: isFull ? "full" : "aggregate",
    timestamp: isLater ? LATER : `2026-03-0${day}T10:00:00.000Z`,
    anonymousId,
    context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageUrl },
    // No session lasts from the one day to the other: ClickHouse counts none of over two days as one.
    ...(isFull && { sessionId: `s-${session}${isLater ? "-later" : ""}` }),
    ...(userId && { userId }),
    ...(isLater && { receivedAt: LATER }),
    ...(violation && { violation }),
  })
);

/** An id that says of two events at the same time which is first. */
function buildId(number: number): string {
  return `00000000-0000-4000-8000-${number.toString(16).padStart(12, "0")}`;
}

type Step =
  | { readonly kind: "store"; readonly events: readonly StoredEvent[] }
  | { readonly kind: "erase"; readonly userId?: string; readonly anonymousId: string; readonly withVisitors: boolean };

const aStore: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("store" as const),
  events: fc.array(anEvent, { minLength: 20, maxLength: 60, size: "max" }),
});

const anErasure: fc.Arbitrary<Step> = fc.record({
  kind: fc.constant("erase" as const),
  userId: fc.constantFrom("ada", "bob"),
  anonymousId: fc.constantFrom(...VISITORS),
  withVisitors: fc.boolean(),
}, { requiredKeys: ["kind", "anonymousId", "withVisitors"] });

/** Each run stores first, and erases last: no run is without an erasure that finds something to erase. */
const someSteps: fc.Arbitrary<readonly Step[]> = fc.tuple(
  aStore,
  fc.array(fc.oneof(aStore, anErasure), { minLength: 1, maxLength: 6, size: "max" }),
  anErasure,
).map(([first, between, last]) => [first, ...between, last]);

/** What should be stored, found out the slow way. */
function createModel(forgetsErased: boolean): {
  store(events: readonly StoredEvent[]): number;
  erase(step: Step & { kind: "erase" }): number;
  events(): readonly StoredEvent[];
} {
  let stored: StoredEvent[] = [];
  const ids = new Set<string>();
  const rules: ((event: StoredEvent) => boolean)[] = [];
  const isErased = (event: StoredEvent): boolean => event.timestamp !== LATER && rules.some((rule) => rule(event));

  function listRules({ userId, anonymousId, withVisitors }: Step & { kind: "erase" }): typeof rules {
    if (userId === undefined) return [({ identity }) => identity?.anonymousId === anonymousId];
    const isTheirs = ({ identity }: StoredEvent): boolean => identity?.userId === userId;
    if (!withVisitors) return [isTheirs];
    const visitors = stored.filter((event) => isTheirs(event) && !isErased(event))
      .map(({ identity }) => identity?.anonymousId);
    return [
      isTheirs,
      ({ identity }) => identity !== undefined && identity.userId === null && visitors.includes(identity.anonymousId),
    ];
  }

  return {
    store: (events) => {
      let accepted = 0;
      for (const event of events) {
        if (isErased(event) || ids.has(event.id)) continue;
        stored.push(event);
        ids.add(event.id);
        accepted += 1;
      }
      return accepted;
    },
    erase: (step) => {
      rules.push(...listRules(step));
      const gone = stored.filter(isErased);
      stored = stored.filter((event) => !isErased(event));
      if (forgetsErased) { for (const { id } of gone) ids.delete(id); }
      return gone.length;
    },
    events: () => stored,
  };
}

/** How a store is tested. */
export interface ErasuresOptions {
  /** How many runs there are. */
  readonly numRuns: number;
  /** Whether the store tells a repeat when it arrives, by its id alone. Otherwise a repeat is the same in all. */
  readonly knowsIds: boolean;
  /**
   * Whether the id of an event that was erased is a new one again.
   *
   * @default {true}
   */
  readonly forgetsErased?: boolean;
}

/** Makes what names an event by all that it holds. */
function createNames(): (event: StoredEvent) => StoredEvent {
  const ids = new Map<string, string>();
  return (event) => {
    const content = JSON.stringify({ ...event, id: "" });
    const id = ids.get(content) ?? buildId(ids.size);
    ids.set(content, id);
    return { ...event, id };
  };
}

async function readLists(reader: ReportReader, query: ReportQuery) {
  return {
    overview: await reader.overview(query, []),
    pages: await reader.pages(query, 10),
    sources: await reader.sources(query, { by: "referrer" }, 10),
    steps: await reader.steps(query, 10),
  };
}

/** Registers the test of a store: reports equal a recount after any erasures, and nobody erased is back. */
export function testErasures(
  name: string,
  withHeld: WithHeld,
  { numRuns, knowsIds, forgetsErased = true }: ErasuresOptions,
): void {
  Deno.test(`${name} any erasures: reports equal a recount, and nobody erased is back`, () =>
    withHeld(async ({ sink, reader, data }) => {
      let run = 0;
      let erasedInAll = 0;
      await fc.assert(
        fc.asyncProperty(someSteps, async (steps) => {
          const apiKey = `pk_run_${run++}`;
          const model = createModel(forgetsErased);
          const nameByContent = createNames();
          for (const step of steps) {
            if (step.kind === "store") {
              const events = knowsIds ? step.events : step.events.map(nameByContent);
              const result = await sink.store(batchOf(events, apiKey));
              const accepted = model.store(events);
              if (knowsIds) assertEquals("accepted" in result && result.accepted, accepted);
              continue;
            }
            const { userId, anonymousId, withVisitors } = step;
            const subject: DataSubject = userId === undefined
              ? { apiKey, anonymousId }
              : { apiKey, userId, withVisitors };
            const expected = model.erase(step);
            erasedInAll += expected;
            assertEquals((await data.erase(subject)).events, expected);
          }
          const query = buildQuery({ apiKey, from: "2026-01-01", to: "2199-12-31" });
          const expected = createReferenceStore(() => model.events());

          assertEquals(await readLists(reader, query), await readLists(expected, query));
        }),
        { numRuns },
      );

      // Or the runs proved nothing.
      assertEquals(erasedInAll > 4 * numRuns, true, `${erasedInAll}`);
    }));
}
