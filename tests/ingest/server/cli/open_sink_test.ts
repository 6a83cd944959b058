import { assert, assertEquals, assertRejects } from "@std/assert";
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

Deno.test("openSink() opens a folder to write and to read, and says in one line why one can't be used", async () => {
  const directory = await Deno.makeTempDir();
  await Deno.writeTextFile(`${directory}/text`, "no folder");
  const opened = await openSink({ kind: "file", path: `${directory}/events/` });

  const result = await opened.sink.store(batchOf([STORED]));
  const sites = await opened.reader?.sites(KEY);
  const logBytes = opened.logBytes?.() ?? 0;
  await opened.close();
  const faults = await Promise.all(
    ["text", "none/events"].map(async (name) =>
      (await assertRejects(() => openSink({ kind: "file", path: `${directory}/${name}` }), ServerFault)).message
    ),
  );
  await Deno.remove(directory, { recursive: true });

  assert("accepted" in result);
  assertEquals([result.accepted, sites, logBytes > 0], [1, ["https://shop.example"], true]);
  assertEquals(faults.map((fault) => fault.split("; ").at(-1)), [
    "it is no folder",
    `there is no folder ${directory}/none`,
  ]);
  assertEquals(faults.join().includes("\n"), false);
});
