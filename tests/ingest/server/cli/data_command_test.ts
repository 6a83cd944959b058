import { assertEquals, assertMatch, assertRejects, assertThrows } from "@std/assert";
import { parquetReadObjects } from "hyparquet";
import { Writable } from "node:stream";
import { createFileSink } from "../../../../src/ingest/mod.ts";
import { type DataCommand, parseDataCommand, runDataCommand } from "../../../../src/ingest/server/cli/data_command.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { anEvent } from "../../stores/data_fixtures.ts";
import { hashKey } from "../../../../src/ingest/platform/digest.ts";
import { KEY, OTHER_KEY } from "../../fixtures.ts";
import { withDirectory } from "../../stores/file/in_thread.ts";
import { batchOf } from "../../stores/sink_contract.ts";

const OF_CLICKHOUSE = ["--sink", "clickhouse:http://ch"];

const OF_ADA = ["--key", KEY, "--user-id", "ada"] as const;

function parse(args: readonly string[], variables: Record<string, string> = {}): DataCommand {
  const command = parseDataCommand(args, variables);
  if (command === "help") throw new Error("help was asked for");
  return command;
}

async function runCommand(args: readonly string[]): Promise<string> {
  let text = "";
  const output = new Writable({
    write: (chunk, _, done) => {
      text += chunk;
      done();
    },
  });
  await runDataCommand(parse(args), { output });
  return text;
}

Deno.test("parseDataCommand() reads what is asked for", () => {
  assertEquals(parse(["find", ...OF_ADA]), {
    action: "find",
    place: { kind: "file", path: "events" },
    subject: { apiKey: KEY, userId: "ada", withVisitors: false },
  });
  assertEquals(parse(["erase", "--key", KEY, "--anonymous-id", "a-1", "--dry-run"], { INGEST_SINK: "file:a:b" }), {
    action: "erase",
    place: { kind: "file", path: "a:b" },
    subject: { apiKey: KEY, anonymousId: "a-1" },
    dryRun: true,
    vacuum: false,
  });
  assertEquals(parse(["prune", "--keep", "30d", "--keep-erasures", "60d", "--vacuum"]), {
    action: "prune",
    place: { kind: "file", path: "events" },
    options: { keepDays: 30, keepErasuresDays: 60, dryRun: false, vacuum: true },
  });
  assertEquals(
    parse(["find", ...OF_ADA, "--sink", "clickhouse:http://ch:8123", "--clickhouse-user", "data"], {
      INGEST_CLICKHOUSE_USER: "other",
      INGEST_CLICKHOUSE_PASSWORD: "secret",
      INGEST_CLICKHOUSE_DATABASE: "",
    }).place,
    { kind: "clickhouse", options: { url: "http://ch:8123", user: "data", password: "secret" } },
  );
  assertEquals(parse(["export", "--all", "--key", KEY, "--from", "2026-02-28", "--to", "2026-02-28"]), {
    action: "export",
    place: { kind: "file", path: "events" },
    range: { apiKey: KEY, from: "2026-02-28T00:00:00.000Z", to: "2026-03-01T00:00:00.000Z" },
    format: "jsonl",
  });
  assertEquals(parse(["export", "--all", "--to", "2026-01-31T12:00Z", "--out", "all.csv", "--format", "csv"]), {
    action: "export",
    place: { kind: "file", path: "events" },
    range: { to: "2026-01-31T12:00:00.000Z" },
    format: "csv",
    out: "all.csv",
  });
  assertEquals(parse(["find", "--key", KEY, "--user-id="]).action, "find");
  assertEquals(parse(["prune", "--sink", "clickhouse:http://ch", "--clickhouse-password="]).place, {
    kind: "clickhouse",
    options: { url: "http://ch", password: "" },
  });
  assertEquals(parseDataCommand(["--help"], {}), "help");
});

Deno.test("parseDataCommand() reads which stream is meant", () => {
  const command = parse(["erase", ...OF_ADA, ...OF_CLICKHOUSE, "--from", "nats:a:4222,b", "--nats-stream", "MINE"], {
    INGEST_NATS_TOKEN: "secret",
    INGEST_NATS_USER: "",
  });

  assertEquals("waiting" in command ? command.waiting : undefined, {
    stream: { servers: ["a:4222", "b"], stream: "MINE", token: "secret" },
    store: { url: "http://ch" },
  });
});

