import { assertEquals, assertMatch, assertRejects } from "@std/assert";
import { type CreateClient, openClickHouse } from "../../../../src/ingest/stores/clickhouse/clickhouse_client.ts";
import { STORED_COLUMNS } from "../../../../src/ingest/events/columns.ts";
import { rebuildEvent } from "../../../../src/ingest/events/rebuild_event.ts";
import { buildRows } from "../../../../src/ingest/stores/clickhouse/clickhouse_row.ts";
import { buildSchema, checkSchema, createTables } from "../../../../src/ingest/stores/clickhouse/clickhouse_schema.ts";
import { createTarget } from "../../../../src/ingest/stores/clickhouse/clickhouse_target.ts";
import type { StoredEvent } from "../../../../src/ingest/mod.ts";
import { hashKey } from "../../../../src/ingest/platform/digest.ts";
import { buildErasure, type Erasure } from "../../../../src/ingest/events/erasures.ts";
import { anEvent } from "../data_fixtures.ts";
import { KEY, OTHER_KEY } from "../../fixtures.ts";
import { STORED, STORED_PAGEVIEW } from "../sink_contract.ts";

const KEY_HASH = "0123456789abcdef0123456789abcdef";

function rowOf(event: StoredEvent): Readonly<Record<string, unknown>> {
  return buildRows([{ keyHash: KEY_HASH, event }])[0] ?? {};
}

/** A client of a server of some version. */
function createFakeClient(version: string): CreateClient {
  const client = {
    query: () => Promise.resolve({ json: () => Promise.resolve([{ version }]) }),
    close: () => Promise.resolve(),
  };
  return () => client as unknown as ReturnType<CreateClient>;
}

Deno.test("openClickHouse() takes versions that are still maintained", async () => {
  const versions = ["18.16.1", "25.12.1.1", "26.2.9.1", "26.3.1.1", "26.12.1.1", "27.1.1.1", "nonsense"];
  const isTaken = async (version: string): Promise<boolean> => {
    const load = (): Promise<CreateClient> => Promise.resolve(createFakeClient(version));
    return await openClickHouse({ url: "http://localhost:8123" }, { load }).then(() => true, () => false);
  };

  const taken = await Promise.all(versions.map(isTaken));

  assertEquals(versions.filter((_, index) => taken[index]), ["26.3.1.1", "26.12.1.1", "27.1.1.1"]);
});

Deno.test("openClickHouse() names the version that it doesn't take, and no password", async () => {
  const url = "http://user:secret@localhost:8123/db";

  await assertRejects(
    () => openClickHouse({ url }, { load: () => Promise.resolve(createFakeClient("25.8.3.66")) }),
    Error,
    "ClickHouse can't be used at http://localhost:8123: its version is 25.8.3.66, and it takes 26.3 or later",
  );
});

Deno.test("openClickHouse() names the package that is missing", async () => {
  await assertRejects(
    () => openClickHouse({ url: "http://localhost:8123" }, { load: () => Promise.reject(new Error("not found")) }),
    Error,
    "ClickHouse needs the package @clickhouse/client: npm install it",
  );
});

Deno.test("buildRows() gives an event and its repeat the same key, day and id", () => {
  const first = rowOf(STORED);
  const again = rowOf({ ...STORED, receivedAt: "2026-03-08T10:00:05.000Z", batchId: "b-2" });

  assertEquals([first.day, first.received_at], ["2026-03-01", "2026-03-01 10:00:05.000"]);
  assertEquals(again, { ...first, received_at: "2026-03-08 10:00:05.000", batch_id: "b-2" });
});

Deno.test("buildRows() writes times as ClickHouse holds them", () => {
  const timeOf = (timestamp: string): unknown[] => {
    const { day, timestamp: time } = rowOf({ ...STORED, timestamp });
    return [day, time];
  };

  assertEquals(timeOf("2026-01-31T12:00:00Z"), ["2026-01-31", "2026-01-31 12:00:00.000"]);
  assertEquals(timeOf("2026-01-31T12:00:00.5Z"), ["2026-01-31", "2026-01-31 12:00:00.500"]);
  assertEquals(timeOf("2026-01-31T12:00:00.123456789Z"), ["2026-01-31", "2026-01-31 12:00:00.123"]);
  assertEquals(timeOf("1601-01-01T00:00:00.000Z"), ["1900-01-01", "1900-01-01 00:00:00.000"]);
  assertEquals(timeOf("9999-12-31T23:59:59.999Z"), ["2299-12-31", "2299-12-31 23:59:59.999"]);
});

