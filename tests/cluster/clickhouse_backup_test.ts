/**
 * ClickHouse's own `BACKUP` and `RESTORE`, as docs/operations.md has them, while events arrive.
 *
 * @module
 */
import { assert, assertEquals } from "@std/assert";
import { FULL, headersOf, KEY, manyEvents, ORIGIN } from "../ingest/fixtures.ts";
import { startClickHouse } from "./clickhouse.ts";
import { runIngest, startIngest } from "./ingest_process.ts";
import { startLoad, until } from "./traffic.ts";
import { startLoadProcess } from "./load_process.ts";
import { startNatsCluster } from "./nats_cluster.ts";

/** Events that are acknowledged between two steps. */
const EVENTS_BETWEEN_STEPS = 1_000;

Deno.test("a ClickHouse that lost its events has them again, of a backup and of the stream, and nobody erased", async () => {
  const [nats, clickHouse] = await Promise.all([startNatsCluster(1), startClickHouse()]);
  const database = await clickHouse.createDatabase();
  const from = `nats:${nats.servers.join(",")}`;
  const store = `clickhouse:${clickHouse.url}`;
  const ofDatabase = ["--clickhouse-database", database];
  const startLoader = (...args: readonly string[]) =>
    startLoadProcess(["--from", from, "--to", store, ...ofDatabase, ...args]);
  const loader = await startLoader();
  const ingest = await startIngest(["--key", `${KEY}=${ORIGIN}`, "--sink", from, "--nats-replicas", "1"]);
  const load = startLoad({ endpoint: () => ingest.endpoint, prefix: "backup", senders: 1, batchSize: 10 });
  const readIds = async (): Promise<ReadonlySet<string>> => {
    const rows = await clickHouse.select(database, "SELECT id FROM events FINAL");
    return new Set(rows.map(({ id }) => String(id)));
  };
  const hasErased = async (): Promise<boolean> => [...await readIds()].some((id) => id.startsWith("erased"));
  /** Waits until so many more are acknowledged, and all of these stored. */
  const untilMoreAreStored = async (): Promise<void> => {
    const known = new Set(load.acknowledged);
    await until("more are acknowledged", () => load.acknowledged.size > known.size + EVENTS_BETWEEN_STEPS);
    const more = load.acknowledged.difference(known);
    await until("they are stored", async () => more.isSubsetOf(await readIds()));
  };

  const identity = { userId: "user-7" };
  const ofUser = manyEvents(3, "erased").map((event) => ({ ...event, identity }));
  const body = JSON.stringify({ ...FULL, identity, events: ofUser });
  await (await fetch(ingest.endpoint, { method: "POST", headers: headersOf(), body })).body?.cancel();
  await until("the user is stored", hasErased);
  await untilMoreAreStored();
  await clickHouse.run(database, "BACKUP TABLE events TO Memory('before')");
  const erasing = await runIngest([
    ...["data", "erase", "--sink", store, ...ofDatabase, "--key", KEY, "--user-id", "user-7"],
  ]);
  const isErasedAtOnce = !await hasErased();
  await untilMoreAreStored();
  const beforeLoss = await readIds();
  await clickHouse.run(database, "DROP TABLE events SYNC");
  const { length } = loader.output();
  await until("the loader waits", () => loader.output().includes("events wait", length));
  await clickHouse.run(database, "RESTORE TABLE events FROM Memory('before')");
  const isBack = await hasErased();
  const lost = beforeLoss.difference(await readIds());
  await untilMoreAreStored();
  const replaying = await startLoader("--nats-consumer", "replay");
  await until("what was lost is back", async () => lost.isSubsetOf(await readIds()));
  await until("the user isn't", async () => !await hasErased());
  await load.finish();
  await until("all are there", async () => load.acknowledged.isSubsetOf(await readIds()));
  const [{ events } = {}] = await clickHouse.select(database, "SELECT count() AS events FROM events FINAL");
  const stored = await readIds();
  await Promise.all([ingest.end(), loader.end(), replaying.end()]);
  await Promise.all([nats.stop(), clickHouse.stop()]);

  console.log(`${lost.size} of ${stored.size} events came again from the stream`);
  assertEquals([erasing.code, erasing.stderr, JSON.parse(erasing.stdout).events], [0, "", 3]);
  assertEquals([isErasedAtOnce, isBack], [true, true], "the user isn't in the backup, or wasn't erased");
  assert(lost.size > 0, "the backup lacked nothing");
  assertEquals(Number(events), stored.size);
});