Deno.test("parseDataCommand() takes ids as they are, and no variable for what is meant for others or would delete", () => {
  const of = ["KEY", "USER_ID", "FROM", "FORMAT", "OUT", "KEEP", "KEEP_ERASURES", "DRY_RUN", "VACUUM", "NATS_STREAM"];
  const variables = Object.fromEntries(of.map((name) => [`INGEST_${name}`, "30d"]));
  const subject = { apiKey: KEY, userId: ` "ada" `, withVisitors: false };
  const place = { kind: "file", path: "events" } as const;

  assertEquals(parse(["prune"], variables), { action: "prune", place, options: { dryRun: false, vacuum: false } });
  assertEquals(parse(["export", "--key", KEY, "--user-id", subject.userId], variables), {
    action: "export",
    place,
    subject,
    format: "jsonl",
  });
  assertEquals(parse(["erase", "--key", KEY, "--user-id", subject.userId], variables), {
    action: "erase",
    place,
    subject,
    dryRun: false,
    vacuum: false,
  });
});

Deno.test("parseDataCommand() says what is wrong, and repeats nobody's id", () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[], "data must be one of find, export, erase, prune: see data --help"],
    [["erase", "ada"], "data must be one of find, export, erase, prune: see data --help"],
    [["find", "--user-id", "ada"], "there is no key: name one with --key KEY"],
    [["find", "--key", KEY], "whose data is it? Name one with --user-id ID or --anonymous-id ID"],
    [["find", ...OF_ADA, "--anonymous-id", "a-1"], "whose data is it? Name one with --user-id ID or --anonymous-id ID"],
    [["find", "--key", KEY, "--anonymous-id", ""], "whose data is it? Name one with --user-id ID or --anonymous-id ID"],
    [
      ["find", "--key", KEY, "--anonymous-id", "a-1", "--with-visitors"],
      "with-visitors is for a user: name one with --user-id ID",
    ],
    [["find", ...OF_ADA, "--dry-run"], "data find has no --dry-run: see data --help"],
    [["prune", "--key", KEY], "data prune has no --key: see data --help"],
    [["prune", "--keep", "7d"], "keep must be at least 8 days, such as 395d"],
    [["prune", "--keep-erasures", "ada\n"], "keep-erasures must be at least 8 days, such as 395d"],
    [["export", ...OF_ADA, "--format", "xml"], "format must be one of jsonl, csv, parquet"],
    [["find", ...OF_ADA, "--from", "nats:a"], "data find has no --from: see data --help"],
    [["find", "--all"], "data find has no --all: see data --help"],
    [["export", ...OF_ADA, "--to", "2026-01-31"], "to is for everybody's events: name them with --all"],
    [["export", "--all", ...OF_ADA], "all is everybody's events: it goes without user-id"],
    [["export", "--all", "--key="], "the key is empty: leave it out for all keys"],
    [["export", "--all", "--from", "2026-02-01", "--to", "2026-01-31"], "from must be before to"],
    ...["2026-02-30", "yesterday", "2026-01-31T12:00", "2026-01-31T25:00Z"].map((time) =>
      [
        ["export", "--all", "--from", time],
        "from must be a day or a time in UTC, such as 2026-01-31 or 2026-01-31T12:00:00Z",
      ] as const
    ),
    [["erase", ...OF_ADA, "--from", "nats:a"], "from is for a ClickHouse: a stream is in front of it"],
    [
      ["erase", ...OF_ADA, ...OF_CLICKHOUSE, "--from", "nats:a", "--dry-run"],
      "from deletes at once: it goes without dry-run",
    ],
    [
      ["erase", ...OF_ADA, ...OF_CLICKHOUSE, "--nats-stream", "MINE"],
      "nats-stream is for a stream: name one with --from nats:SERVER,SERVER",
    ],
    [["erase", ...OF_ADA, ...OF_CLICKHOUSE, "--from", "kafka:a"], "from must be nats:SERVER,SERVER"],
    [
      ["find", ...OF_ADA, "--sink", "file://events"],
      'sink must be file:FOLDER, not the URL "file://events": file:events is in the folder that it runs in, ' +
      "file:/data/events in another",
    ],
    [["find", ...OF_ADA, "--sink", "memory"], "sink must be file:FOLDER or clickhouse:URL"],
    [
      ["find", ...OF_ADA, "--sink", "clickhouse:http://u:secret@ch"],
      "sink must be clickhouse:URL, such as clickhouse:http://localhost:8123",
    ],
    [
      ["erase", ...OF_ADA, "--sink", "clickhouse:http://ch", "--vacuum"],
      "vacuum is for a folder: ClickHouse removes what is old by itself",
    ],
    [["find", "--no-such"], "Unknown option '--no-such', see data --help"],
  ];
  for (const [args, message] of cases) {
    assertEquals(assertThrows(() => parseDataCommand(args, {}), ServerFault).message, message);
  }
});