Deno.test("buildRows() has no visitor and no session of an aggregate pageview", () => {
  const { session_id, user_id, anonymous_id, traits, properties } = rowOf(STORED_PAGEVIEW);

  assertEquals([session_id, user_id, anonymous_id, traits, properties], ["", null, "", "", ""]);
});

Deno.test("buildRows() writes text that UTF-8 can hold", () => {
  const odd = "\ud800";
  const { name, page_title, properties } = rowOf({
    ...STORED,
    name: `a${odd}\0`,
    context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageTitle: odd },
    properties: { odd, "\\ud800": 1 },
  });

  assertEquals([name, page_title, properties], ["a\ufffd\ufffd", "\ufffd", '{"odd":"\ufffd","\\\\ud800":1}']);
});

Deno.test("rebuildEvent() makes an event again of its row", () => {
  const bare: StoredEvent = {
    ...{ id: "e-1", name: "signup", collection: "full" },
    ...{ timestamp: STORED.timestamp, receivedAt: STORED.receivedAt, identity: { userId: null }, place: 99 },
  };
  const whole: StoredEvent = {
    ...STORED,
    identity: { userId: "ada", anonymousId: "a-1", traits: { plan: null } },
    context: {
      ...{ sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageUrl: "https://shop.example/a?b#c", pageTitle: "Teas" },
      ...{ referrer: "https://search.example/x", screenWidth: 1920, screenHeight: 1080.5 },
    },
    violation: "missing",
    flag: "bot",
  };

  for (const event of [STORED, STORED_PAGEVIEW, bare, whole]) assertEquals(rebuildEvent(rowOf(event)), event);
});

