/**
 * Whose data it is, on a ClickHouse: found, exported, erased, and kept away wherever it still waits.
 *
 * @module
 */
import { assert, assertEquals, assertRejects, assertStringIncludes } from "@std/assert";
import type { DataStore, EventSink, StoredEvent } from "../../src/ingest/mod.ts";
import { createClickHouseData } from "../../src/ingest/stores/clickhouse/clickhouse_data.ts";
import { createClickHouseReader } from "../../src/ingest/stores/clickhouse/clickhouse_reader.ts";
import { createClickHouseTarget } from "../../src/ingest/stores/clickhouse/clickhouse_target.ts";
import type { LoadTarget } from "../../src/ingest/ports/load_target.ts";
import { hashKey } from "../../src/ingest/platform/digest.ts";
import { SHARED, testData, type WithHeld } from "../ingest/stores/data_contract.ts";
import { anEvent } from "../ingest/stores/data_fixtures.ts";
import { testErasures } from "../ingest/stores/data_property.ts";
import { EVENT, FULL, KEY, ORIGIN } from "../ingest/fixtures.ts";
import { buildQuery, countEvents } from "../ingest/reports/fixtures.ts";
import { type ClickHouseProcess, startClickHouse } from "./clickhouse.ts";
import { type IngestProcessOptions, runIngest, startIngest } from "./ingest_process.ts";
import { until } from "./traffic.ts";
import { startLoadProcess } from "./load_process.ts";
import { type NatsCluster, startNatsCluster } from "./nats_cluster.ts";
import { DIRECTORY, send } from "./program.ts";

let server: ClickHouseProcess | undefined;

Deno.test.beforeAll(async () => {
  server = await startClickHouse();
});

Deno.test.afterAll(async () => {
  await server?.stop();
});

/** Where a test's events are. */
interface Place {
  readonly url: string;
  readonly database: string;
}

async function createPlace(): Promise<Place> {
  return { url: server?.url ?? "", database: await server?.createDatabase() ?? "" };
}

/** Makes a target a sink. */
function createSink(target: LoadTarget): EventSink {
  return {
    async store({ apiKey, events }) {
      const keyHash = await hashKey(apiKey);
      const { erased } = await target.store(events.map((event) => ({ keyHash, event })));
      return { accepted: events.length - erased, duplicates: 0, erased };
    },
    close: () => target.close(),
  };
}

async function listIds({ database }: Place): Promise<readonly string[]> {
  const rows = await server?.select(database, "SELECT id FROM events FINAL ORDER BY id") ?? [];
  return rows.map(({ id }) => String(id));
}

const withHeld: WithHeld = async (use) => {
  const place = await createPlace();
  const sink = createSink(await createClickHouseTarget(place));
  const [reader, data] = [await createClickHouseReader(place), await createClickHouseData(place)];
  try {
    await use({ sink, data, reader, listIds: () => listIds(place) });
  } finally {
    await Promise.all([sink.close(), reader.close(), data.close()]);
  }
};

testData("createClickHouseData():", withHeld);

testErasures("createClickHouseData():", withHeld, { numRuns: 8, knowsIds: false });

/** Opens a target and a data store on a new database, for a test. */
async function withStores(
  use: (stores: {
    readonly place: Place;
    readonly target: LoadTarget;
    readonly data: DataStore;
    /** Stores events of the key. */
    readonly store: (events: readonly StoredEvent[]) => Promise<void>;
    readonly news: () => number;
  }) => Promise<void>,
): Promise<void> {
  const place = await createPlace();
  let news = 0;
  const target = await createClickHouseTarget({ ...place, onErasures: () => news += 1 });
  const data = await createClickHouseData(place);
  const keyHash = await hashKey(KEY);
  const store = async (events: readonly StoredEvent[]): Promise<void> => {
    await target.store(events.map((event) => ({ keyHash, event })));
  };
  try {
    await use({ place, target, data, store, news: () => news });
  } finally {
    await Promise.all([target.close(), data.close()]);
  }
}

const OF_ADA = { apiKey: KEY, userId: "ada", withVisitors: true } as const;

