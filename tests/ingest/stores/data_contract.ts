import { assertEquals, assertRejects } from "@std/assert";
import fc from "fast-check";
import type { DataStore, DataSubject, EventSink, StoredEvent } from "../../../src/ingest/mod.ts";
import { hashKey } from "../../../src/ingest/platform/digest.ts";
import type { ReportReader } from "../../../src/ingest/ports/reader.ts";
import { KEY, OTHER_KEY } from "../fixtures.ts";
import { buildQuery, countEvents } from "../reports/fixtures.ts";
import { batchOf } from "./sink_contract.ts";
import { anEvent } from "./data_fixtures.ts";
import type { EventRange } from "../../../src/ingest/ports/data_store.ts";

/** A store of events, and what answers for its data. */
export interface Held {
  readonly sink: EventSink;
  readonly data: DataStore;
  readonly reader: ReportReader;
  /** Returns the ids of what is stored, of all keys, sorted. */
  listIds(): Promise<readonly string[]>;
}

/** Opens a store, and closes it after the test. */
export type WithHeld = (use: (held: Held) => Promise<void>) => Promise<void>;

const DAY_MS = 24 * 60 * 60 * 1000;

function receivedAt(second: number): string {
  return new Date(Date.UTC(2026, 2, 1, 10, 0, second)).toISOString();
}

/** A visitor who signs in, and out again, on a device that somebody else uses as well. */
export const SHARED: readonly StoredEvent[] = [
  anEvent("before", { anonymousId: "a-1", receivedAt: receivedAt(1) }),
  anEvent("as-ada", { userId: "ada", anonymousId: "a-1", sessionId: "s-2", receivedAt: receivedAt(2) }),
  anEvent("as-bob", { userId: "bob", anonymousId: "a-1", receivedAt: receivedAt(3) }),
  anEvent("elsewhere", { userId: "ada", anonymousId: "a-2", receivedAt: receivedAt(4) }),
  anEvent("stranger", { anonymousId: "a-3", receivedAt: receivedAt(5) }),
  anEvent("counted", { collection: "aggregate", receivedAt: receivedAt(6) }),
];

