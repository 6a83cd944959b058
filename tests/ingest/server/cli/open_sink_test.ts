import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import { openSink } from "../../../../src/ingest/server/cli/open_sink.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { KEY } from "../../fixtures.ts";
import { batchOf, STORED } from "../../stores/sink_contract.ts";

Deno.test("openSink() opens a memory sink, which has no reports", async () => {
  const opened = await openSink({ kind: "memory" });

  const result = await opened.sink.store(batchOf([STORED]));
  await opened.close();

  assert("accepted" in result);
  assertEquals([result.accepted, opened.reader], [1, undefined]);
});

Deno.test("openSink() opens a SQLite file to write and to read", async () => {
  const directory = await Deno.makeTempDir();
  const opened = await openSink({ kind: "sqlite", path: `${directory}/events.db` });

  const result = await opened.sink.store(batchOf([STORED]));
  const sites = await opened.reader?.sites(KEY);
  await opened.close();
  await Deno.remove(directory, { recursive: true });

  assert("accepted" in result);
  assertEquals([result.accepted, sites], [1, ["https://shop.example"]]);
});

Deno.test("openSink() has no reports of a database in memory", async () => {
  const opened = await openSink({ kind: "sqlite", path: ":memory:" });
  await opened.close();

  assertEquals(opened.reader, undefined);
});

Deno.test("openSink() says in one line why a sink can't be used", async () => {
  const path = "/no/such/directory/events.db";

  const error = await assertRejects(() => openSink({ kind: "sqlite", path }), ServerFault);

  assertStringIncludes(error.message, `the sink can't be used: the SQLite database "${path}" can't be used`);
  assertEquals(error.message.includes("\n"), false);
});
