import { assert, assertEquals } from "@std/assert";
import { DatabaseSync } from "node:sqlite";
import { runIngest, type RunningIngest, startIngest } from "./ingest_process.ts";
import { type Load, startLoad, until } from "./traffic.ts";
import { DIRECTORY, KEY_ARGS, testBothWithSqlite } from "./program.ts";

function createPaths(): { readonly path: string; readonly copy: string } {
  const path = `${DIRECTORY}/${crypto.randomUUID()}.db`;
  return { path, copy: `${path}.backup` };
}

function readIds(path: string): ReadonlySet<string> {
  using database = new DatabaseSync(path, { readOnly: true });
  return new Set(database.prepare("SELECT id FROM events").all().map(({ id }) => String(id)));
}

function startSenders(ingest: () => RunningIngest, prefix: string): Load {
  return startLoad({ endpoint: () => ingest().endpoint, prefix, senders: 4, batchSize: 5 });
}

async function untilAcknowledged({ acknowledged }: Load, more: number): Promise<void> {
  const goal = acknowledged.size + more;
  await until(`${goal} are acknowledged`, () => acknowledged.size >= goal);
}

testBothWithSqlite("is restored elsewhere from a backup that was made under load", async (options) => {
  const { path, copy } = createPaths();
  let ingest = await startIngest([...KEY_ARGS, "--sink", `sqlite:${path}`], options);
  const load = startSenders(() => ingest, "before");
  await untilAcknowledged(load, 200);

  const before = [...load.acknowledged];
  assertEquals((await runIngest(["backup", path], options)).code, 2);
  assertEquals((await runIngest(["backup", `${path}.none`, copy], options)).code, 1);
  assertEquals((await runIngest(["backup", path, copy], options)).code, 0);
  await untilAcknowledged(load, 200);
  const copied = readIds(copy);
  await ingest.end("SIGKILL");
  await load.stop();
  ingest = await startIngest([...KEY_ARGS, "--sink", `sqlite:${copy}`], options);
  const next = startSenders(() => ingest, "after");
  await untilAcknowledged(next, 200);
  await next.stop();
  await ingest.end();

  const restored = readIds(copy);
  assert(before.length >= 200 && copied.size < load.acknowledged.size, `${copied.size} of ${load.acknowledged.size}`);
  assertEquals([...before, ...copied, ...next.acknowledged].filter((id) => !restored.has(id)), []);
  assertEquals((Deno.statSync(copy).mode ?? 0) & 0o777, 0o600);
});

testBothWithSqlite("is restored in place while events arrive", async (options) => {
  const { path, copy } = createPaths();
  const args = [...KEY_ARGS, "--sink", `sqlite:${path}`];
  let ingest = await startIngest(args, options);
  const load = startSenders(() => ingest, "before");
  await untilAcknowledged(load, 200);

  const before = [...load.acknowledged];
  assertEquals((await runIngest(["backup", path, copy], options)).code, 0);
  await untilAcknowledged(load, 200);
  for (const file of [`${path}-wal`, `${path}-shm`]) await Deno.remove(file);
  await Deno.rename(copy, path);
  await until("refused", () => load.statuses.has(503));
  await load.stop();
  const ended = await ingest.end();
  ingest = await startIngest(args, options);
  const next = startSenders(() => ingest, "after");
  await untilAcknowledged(next, 200);
  await next.stop();
  const { code } = await ingest.end();

  const restored = readIds(path);
  assertEquals([...before, ...next.acknowledged].filter((id) => !restored.has(id)), []);
  assertEquals([...load.statuses.keys()].toSorted(), [202, 503]);
  assertEquals([ended.code, code], [0, 0]);
});
