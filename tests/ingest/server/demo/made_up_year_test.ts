import { assertEquals } from "@std/assert";
import { createIngest, createMemorySink, type StoredEvent } from "../../../../src/ingest/mod.ts";
import { createVisitReader } from "../../../../src/ingest/events/visit_facts.ts";
import { makeUpYear, REGULARS } from "../../../../src/ingest/server/demo/made_up_year.ts";

const OPTIONS = { origin: "https://tea.example", nowMs: Date.parse("2026-03-31T12:00:00.000Z"), visitsPerDay: 2 };

const EVENTS = [...makeUpYear(OPTIONS)].flat();

Deno.test("makeUpYear() makes up the same year each time, and nothing after its end", () => {
  const times = EVENTS.map(({ timestamp }) => timestamp).toSorted();

  assertEquals([...makeUpYear(OPTIONS)].flat(), EVENTS);
  assertEquals([...makeUpYear({ ...OPTIONS, visitsPerDay: 0 })], []);
  assertEquals(new Set(EVENTS.map(({ id }) => id)).size, EVENTS.length);
  assertEquals([times[0]?.slice(0, 7), times.at(-1)?.slice(0, 10)], ["2025-04", "2026-03-31"]);
  assertEquals((times.at(-1) ?? "") < "2026-03-31T12:00:00.000Z", true);
});

Deno.test("makeUpYear() makes up events that the ingest takes", async () => {
  const sink = createMemorySink();
  const ingest = createIngest({ keys: [{ apiKey: "pk_1", origins: [OPTIONS.origin] }], sink });
  const send = async (body: Readonly<Record<string, unknown>>): Promise<number> => {
    const answer = await ingest(
      new Request("https://ingest.example/v1/events", {
        method: "POST",
        headers: {
          "Content-Type": "application/json",
          "X-API-Key": "pk_1",
          "X-Vendor-SDK-Version": "0.1.0",
          "Origin": OPTIONS.origin,
        },
        body: JSON.stringify({
          type: "event",
          batchId: crypto.randomUUID(),
          sentAt: new Date().toISOString(),
          ...body,
        }),
      }),
    );
    await answer.text();
    return answer.status;
  };
  const statuses = new Set<number>();
  for (const { receivedAt: _, batchId: __, collection, ...event } of EVENTS.slice(0, 400)) {
    const { sessionId, identity, context } = event;
    const envelope = collection === "full" ? { sessionId, identity, context } : { collection };
    statuses.add(await send({ ...envelope, events: [event] }));
  }

  assertEquals([...statuses], [202]);
  assertEquals((await sink.events()).map(toKind), EVENTS.slice(0, 400).map(toKind));
});

Deno.test("makeUpYear() has what the views list", () => {
  const names = new Set(EVENTS.map(({ name }) => name));
  const users = new Set(EVENTS.map(({ identity }) => identity?.userId));
  const facts = EVENTS.map(createVisitReader());

  assertEquals(
    ["search", "basket_add", "order", "$download", "$outbound", "$consent"].filter((name) => !names.has(name)),
    [],
  );
  assertEquals(REGULARS.filter((userId) => !users.has(userId)), []);
  assertEquals(facts.some(({ from: { term } }) => term === "sencha"), true);
  assertEquals(facts.filter(({ name }) => name === "order").every(({ path }) => path === "/checkout"), true);
});

Deno.test("makeUpYear() gives the visit of who accepts on the page of arrival its campaign", () => {
  const facts = EVENTS.map(createVisitReader());
  const firsts = facts.filter(({ session }, index) => facts.findIndex((one) => one.session === session) === index);
  const campaigns = firsts.filter(({ from: { campaign } }) => campaign === "monday-letter");

  assertEquals([...new Set(campaigns.map(({ name }) => name))].toSorted(), ["$consent", "$pageview"]);
});

function toKind({ collection, name }: StoredEvent): string {
  return `${collection} ${name}`;
}