/** Registers what holds of every store of people's data. */
export function testData(name: string, withHeld: WithHeld): void {
  const test = (what: string, use: (held: Held) => Promise<void>): void =>
    Deno.test(`${name} ${what}`, () => withHeld(use));

  test("find() counts what is stored of a user, of a visitor, and of a user's visitors", async ({ sink, data }) => {
    await sink.store(batchOf(SHARED));
    await sink.store(batchOf(SHARED, OTHER_KEY));

    const user = await data.find({ apiKey: KEY, userId: "ada" });
    const visitor = await data.find({ apiKey: KEY, anonymousId: "a-1" });
    const both = await data.find({ apiKey: KEY, userId: "ada", withVisitors: true });
    const nobody = await data.find({ apiKey: KEY, userId: "a-1" });

    const at = SHARED[0]?.timestamp ?? "";
    assertEquals(user, {
      events: 2,
      sessions: 2,
      first: at,
      last: at,
      anonymousIds: ["a-1", "a-2"],
      userIds: ["ada"],
    });
    assertEquals([visitor.events, visitor.userIds], [3, ["ada", "bob"]]);
    assertEquals([both.events, both.userIds], [3, ["ada"]]);
    assertEquals(nobody, { events: 0, sessions: 0, anonymousIds: [], userIds: [] });
  });

  test("export() reads what is stored of somebody, in the order of arrival", async ({ sink, data }) => {
    await sink.store(batchOf(SHARED));

    const events = await Array.fromAsync(data.export({ apiKey: KEY, userId: "ada", withVisitors: true }));

    assertEquals(events, [SHARED[0], SHARED[1], SHARED[3]].map((event) => event as StoredEvent));
  });

  test("has what a backend sent of a user, who has no session, visitor or page there", async (held) => {
    const { sink, data, reader, listIds } = held;
    const sent = (id: string, userId: string | null): StoredEvent => ({
      id,
      name: "purchase",
      collection: "full",
      timestamp: "2026-03-01T10:00:00.000Z",
      receivedAt: receivedAt(7),
      identity: { userId },
      batchId: "b-7",
      place: 3,
    });
    const [ofAda, ofBob, ofNobody] = [sent("of-ada", "ada"), sent("of-bob", "bob"), sent("of-nobody", null)];
    await sink.store(batchOf([...SHARED, ofAda, ofBob, ofNobody]));
    const ada = { apiKey: KEY, userId: "ada", withVisitors: true } as const;

    const { events, sessions, anonymousIds, userIds } = await data.find(ada);
    const exported = await Array.fromAsync(data.export({ apiKey: KEY, userId: "bob" }));
    const reported = await countEvents(reader, buildQuery({ apiKey: KEY }));
    await data.erase(ada);

    assertEquals({ events, sessions, anonymousIds, userIds }, {
      events: 4,
      sessions: 2,
      anonymousIds: ["a-1", "a-2"],
      userIds: ["ada"],
    });
    assertEquals(exported, [SHARED[2], ofBob].map((event) => event as StoredEvent));
    assertEquals(reported, SHARED.length);
    assertEquals(await listIds(), ["as-bob", "counted", "of-bob", "of-nobody", "stranger"]);
  });

  test("exportAll() reads everybody's events, of a key or of all, and of a range of time", async ({ sink, data }) => {
    const at = (id: string, timestamp: string): StoredEvent => anEvent(id, { timestamp });
    const timed = [
      at("day-before", "2026-02-28T23:59:59.999Z"),
      at("first", "2026-03-01T00:00:00Z"),
      at("last", "2026-03-01T23:59:59.999Z"),
      at("day-after", "2026-03-02T00:00:00.000Z"),
    ];
    await sink.store(batchOf([...SHARED, ...timed]));
    await sink.store(batchOf(SHARED, OTHER_KEY));
    const listIdsOf = async (range?: EventRange): Promise<readonly string[]> =>
      (await Array.fromAsync(data.exportAll(range))).map(({ event: { id } }) => id).toSorted();
    const day = { from: "2026-03-01T00:00:00.000Z", to: "2026-03-02T00:00:00Z" };
    const shared = SHARED.map(({ id }) => id);

    const all = await Array.fromAsync(data.exportAll());
    const hashes = new Set(all.map(({ keyHash }) => keyHash));
    const stored = all.filter(({ event }) => event.id === "as-ada");

    assertEquals(hashes, new Set([await hashKey(KEY), await hashKey(OTHER_KEY)]));
    assertEquals(stored.map(({ event }) => event), [SHARED[1], SHARED[1]] as StoredEvent[]);
    assertEquals(await listIdsOf(), [...shared, ...shared, ...timed.map(({ id }) => id)].toSorted());
    assertEquals(await listIdsOf({ apiKey: OTHER_KEY }), shared.toSorted());
    assertEquals(await listIdsOf({ apiKey: "pk_unknown" }), []);
    assertEquals(await listIdsOf({ apiKey: KEY, ...day }), [...shared, "first", "last"].toSorted());
    assertEquals(await listIdsOf({ apiKey: KEY, from: "2026-03-01T23:00:00Z" }), ["day-after", "last"]);
    assertEquals(await listIdsOf({ to: "2026-03-01T00:00:00Z" }), ["day-before"]);
    await assertRejects(() => Array.fromAsync(data.exportAll({ from: "yesterday" })), TypeError, "from must be");
  });

  test("exportAll() leaves out whom an erasure names, and breaks off where nobody reads on", async (held) => {
    const { sink, data } = held;
    await sink.store(batchOf(Array.from({ length: 6000 }, (_, index) => anEvent(`e-${index}`, { userId: "ada" }))));
    await sink.store(batchOf([anEvent("of-bob", { userId: "bob" })]));
    let read = 0;
    for await (const { event: _ } of data.exportAll()) {
      read += 1;
      if (read === 10) break;
    }
    await data.erase({ apiKey: KEY, userId: "ada" });

    const left = await Array.fromAsync(data.exportAll({ apiKey: KEY }));

    assertEquals(left.map(({ event: { id } }) => id), ["of-bob"]);
  });

  test("erase() deletes a user's events, and with the visitors those of before the sign-in", async (held) => {
    const { sink, data, reader, listIds } = held;
    await sink.store(batchOf(SHARED));
    await sink.store(batchOf(SHARED, OTHER_KEY));
    const subject = { apiKey: KEY, userId: "ada", withVisitors: true };

    const tried = await data.erase(subject, { dryRun: true });
    const afterTry = (await listIds()).length;
    const { erasedAt, remains: _, goneBy: __, ...erased } = await data.erase(subject);
    const left = await listIds();
    const again = await data.erase(subject);
    const reported = await countEvents(reader, buildQuery({ apiKey: KEY }));
    const { total } = await reader.overview(buildQuery({ apiKey: KEY }), []);

    assertEquals(tried, { events: 3, sessions: 2, visitors: 2 });
    assertEquals(afterTry, 2 * SHARED.length);
    assertEquals(erased, { events: 3, sessions: 2, visitors: 2 });
    assertEquals(Date.parse(erasedAt ?? "") <= Date.now(), true);
    assertEquals(left, ["as-bob", "stranger", "counted", ...SHARED.map(({ id }) => id)].toSorted());
    assertEquals([again.events, again.visitors], [0, 0]);
    assertEquals([reported, total.sessions], [3, 1]);
  });

  test("erase() keeps away what was captured before, and takes what comes after", async ({ sink, data, listIds }) => {
    await sink.store(batchOf(SHARED));

    await data.erase({ apiKey: KEY, userId: "ada", withVisitors: true });
    // A page that was offline for days sends what it saved, and what its visitor does now.
    const receivedAt = new Date(Date.now() + 1000).toISOString();
    const later = new Date(Date.now() + 500).toISOString();
    const result = await sink.store(batchOf([
      anEvent("saved", { userId: "ada", anonymousId: "a-9", receivedAt }),
      anEvent("saved-before", { anonymousId: "a-2", receivedAt }),
      anEvent("as-ada", { userId: "ada", anonymousId: "a-1", receivedAt }),
      anEvent("of-bob", { userId: "bob", anonymousId: "a-1", receivedAt }),
      anEvent("now", { userId: "ada", anonymousId: "a-1", timestamp: later, receivedAt }),
    ]));

    assertEquals("accepted" in result && [result.accepted, result.duplicates, result.erased], [2, 0, 3]);
    assertEquals(await listIds(), ["as-bob", "counted", "now", "of-bob", "stranger"]);
  });

  test("erase() deletes what had arrived, wherever the visitor's clock is", async ({ sink, data, listIds }) => {
    await sink.store(batchOf([anEvent("ahead", { anonymousId: "a-1", timestamp: "2099-01-01T00:00:00.000Z" })]));

    const { events } = await data.erase({ apiKey: KEY, anonymousId: "a-1" });

    assertEquals([events, await listIds()], [1, []]);
  });

  test("erase() takes an id as it is, with any character", async ({ sink, data }) => {
    const ids = ["", "it's", "a\\nb", "tab\tline\n", "{id:String}", "%41", "é\u{1f375}", "a\0b", "a\ud800b"];
    await sink.store(batchOf(ids.map((userId, index) => anEvent(`e-${index}`, { userId }))));

    for (const userId of ids) {
      const subject = { apiKey: KEY, userId };
      const found = await data.find(subject);
      const exported = await Array.fromAsync(data.export(subject));
      const { events } = await data.erase(subject);
      const left = await data.find(subject);
      assertEquals([userId, found.events, exported.length, events, left.events], [userId, 1, 1, 1, 0]);
    }
  });

  test("find() and erase() take half a surrogate pair for U+FFFD, as UTF-8 does", async ({ sink, data }) => {
    const userIds = ["a\ud800", "a\udc00", "a\ufffd"];
    await sink.store(batchOf(userIds.map((userId, index) => anEvent(`e-${index}`, { userId }))));

    const found = await Promise.all(userIds.map((userId) => data.find({ apiKey: KEY, userId })));
    const { events } = await data.erase({ apiKey: KEY, userId: "a\ud800" });

    assertEquals(found.map(({ events, userIds }) => [events, userIds]), userIds.map(() => [3, ["a\ufffd"]]));
    assertEquals(events, 3);
  });

  test("hasKey() tells a key that events were sent with, also when they are erased", async ({ sink, data }) => {
    const before = await data.hasKey(KEY);
    await sink.store(batchOf([anEvent("1", { userId: "ada" })]));
    const after = [await data.hasKey(KEY), await data.hasKey(OTHER_KEY)];
    await data.erase({ apiKey: KEY, userId: "ada" });

    assertEquals([before, after, await data.hasKey(KEY)], [false, [true, false], true]);
  });

  test("erase() refuses an id that is missing, or that can't be stored", async ({ sink, data, listIds }) => {
    await sink.store(batchOf(SHARED));

    for (
      const wrong of [{ apiKey: KEY, anonymousId: "" }, { apiKey: "", userId: "ada" }, {
        apiKey: KEY,
        userId: undefined,
      }]
    ) {
      await assertRejects(() => data.erase(wrong as DataSubject), TypeError, "name an apiKey");
      await assertRejects(() => data.find(wrong as DataSubject), TypeError, "name an apiKey");
    }
    assertEquals((await listIds()).length, SHARED.length);
  });

  const ago = (days: number): string => new Date(Date.now() - days * DAY_MS).toISOString();

  /** Builds an event that arrived so many days ago, moments after it was captured, unless it says otherwise. */
  const agedEvent = (id: string, days: number, capturedDays = days): StoredEvent =>
    anEvent(id, { timestamp: ago(capturedDays), receivedAt: ago(days) });

  test("prune() deletes by age", async ({ sink, data, listIds }) => {
    await sink.store(batchOf([agedEvent("old", 20)]));
    await sink.store(batchOf([agedEvent("young", 19)]));

    const tried = await data.prune({ keepDays: 19.5, dryRun: true });
    const { events, corrected, erasures } = await data.prune({ keepDays: 19.5 });

    assertEquals(tried, { events: 1, corrected: 0, erasures: 0 });
    assertEquals([events, corrected, erasures], [1, 0, 0]);
    assertEquals(await listIds(), ["young"]);
    await assertRejects(() => data.prune({ keepDays: 7 }), TypeError, "keepDays must be at least 8");
    await assertRejects(() => data.prune({ keepErasuresDays: 7 }), TypeError, "keepErasuresDays must be at least 8");
  });

  test("prune() deletes what is old, whatever lies in front of it and between", async ({ sink, data, listIds }) => {
    const many = (name: string, days: number, count: number): readonly StoredEvent[] =>
      Array.from({ length: count }, (_, index) => agedEvent(`${name}-${index}`, days, Math.max(days, 0)));
    await sink.store(batchOf([...many("ahead", -800, 5001), ...many("old", 40, 700)]));
    await sink.store(batchOf([...many("young", 2, 3), ...many("older", 60, 700)]));

    const tried = await data.prune({ keepDays: 30, dryRun: true });
    const pruned = await data.prune({ keepDays: 30 });
    const again = await data.prune({ keepDays: 30 });

    assertEquals([tried.events, pruned.events, again.events], [1400, 1400, 0]);
    assertEquals((await listIds()).filter((id) => !id.startsWith("ahead")), ["young-0", "young-1", "young-2"]);
  });

  test("prune() refuses to delete by age where the newest event would go", async ({ sink, data, listIds }) => {
    await sink.store(batchOf([agedEvent("old", 850), agedEvent("newest", 800)]));
    const refusal = "nothing is deleted by age: no event is younger than 395 days";

    await assertRejects(() => data.prune({ keepDays: 395 }), Error, refusal);
    await assertRejects(() => data.prune({ keepDays: 395, dryRun: true }), Error, refusal);
    // One that the ingest took whose clock is as wrong: the visitor's clock is right.
    await sink.store(batchOf([agedEvent("taken", 0, 800)]));
    await assertRejects(() => data.prune({ keepDays: 395 }), Error, refusal);
    const stored = await listIds();
    await sink.store(batchOf([agedEvent("young", 0)]));
    const { events } = await data.prune({ keepDays: 395 });

    assertEquals(stored, ["newest", "old", "taken"]);
    assertEquals([events, await listIds()], [2, ["taken", "young"]]);
  });

  test("prune() by any ages does what its dry run says, and leaves nothing old", async ({ sink, data, listIds }) => {
    let run = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.integer({ min: -50, max: 50 }), { minLength: 1, maxLength: 40 }),
        fc.integer({ min: 8, max: 40 }),
        async (ages, keepDays) => {
          run += 1;
          // Half a day from every limit.
          const aged = [0, ...ages].map((days, index) => agedEvent(`${run}-${index}`, days + 0.5, Math.max(days, 0)));
          await sink.store(batchOf(aged));

          const tried = await data.prune({ keepDays, dryRun: true });
          const before = await listIds();
          const pruned = await data.prune({ keepDays });
          const left = new Set(await listIds());

          assertEquals(tried.events, before.length - left.size);
          assertEquals(pruned.events, tried.events);
          const limit = ago(keepDays);
          assertEquals(aged.filter(({ id, receivedAt }) => left.has(id) !== receivedAt >= limit), []);
        },
      ),
      { numRuns: 15 },
    );
  });
}