Deno.test("runDataCommand() exports Parquet", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const many = Array.from({ length: 10_001 }, (_, index) => anEvent(`e-${index}`, { userId: "ada" }));
    const last = anEvent("last", { userId: "ada", anonymousId: "a-9", properties: { name: "=1+1", none: null } });
    await sink.store(batchOf([...many, last]));
    await sink.close();

    const out = `${directory}/ada.parquet`;
    await runCommand(["export", ...OF_ADA, "--sink", `file:${path}`, "--format", "parquet", "--out", out]);
    const rows = await parquetReadObjects({ file: (await Deno.readFile(out)).buffer });

    assertEquals(rows.length, 10_002);
    assertEquals(rows.at(-1), {
      id: "last",
      name: "signup",
      collection: "full",
      timestamp: new Date("2026-03-01T10:00:00.000Z"),
      received_at: new Date("2026-03-01T10:00:05.000Z"),
      session_id: "s-1",
      site: "https://shop.example",
      user_id: "ada",
      anonymous_id: "a-9",
      traits: "",
      page_url: "https://shop.example/teas",
      page_title: "",
      referrer_url: "",
      screen_width: null,
      screen_height: null,
      sdk_version: "0.1.0",
      batch_id: "",
      place: 0,
      clock_offset_ms: 0n,
      violation: "",
      flag: "",
      browser: "",
      browser_version: "",
      system: "",
      device: "",
      country: "",
      properties: '{"name":"=1+1","none":null}',
    });
  }));

Deno.test("runDataCommand() exports everybody's events of a time in each format, and says how many", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const events = [
      anEvent("before", { timestamp: "2026-02-28T23:59:59.999Z" }),
      anEvent("of-ada", { userId: "ada", properties: { formula: "=1+1" } }),
      anEvent("counted", { collection: "aggregate" }),
    ];
    await sink.store(batchOf(events));
    await sink.store(batchOf([anEvent("of-other", {})], OTHER_KEY));
    await sink.close();
    const args = ["export", "--all", "--sink", `file:${path}`];
    const from = ["--from", "2026-03-01", "--to", "2026-03-01"];
    const noteOf = (...more: string[]): Promise<string | undefined> =>
      runDataCommand(parse([...args, ...more]), { output: new Writable({ write: (_, __, done) => done() }) });

    const lines = await runCommand([...args, ...from, "--key", KEY]);
    const all = (await runCommand(args)).trimEnd().split("\n").map((line) => JSON.parse(line));
    const csv = await runCommand([...args, ...from, "--format", "csv"]);
    const parquet = `${directory}/all.parquet`;
    const note = await noteOf(...from, "--format", "parquet", "--out", parquet);
    const rows = await parquetReadObjects({ file: (await Deno.readFile(parquet)).buffer });
    const nothing = await noteOf("--to", "2026-02-27");

    assertEquals(lines.trimEnd().split("\n").map((line) => JSON.parse(line)), events.slice(1));
    const [hash, other] = [await hashKey(KEY), await hashKey(OTHER_KEY)];
    assertEquals(all, [...events.map((event) => ({ keyHash: hash, ...event })), {
      keyHash: other,
      ...anEvent("of-other", {}),
    }]);
    assertEquals(csv.split("\r\n").map((row) => row.split(",").slice(0, 2)), [
      ['"key_hash"', '"id"'],
      [`"${hash}"`, '"of-ada"'],
      [`"${hash}"`, '"counted"'],
      [`"${other}"`, '"of-other"'],
      [""],
    ]);
    assertEquals(rows.map(({ key_hash, id }) => [key_hash, id]), [
      [hash, "of-ada"],
      [hash, "counted"],
      [other, "of-other"],
    ]);
    assertEquals([note, nothing], ["exported 3 events", "nothing is stored of this time"]);
    await assertRejects(() => noteOf("--key", "pk_mistyped"), ServerFault, "nothing was ever stored under this key");
  }));