Deno.test("erase() is of a block that was under way, once it is pruned", () =>
  withStores(async ({ place, data, store, news }) => {
    await store(SHARED);
    await data.erase(OF_ADA);
    // They left before the record, and land after the deletion.
    for (const whose of ["'late' AS id, 'ada' AS user_id", "'later' AS id, NULL AS user_id, 'a-2' AS anonymous_id"]) {
      const row = `SELECT * REPLACE (${whose}) FROM events WHERE name = 'signup' LIMIT 1`;
      await server?.run(place.database, `INSERT INTO events ${row}`);
    }

    const found = await data.find({ apiKey: KEY, userId: "ada" });
    const exported = await Array.fromAsync(data.export({ apiKey: KEY, anonymousId: "a-2" }));
    const stored = await listIds(place);
    const tried = await data.prune({ dryRun: true });
    const { corrected } = await data.prune({});
    const again = await data.prune({});

    await store([anEvent("next", {})]);
    assertEquals([found.events, exported.length], [0, 0]);
    assertEquals(stored, ["as-bob", "counted", "late", "later", "stranger"]);
    assertEquals([tried.corrected, corrected, again.corrected], [2, 2, 0]);
    assertEquals(await listIds(place), ["as-bob", "counted", "next", "stranger"]);
    assertEquals(news(), 1);
  }));

Deno.test("erase() deletes what an ingest took whose clock is ahead", () =>
  withStores(async ({ place, data, store }) => {
    const soon = new Date(Date.now() + 60_000).toISOString();
    const ahead = [
      anEvent("as-ada", { userId: "ada", anonymousId: "a-1", timestamp: soon, receivedAt: soon }),
      anEvent("before", { anonymousId: "a-1", timestamp: soon, receivedAt: soon }),
      anEvent("as-bob", { userId: "bob", anonymousId: "a-1", timestamp: soon, receivedAt: soon }),
    ];
    await store(ahead);

    const tried = await data.erase(OF_ADA, { dryRun: true });
    const { events } = await data.erase(OF_ADA);
    await store(ahead);

    assertEquals([tried.events, events], [2, 2]);
    assertEquals(await listIds(place), ["as-bob"]);
  }));

Deno.test("prune() deletes whom a restored backup brings back", () =>
  withStores(async ({ place, data, store }) => {
    await store(SHARED);
    const backup = `Memory('${place.database}')`;
    await server?.run(place.database, `BACKUP TABLE events TO ${backup}`);
    await data.erase(OF_ADA);

    await server?.run(place.database, "DROP TABLE events SYNC");
    await server?.run(place.database, `RESTORE TABLE events FROM ${backup}`);
    const stored = await listIds(place);
    const found = await data.find(OF_ADA);
    const { corrected } = await data.prune({});

    const reader = await createClickHouseReader(place);
    const events = await countEvents(reader, buildQuery({ apiKey: KEY }));
    await reader.close();
    assertEquals([stored.length, found.events, corrected], [SHARED.length, 0, 3]);
    assertEquals(await listIds(place), ["as-bob", "counted", "stranger"]);
    assertEquals(events, 3);
  }));

Deno.test("erase() follows more anonymous ids than one statement names", () =>
  withStores(async ({ place, data, store }) => {
    const ids = Array.from({ length: 1500 }, (_, index) => `a-${index}`);
    await store(ids.flatMap((anonymousId) => [
      anEvent(`as-ada-${anonymousId}`, { userId: "ada", anonymousId }),
      anEvent(`before-${anonymousId}`, { anonymousId }),
    ]));
    await store([anEvent("of-bob", { userId: "bob", anonymousId: "a-1" })]);

    const { events, visitors } = await data.erase(OF_ADA);

    assertEquals([events, visitors, await listIds(place)], [3000, 1500, ["of-bob"]]);
  }));

Deno.test("erase() says until when old parts are kept, and leaves no id in what ClickHouse logs of it", () =>
  withStores(async ({ place, data, store }) => {
    await server?.run(place.database, "ALTER TABLE events MODIFY SETTING old_parts_lifetime = 480");
    await store(SHARED);

    await store([anEvent("of-zoe", { userId: "zoe", anonymousId: "visitor-zoe" })]);
    const { remains, goneBy = "" } = await data.erase({ apiKey: KEY, userId: "zoe", withVisitors: true });
    const minutes = (Date.parse(goneBy) - Date.now()) / 60_000;
    const mutations = await server?.select(place.database, "SELECT command FROM system.mutations") ?? [];
    const records = await server?.select(place.database, "SELECT * FROM erasures FINAL") ?? [];

    assertEquals(remains, "parts");
    assert(minutes > 8 && minutes < 10, `${minutes}`);
    assertEquals(records.length, 2);
    assertEquals(JSON.stringify([mutations, records]).includes("zoe"), false);
    await assertRejects(() => data.erase(OF_ADA, { vacuum: true }), TypeError, "vacuum is for a folder");
    await assertRejects(() => data.prune({ vacuum: true }), TypeError, "vacuum is for a folder");
  }));

