/**
 * What the threads of SQLite do, within the thread of the test, where coverage sees it.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { createReaderCalls } from "../../src/ingest/reports/reader_calls.ts";
import { createSinkCalls } from "../../src/ingest/sinks/sqlite/sink_calls.ts";
import { buildEvent, buildPageview, buildScope, DAY, SITE } from "./reports/fixtures.ts";

Deno.test("createSinkCalls() counts for the reports what it stores, and leaves a batch out that can't be stored", async () => {
  const directory = await Deno.makeTempDir();
  const path = `${directory}/events.db`;
  const scope = buildScope();
  const { apiKey } = scope;
  const sink = createSinkCalls();
  const reader = createReaderCalls();
  const view = buildPageview({ pageUrl: `${SITE}/teas` });
  const step = buildEvent({ pageUrl: `${SITE}/teas` });
  sink.open(path);

  const outcomes = sink.commit([
    { apiKey, texts: [JSON.stringify(view), JSON.stringify(step), JSON.stringify(view)] },
    { apiKey, texts: [JSON.stringify(buildEvent({})), "no JSON"] },
    { apiKey, texts: [JSON.stringify(step)] },
  ]);

  const [first, second, third] = outcomes;
  assertEquals([first, third], [{ stored: [0, 1], pageviewsThisMonth: 1 }, { stored: [] }]);
  assertEquals(Object.keys(second ?? {}), ["fault"]);
  assertEquals(sink.events().length, 2);
  assertEquals([sink.pageviews(apiKey, "2026-03"), reader.countPageviews(path, apiKey, "2026-03")], [1, 1]);
  assertEquals(reader.sites(path, apiKey), [SITE]);
  assertEquals(reader.read(path, scope, { rows: 10 }).totals.events, 2);
  assertEquals(reader.readPath(path, scope, "/teas").length, 1);
  assertEquals(reader.readDay(path, scope, DAY).length, 1);
  sink.close();
  await Deno.remove(directory, { recursive: true });
});