Deno.test("runDataCommand() finds, exports and erases", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const events = [anEvent("e-1", { userId: "ada", properties: { formula: "=1+1" } }), anEvent("e-2", {})];
    await sink.store(batchOf(events));
    const onPath = ["--sink", `file:${path}`] as const;

    const found = await runCommand(["find", ...OF_ADA, ...onPath]);
    const lines = await runCommand(["export", ...OF_ADA, ...onPath]);
    const csv = await runCommand(["export", ...OF_ADA, ...onPath, "--format", "csv"]);
    await runCommand(["export", ...OF_ADA, ...onPath, "--out", `${directory}/ada.jsonl`]);
    const again = runCommand(["export", ...OF_ADA, ...onPath, "--out", `${directory}/ada.jsonl`]);
    await assertRejects(() => again, ServerFault, "ada.jsonl exists: name a new file");
    const failed = runCommand(["export", ...OF_ADA, "--sink", `file:${path}.x`, "--out", `${directory}/part.jsonl`]);
    await assertRejects(() => failed, ServerFault, "there is no tail.db");
    await assertRejects(() => Deno.stat(`${directory}/part.jsonl`), Deno.errors.NotFound);
    const tried = await runCommand(["erase", ...OF_ADA, ...onPath, "--dry-run"]);
    const erased = await runCommand(["erase", ...OF_ADA, ...onPath]);
    const left = await sink.events();
    await sink.close();

    assertEquals([JSON.parse(found).events, JSON.parse(tried).events, JSON.parse(erased).events], [1, 1, 1]);
    assertEquals(JSON.parse(lines), events[0]);
    assertEquals(JSON.parse(await Deno.readTextFile(`${directory}/ada.jsonl`)), events[0]);
    assertEquals(csv.split("\r\n").map((row) => row.split(",").slice(0, 2)), [
      ['"id"', '"name"'],
      ['"e-1"', '"signup"'],
      [""],
    ]);
    assertEquals(csv.includes('"{""formula"":""=1+1""}"'), true);
    assertEquals(left, [events[1] as typeof left[0]]);
  }));

Deno.test("runDataCommand() leaves nothing of an export that is broken off, and removes what one left", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const out = `${directory}/ada.jsonl`;
    const sink = await createFileSink({ path });
    await sink.store(batchOf(Array.from({ length: 2000 }, (_, index) => anEvent(`e-${index}`, { userId: "ada" }))));
    await sink.close();
    const args = ["export", ...OF_ADA, "--sink", `file:${path}`, "--out", out];
    const listFiles = () => [...Deno.readDirSync(directory)].map(({ name }) => name).filter((name) => /ada/.test(name));
    const controller = new AbortController();

    const running = runDataCommand(parse(args), { output: new Writable(), signal: controller.signal });
    while (listFiles().length === 0) await new Promise((resolve) => setTimeout(resolve));
    const meanwhile = listFiles();
    controller.abort();
    const afterwards = listFiles();
    await assertRejects(() => running, ServerFault, "it was broken off");
    await Deno.mkdir(`${out}.${2 ** 22 + 1}.new`);
    await Deno.writeTextFile(`${out}.${2 ** 22 + 1}.new/file`, "half of");
    await runCommand(args);

    assertEquals([meanwhile, afterwards, listFiles()], [[`ada.jsonl.${Deno.pid}.new`], [], ["ada.jsonl"]]);
    assertEquals((await Deno.readTextFile(out)).trim().split("\n").length, 2000);
  }));