Deno.test("prune() forgets old records", () =>
  withStores(async ({ place, data, store }) => {
    await data.erase({ apiKey: KEY, userId: "ada" });
    await server?.run(
      place.database,
      "INSERT INTO erasures SELECT key_hash, kind, 'x', erased_at - INTERVAL 9 DAY FROM erasures",
    );

    const tried = await data.prune({ keepErasuresDays: 8, dryRun: true });
    const { erasures } = await data.prune({ keepErasuresDays: 8 });
    const again = await data.prune({ keepErasuresDays: 8 });

    await store([anEvent("saved", { userId: "ada" }), anEvent("of-bob", { userId: "bob" })]);
    assertEquals([tried.erasures, erasures, again.erasures], [1, 1, 0]);
    assertEquals(await listIds(place), ["of-bob"]);
  }));

Deno.test("createClickHouseData() says which table is missing", async () => {
  const place = await createPlace();

  await assertRejects(() => createClickHouseData(place), Error, "there is no table events: the loader makes it");
});

/** The whole road: nats-server, and programs that take events, load them and answer for them. */
async function withPrograms(
  use: (road: {
    readonly nats: NatsCluster;
    readonly place: Place;
    readonly from: string;
    readonly load: (...args: readonly string[]) => ReturnType<typeof startLoadProcess>;
    readonly runData: (...args: readonly string[]) => Promise<Record<string, unknown>>;
  }) => Promise<void>,
): Promise<void> {
  const nats = await startNatsCluster(1);
  const place = await createPlace();
  const from = `nats:${nats.servers.join(",")}`;
  const store = `clickhouse:${place.url}`;
  const ofPlace = ["--clickhouse-database", place.database] as const;
  try {
    await use({
      nats,
      place,
      from,
      load: (...args) => startLoadProcess(["--from", from, "--to", store, ...ofPlace, ...args]),
      runData: async (...args) => {
        const { code, stdout, stderr } = await runIngest(["data", ...args, "--sink", store, ...ofPlace]);
        assertEquals(code, 0, stderr);
        return JSON.parse(stdout);
      },
    });
  } finally {
    await nats.stop();
  }
}

const SUBJECT = ["--key", KEY, "--user-id", "ada", "--with-visitors"] as const;

function bodyOf(id: string, userId: string | null): string {
  const identity = { userId, anonymousId: "a-1" };
  return JSON.stringify({ ...FULL, identity, events: [{ ...EVENT, id, identity }] });
}

Deno.test("ingest data: erases, and keeps away who still waits in a browser and in the stream", () =>
  withPrograms(async ({ place, from, load, runData }) => {
    const ingest = await startIngest(["--key", `${KEY}=${ORIGIN}`, "--sink", from, "--nats-replicas", "1"]);
    const post = async (id: string, userId: string | null): Promise<number> => {
      const answer = await send(ingest, bodyOf(id, userId));
      await answer.text();
      return answer.status;
    };
    const first = await load();
    await post("before", null);
    await post("as-ada", "ada");
    await post("as-bob", "bob");
    await until("they are there", async () => (await listIds(place)).length === 3);
    await first.end();

    await post("in-the-stream", "ada");
    const tried = await runData("erase", ...SUBJECT, "--dry-run");
    const erased = await runData("erase", ...SUBJECT);
    const late = await post("in-a-browser", "ada");
    await post("next", "bob");
    const second = await load();
    await until("the last is there", async () => (await listIds(place)).includes("next"));
    const found = await runData("find", ...SUBJECT);
    const { code, stdout } = await second.end();
    await ingest.end();

    assertEquals([tried.events, erased.events, erased.visitors, late], [2, 2, 1, 202]);
    assertEquals([found.events, code], [0, 0]);
    assertEquals(await listIds(place), ["as-bob", "next"]);
    assertStringIncludes(stdout, '"message":"stopped","loaded":1,"blocks":1,"erased":2,"deadLetters":0,');
  }));