Deno.test("buildSchema() replicates on a cluster", () => {
  const [alone = ""] = buildSchema();
  const [replicated = ""] = buildSchema({ cluster: "a`b" });

  assertMatch(alone, /CREATE TABLE IF NOT EXISTS events \(/);
  assertMatch(alone, /ENGINE = ReplacingMergeTree\(version\)/);
  assertMatch(alone, / non_replicated_deduplication_window = 1000,/);
  assertMatch(replicated, /CREATE TABLE IF NOT EXISTS events ON CLUSTER `a\\`b` \(/);
  assertMatch(replicated, /ENGINE = ReplicatedReplacingMergeTree\('[^']+', '\{replica\}', version\)/);
  assertMatch(replicated, / replicated_deduplication_window = 1000,/);
});

/** A ClickHouse that has tables of ours, of which that of the events lacks columns until a statement adds them. */
function createLacking(lacks: readonly string[]) {
  const statements: string[] = [];
  const names = [...STORED_COLUMNS.map(({ name }) => name), "day", "id_hash", "version", "kind", "erased_at"];
  const isThere = (name: string): boolean =>
    !lacks.includes(name) || statements.some((text) => text.includes(`ADD COLUMN IF NOT EXISTS ${name} `));
  return {
    statements,
    run: (statement: string) => Promise.resolve(void statements.push(statement)),
    select: (sql: string) =>
      Promise.resolve(
        sql.includes("system.tables")
          ? [{ engine: "ReplicatedReplacingMergeTree" }]
          : names.filter(isThere).map((name) => ({ name })),
      ),
  };
}

Deno.test("createTables() adds the columns that an earlier release had none of", async () => {
  const lacking = createLacking(["browser", "screen_height", "traits"]);

  await assertRejects(
    () => checkSchema(lacking),
    Error,
    "the table events lacks traits, screen_height, browser: a loader of this version adds it",
  );
  await createTables(lacking, { cluster: "c" });

  assertEquals(
    lacking.statements.at(-1),
    "ALTER TABLE events ON CLUSTER `c` ADD COLUMN IF NOT EXISTS traits String CODEC(ZSTD(1)), " +
      "ADD COLUMN IF NOT EXISTS screen_height Nullable(Float64), " +
      "ADD COLUMN IF NOT EXISTS browser LowCardinality(String)",
  );
});

Deno.test("createTables() refuses a table that isn't ours, and leaves it as it is", async () => {
  const lacking = createLacking(["browser", "key_hash", "day"]);

  await assertRejects(
    () => createTables(lacking),
    Error,
    "the table events lacks key_hash, browser, day: no loader made it",
  );
  assertEquals(lacking.statements.some((text) => text.includes("ALTER")), false);
});

Deno.test("createTarget() inserts a block under a token of its own, the same when it comes again", async () => {
  const tokens: string[] = [];
  const target = createTarget({
    insert: (_table, _rows, token) => Promise.resolve(void tokens.push(token)),
    select: () => Promise.resolve([{ version: "0 0" }]),
    run: () => Promise.resolve(),
    close: () => Promise.resolve(),
  });
  const block = [{ keyHash: KEY_HASH, event: STORED }, { keyHash: KEY_HASH, event: STORED_PAGEVIEW }];

  await target.store(block);
  await target.store(block.slice(0, 1));
  await target.store([]);
  await target.store(block);

  assertEquals(tokens.length, 3);
  assertEquals([tokens[0] === tokens[1], tokens[0] === tokens[2]], [false, true]);
});

Deno.test("createTarget() rejects when ClickHouse is away", async () => {
  const target = createTarget({
    insert: () => Promise.reject(Object.assign(new Error("connect ECONNREFUSED"), { code: "ECONNREFUSED" })),
    select: () => Promise.resolve([{ version: "0 0" }]),
    run: () => Promise.resolve(),
    close: () => Promise.resolve(),
  });

  await assertRejects(() => target.store([{ keyHash: KEY_HASH, event: STORED }]), Error, "ECONNREFUSED");
});

/** A target on a store with records. */
function createWatched(erasures: readonly Erasure[]) {
  const inserted: string[] = [];
  let news = 0;
  const target = createTarget({
    insert: (_table, rows) => Promise.resolve(void inserted.push(...rows.map(({ id }) => String(id)))),
    select: (query) =>
      Promise.resolve(
        query.includes("AS version")
          ? [{ version: `${erasures.length} ${erasures.length}` }]
          : erasures.map(({ key, kind, id, erasedAt }) => ({
            ...{ key_hash: key, kind, id_hash: id },
            erased_at: erasedAt.replace("T", " ").replace("Z", ""),
          })),
      ),
    run: () => Promise.resolve(),
    close: () => Promise.resolve(),
  }, { onErasures: () => news += 1 });
  return { target, inserted, news: () => news };
}

Deno.test("createTarget() leaves out what records name, and says so", async () => {
  const record = await buildErasure({ apiKey: KEY, kind: "user", id: "ada" }, "2026-03-02T00:00:00.000Z");
  const { target, inserted, news } = createWatched([record]);
  const own = await hashKey(KEY);

  const { unfit, erased } = await target.store([
    { keyHash: own, event: anEvent("before", { userId: "ada" }) },
    { keyHash: await hashKey(OTHER_KEY), event: anEvent("elsewhere", { userId: "ada" }) },
    { keyHash: own, event: anEvent("of-bob", { userId: "bob" }) },
    {
      keyHash: own,
      event: anEvent("after", {
        userId: "ada",
        timestamp: "2026-03-02T00:00:00.001Z",
        receivedAt: "2026-03-02T00:00:01.000Z",
      }),
    },
  ]);

  assertEquals([unfit, erased, news()], [[], 1, 1]);
  assertEquals(inserted, ["elsewhere", "of-bob", "after"]);
});

Deno.test("createTarget() notices an erasure while its block was under way", async () => {
  const erasures: Erasure[] = [];
  const { target, inserted, news } = createWatched(erasures);
  const record = await buildErasure({ apiKey: KEY, kind: "user", id: "ada" }, "2026-03-02T00:00:00.000Z");
  const event = anEvent("before", { userId: "ada" });
  const unhurried = target.store([{ keyHash: await hashKey(KEY), event }]);
  erasures.push(record);

  await unhurried;

  assertEquals([inserted, news()], [["before"], 1]);
});