Deno.test("runDataCommand() writes texts that other readers and terminals take", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    const odd = "a\u202e\u0085\u2028b";
    const half = { "\ud83d": "cut \ud83d", count: 1e300 };
    await sink.store(batchOf([anEvent("1", { userId: odd, anonymousId: odd, properties: half, name: "n\ud83d" })]));
    await sink.close();
    const of = ["--key", KEY, "--user-id", odd, "--sink", `file:${path}`];
    const parquet = `${directory}/out.parquet`;

    const found = await runCommand(["find", ...of]);
    const line = await runCommand(["export", ...of]);
    const csv = await runCommand(["export", ...of, "--format", "csv"]);
    await runCommand(["export", ...of, "--format", "parquet", "--out", parquet]);
    const [row] = await parquetReadObjects({ file: (await Deno.readFile(parquet)).buffer });

    const whole = { "\ufffd": "cut \ufffd", count: 1e300 };
    assertEquals(JSON.parse(found).userIds, [odd]);
    assertEquals(JSON.parse(line).properties, whole);
    assertEquals([found, line].filter((text) => /[\u0085\u2028\p{Bidi_Control}]|\\ud8/u.test(text)), []);
    assertEquals(csv.includes("\\ud8"), false);
    assertEquals([row?.name, JSON.parse(row?.properties)], ["n\ufffd", whole]);
  }));

Deno.test("runDataCommand() exports to the output for -, and to no file that is there or the store's", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await sink.store(batchOf([anEvent("1", { userId: "ada" })]));
    await sink.close();
    Deno.symlinkSync("events/tail.db-wal", `${directory}/log`);
    Deno.symlinkSync("later.jsonl", `${directory}/link.jsonl`);
    new Deno.Command("mkfifo", { args: [`${directory}/pipe`] }).outputSync();
    const args = ["export", ...OF_ADA, "--sink", `file:${path}`, "--out"];
    const faultOf = async (name: string): Promise<string> =>
      (await assertRejects(() => runCommand([...args, `${directory}/${name}`]), ServerFault)).message;

    assertEquals(JSON.parse(await runCommand([...args, "-"])).id, "1");
    for (
      const name of [...["", "-wal", "-shm", "-journal"].map((end) => `events/tail.db${end}`), "events/erasures", "log"]
    ) {
      assertMatch(await faultOf(name), /is one of the files of the store$/, name);
    }
    assertMatch(await faultOf("pipe"), /is no regular file$/);
    await runCommand([...args, `${directory}/link.jsonl`]);
    assertEquals(JSON.parse(Deno.readTextFileSync(`${directory}/later.jsonl`)).id, "1");
    assertMatch(await faultOf("link.jsonl"), /link\.jsonl exists: name a new file$/);
    assertEquals(Deno.lstatSync(`${directory}/link.jsonl`).isSymlink, true);
    assertEquals(JSON.parse(await runCommand([...args, "-"])).id, "1");
  }));

Deno.test("runDataCommand() refuses an unknown key, and says when nothing is stored", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await sink.store(batchOf([anEvent("1", { userId: "" })]));
    await sink.close();
    const onPath = ["--sink", `file:${path}`];
    const noteOf = (...args: string[]): Promise<string | undefined> =>
      runDataCommand(parse([...args, ...onPath]), { output: new Writable({ write: (_, __, done) => done() }) });

    for (const action of ["find", "export", "erase"]) {
      const unknown = noteOf(action, "--key", "pk_other", "--user-id", "");
      await assertRejects(() => unknown, ServerFault, "nothing was ever stored under this key");
      assertEquals(
        await noteOf(action, ...OF_ADA),
        "nothing is stored of this user or visitor: is it the right id?",
      );
    }
    const found = await noteOf("find", "--key", KEY, "--user-id=");
    const erased = JSON.parse(await runCommand(["erase", "--key", KEY, "--user-id=", ...onPath]));

    assertEquals([found, erased.events], [undefined, 1]);
  }));