Deno.test("ingest data: erases what waits in the stream and in its dead letters, byte for byte, on demand", () =>
  withPrograms(async ({ nats, place, from, load, runData }) => {
    const ingest = await startIngest(["--key", `${KEY}=${ORIGIN}`, "--sink", from, "--nats-replicas", "1"]);
    const post = async (id: string, userId: string | null): Promise<void> =>
      await (await send(ingest, bodyOf(id, userId))).body?.cancel();
    const making = await load();
    await post("stored", "ada");
    await until("it is there", async () => (await listIds(place)).length === 1);
    await server?.run(
      place.database,
      "ALTER TABLE events ADD CONSTRAINT fit CHECK id <> 'unfit' AND id <> 'unfit-too'",
    );
    await post("unfit", "ada");
    await post("unfit-too", "bob");
    await until("there are dead letters", async () => await nats.countMessages("VENDOR_EVENTS_DEAD_LETTERS") === 2);
    await making.end();
    for (const [id, user] of [["waits", "ada"], ["waits-before", null], ["of-bob", "bob"]] as const) {
      await post(id, user);
    }

    const { events, stream } = await runData("erase", ...SUBJECT, "--from", from);
    const [waiting, letters] = await Promise.all(
      ["VENDOR_EVENTS", "VENDOR_EVENTS_DEAD_LETTERS"].map((name) => nats.readFiles(name)),
    );
    const again = await runData("erase", ...SUBJECT, "--from", from);
    const loading = await load();
    await until("the other is there", async () => (await listIds(place)).includes("of-bob"));
    const { stdout } = await loading.end();
    await ingest.end();

    const toIds = (found: readonly (readonly string[])[] = []): readonly string[] =>
      found.flat().map((id) => id.slice(id.indexOf(".") + 1));
    assertEquals([events, stream, again.stream], [1, 5, 0]);
    assertEquals(toIds(waiting), ["unfit-too", "of-bob"]);
    assertEquals(letters?.flat().length, 1);
    assertEquals(await listIds(place), ["of-bob"]);
    assertStringIncludes(stdout, '"loaded":1,"blocks":1,"erased":0,');
  }));

Deno.test("ingest load: deletes when it starts what is too old, and what a backup brought back", () =>
  withPrograms(async ({ place, load }) => {
    const target = await createClickHouseTarget(place);
    const data = await createClickHouseData(place);
    const keyHash = await hashKey(KEY);
    const ago = (days: number): string => new Date(Date.now() - days * 24 * 60 * 60 * 1000).toISOString();
    const events = [
      anEvent("old", { receivedAt: ago(31) }),
      anEvent("young", { timestamp: ago(29), receivedAt: ago(29) }),
      anEvent("of-ada", { userId: "ada", receivedAt: ago(29) }),
    ];
    await target.store(events.map((event) => ({ keyHash, event })));
    await server?.run(place.database, "CREATE TABLE backup AS events");
    await server?.run(place.database, "INSERT INTO backup SELECT * FROM events");
    await data.erase({ apiKey: KEY, userId: "ada" });
    await server?.run(place.database, "INSERT INTO events SELECT * FROM backup");

    const loader = await load("--keep", "30d");
    await until("it has pruned", () => loader.output().includes('"pruned"'));
    await loader.end();
    await Promise.all([target.close(), data.close()]);

    assertStringIncludes(loader.output(), '"message":"pruned","events":1,"corrected":1,');
    assertEquals(await listIds(place), ["young"]);
  }));

Deno.test("ingest data: exports from ClickHouse, and says in one line what is wrong, without the password", async () => {
  const place = await createPlace();
  const target = await createClickHouseTarget(place);
  const keyHash = await hashKey(KEY);
  await target.store(
    [anEvent("of-ada", { userId: "ada", properties: { plan: null } })].map((event) => ({ keyHash, event })),
  );
  await target.close();
  const options: IngestProcessOptions = {};
  const sink = ["--sink", `clickhouse:${place.url}`, "--clickhouse-database"] as const;
  const out = `${DIRECTORY}/ada.csv`;

  const lines = await runIngest(["data", "export", ...SUBJECT, ...sink, place.database], options);
  const csv = await runIngest(["data", "export", ...SUBJECT, ...sink, place.database, "--format", "csv", "--out", out]);
  const secret = ["--clickhouse-password", "secret"];
  const away = await runIngest(["data", "find", ...SUBJECT, "--sink", "clickhouse:http://127.0.0.1:1", ...secret]);
  const vacuum = await runIngest(["data", "prune", ...sink, place.database, "--vacuum"]);

  assertEquals(JSON.parse(lines.stdout), anEvent("of-ada", { userId: "ada", properties: { plan: null } }));
  assertEquals([csv.code, (await Deno.readTextFile(out)).trimEnd().split("\r\n").length], [0, 2]);
  assertEquals([away.code, vacuum.code], [1, 2]);
  assertStringIncludes(away.stderr, "ingest: ClickHouse can't be used at http://127.0.0.1:1: ");
  assertEquals(away.stderr.includes("secret"), false);
  assertEquals(
    vacuum.stderr,
    "ingest: vacuum is for a folder: ClickHouse removes what is old by itself\n",
  );
});
