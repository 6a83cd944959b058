import { assertEquals, assertRejects } from "@std/assert";
import { createMemorySink, type EventSink } from "../../../src/ingest/mod.ts";
import { createCountingSink } from "../../../src/ingest/reports/counting_sink.ts";
import { buildPageview, buildScope, SITE } from "./fixtures.ts";
import { testReader } from "./reader_contract.ts";
import { storeEvents } from "./report_store.ts";

testReader("createCountingSink()", async (use) => {
  const sink = createCountingSink(createMemorySink());
  await use({ sink, reader: sink });
  await sink.close();
});

Deno.test("createCountingSink() passes on what the sink says", async () => {
  const memory = createMemorySink();
  const sink = createCountingSink(memory);
  const event = buildPageview({ pageUrl: `${SITE}/` });
  const batch = { apiKey: "pk_test_1", events: [event, event] };

  assertEquals(await sink.store(batch), {
    accepted: 1,
    duplicates: 1,
    events: [event],
    pageviewsThisMonth: 1,
  });
  assertEquals(await memory.events(), [event]);
  await sink.check?.();
  await sink.close();
  await assertRejects(() => sink.check?.() ?? Promise.resolve(), Error, "closed");
  await assertRejects(() => sink.store(batch), Error, "closed");
});

Deno.test("createCountingSink() counts nothing that the sink refused or can't tell apart", async () => {
  const refusal = { status: 403, code: "no", message: "no" } as const;
  const refusing: EventSink = { store: () => Promise.resolve(refusal), close: () => Promise.resolve() };
  const silent: EventSink = {
    store: () => Promise.resolve({ accepted: 1, duplicates: 0 }),
    close: () => Promise.resolve(),
  };
  const event = buildPageview({ pageUrl: `${SITE}/` });
  const sinks = [createCountingSink(refusing), createCountingSink(silent)];

  for (const sink of sinks) await storeEvents(sink, [event]);

  const [ofRefusing, ofSilent] = await Promise.all(sinks.map((sink) => sink.read(buildScope(), { rows: 10 })));
  assertEquals(ofRefusing?.totals.events, 0);
  assertEquals(ofSilent?.totals.events, 0);
  assertEquals(sinks[0]?.check, undefined);
});
