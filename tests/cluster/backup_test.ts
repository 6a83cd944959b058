import { assert, assertEquals } from "@std/assert";
import { anEvent } from "../ingest/stores/data_fixtures.ts";
import { fillFolder, listSealed, readIds as listIds } from "./folder_events.ts";
import { runIngest, type RunningIngest, startIngest } from "./ingest_process.ts";
import { type Load, startLoad, until } from "./traffic.ts";
import { KEY_ARGS, newFolder, testOnce } from "./program.ts";

/** Makes a folder with a sealed file, and the path of its copy. */
async function createPaths(): Promise<{ readonly path: string; readonly copy: string }> {
  const path = newFolder();
  await fillFolder(path, { sealed: SEALED.map((id) => anEvent(id, {})) });
  return { path, copy: `${path}-copy` };
}

const SEALED: readonly string[] = ["sealed-1", "sealed-2"];

async function readIds(path: string): Promise<ReadonlySet<string>> {
  return new Set(await listIds(path));
}

function startSenders(ingest: () => RunningIngest, prefix: string): Load {
  return startLoad({ endpoint: () => ingest().endpoint, prefix, senders: 4, batchSize: 5 });
}

async function untilAcknowledged({ acknowledged }: Load, more: number): Promise<void> {
  const goal = acknowledged.size + more;
  await until(`${goal} are acknowledged`, () => acknowledged.size >= goal);
}

testOnce("is restored elsewhere from a backup that was made under load", async (options) => {
  const { path, copy } = await createPaths();
  let ingest = await startIngest([...KEY_ARGS, "--sink", `file:${path}`], options);
  const load = startSenders(() => ingest, "before");
  await untilAcknowledged(load, 200);

  const before = [...SEALED, ...load.acknowledged];
  assertEquals((await runIngest(["backup", path], options)).code, 2);
  assertEquals((await runIngest(["backup", `${path}.none`, copy], options)).code, 1);
  assertEquals((await runIngest(["backup", path, copy], options)).code, 0);
  await untilAcknowledged(load, 200);
  const copied = await readIds(copy);
  await ingest.end("SIGKILL");
  await load.stop();
  ingest = await startIngest([...KEY_ARGS, "--sink", `file:${copy}`], options);
  const next = startSenders(() => ingest, "after");
  await untilAcknowledged(next, 200);
  await next.stop();
  await ingest.end();

  const restored = await readIds(copy);
  assert(before.length >= 200 && copied.size < load.acknowledged.size, `${copied.size} of ${load.acknowledged.size}`);
  assertEquals([...before, ...copied, ...next.acknowledged].filter((id) => !restored.has(id)), []);
  const modes = [copy, `${copy}/tail.db`].map((name) => (Deno.statSync(name).mode ?? 0) & 0o777);
  assertEquals([modes, listSealed(copy)], [[0o700, 0o600], ["00000001.parquet"]]);
});

testOnce("is restored in place while events arrive", async (options) => {
  const { path, copy } = await createPaths();
  const args = [...KEY_ARGS, "--sink", `file:${path}`];
  let ingest = await startIngest(args, options);
  const load = startSenders(() => ingest, "before");
  await untilAcknowledged(load, 200);

  const before = [...SEALED, ...load.acknowledged];
  assertEquals((await runIngest(["backup", path, copy], options)).code, 0);
  await untilAcknowledged(load, 200);
  await Deno.rename(path, `${path}-old`);
  await Deno.rename(copy, path);
  await until("refused", () => load.statuses.has(503));
  await load.stop();
  const ended = await ingest.end();
  ingest = await startIngest(args, options);
  const next = startSenders(() => ingest, "after");
  await untilAcknowledged(next, 200);
  await next.stop();
  const { code } = await ingest.end();

  const restored = await readIds(path);
  assertEquals([...before, ...next.acknowledged].filter((id) => !restored.has(id)), []);
  assertEquals([...load.statuses.keys()].toSorted(), [202, 503]);
  assertEquals([ended.code, code], [0, 0]);
});
