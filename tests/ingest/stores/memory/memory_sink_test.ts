import { assertEquals } from "@std/assert";
import { createMemorySink } from "../../../../src/ingest/mod.ts";
import { batchOf, STORED, STORED_PAGEVIEW, testPageviews, testSink } from "../sink_contract.ts";

testSink("createMemorySink()", () => Promise.resolve(createMemorySink()));
testPageviews("createMemorySink()", () => Promise.resolve(createMemorySink()));

Deno.test("createMemorySink() hands out a list that later events don't change", async () => {
  const sink = createMemorySink();
  await sink.store(batchOf([STORED]));

  const before = await sink.events();
  await sink.store(batchOf([STORED_PAGEVIEW]));
  await sink.close();

  assertEquals(before, [STORED]);
  assertEquals(await sink.events(), [STORED, STORED_PAGEVIEW]);
});
