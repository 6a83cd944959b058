import { assertEquals, assertMatch, assertRejects, assertStringIncludes, assertThrows } from "@std/assert";
import { Writable } from "node:stream";
import { createFileSink, type StoredEvent } from "../../../../src/ingest/mod.ts";
import {
  parseReportCommand,
  type ReportCommand,
  runReportCommand,
  writeReport,
} from "../../../../src/ingest/server/cli/report_command.ts";
import { ServerFault, UsageFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { buildEvent, buildPageview, SITE } from "../../reports/fixtures.ts";
import { KEY, storeEvents } from "../../reports/report_store.ts";
import { withFileStore } from "../../stores/file/file_store.ts";
import { withDirectory } from "../../stores/file/in_thread.ts";

/** A Wednesday. */
const NOW_MS = Date.parse("2026-03-11T08:00:00.000Z");

function parse(args: readonly string[], variables: Record<string, string> = {}): ReportCommand {
  const command = parseReportCommand(args, { variables, now: NOW_MS });
  if (command === "help") throw new Error("help was asked for");
  return command;
}

const rangeOf = (...args: readonly string[]): readonly string[] => {
  const { from, to } = parse(["--key", KEY, ...args]).range;
  return [from, to];
};

Deno.test("parseReportCommand() finds the last whole day, week and month", () => {
  assertEquals(rangeOf(), ["2026-03-02", "2026-03-08"]);
  assertEquals(rangeOf("--last", "day"), ["2026-03-10", "2026-03-10"]);
  assertEquals(rangeOf("--last", "month"), ["2026-02-01", "2026-02-28"]);
  assertEquals(rangeOf("--from", "2026-01-05", "--to", "2026-01-07"), ["2026-01-05", "2026-01-07"]);
  assertEquals(rangeOf("--from", "2026-03-10"), ["2026-03-10", "2026-03-11"]);
});

Deno.test("parseReportCommand() finds them by the clocks of a zone", () => {
  const { range, zone } = parseReportCommand(["--key", KEY, "--last", "day", "--zone", "Pacific/Auckland"], {
    variables: {},
    now: Date.parse("2026-03-11T12:00:00.000Z"),
  }) as ReportCommand;

  assertEquals([range.from, range.to, zone.name], ["2026-03-11", "2026-03-11", "Pacific/Auckland"]);
});

Deno.test("parseReportCommand() finds them by the clocks of the key, where no other zone is named", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/keys.json`;
    const key = { apiKey: KEY, name: "shop", origins: [SITE], zone: "Pacific/Auckland" };
    await Deno.writeTextFile(path, JSON.stringify({ keys: [key] }));

    const zoneOf = (...args: readonly string[]): string => parse(["--key", KEY, ...args]).zone.name;
    assertEquals(zoneOf("--keys-file", path), "Pacific/Auckland");
    assertEquals(zoneOf("--keys-file", path, "--zone", "Europe/Berlin"), "Europe/Berlin");
    assertEquals(zoneOf(), "UTC");
  }));

Deno.test("parseReportCommand() begins the week on the day that the key names", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/keys.json`;
    const weekFrom = async (weekStart: string, day: string): Promise<string> => {
      const key = { apiKey: KEY, name: "shop", origins: [SITE], weekStart };
      await Deno.writeTextFile(path, JSON.stringify({ keys: [key] }));
      const now = Date.parse(`${day}T08:00:00.000Z`);
      const { range } = parseReportCommand(["--key", KEY, "--keys-file", path], {
        variables: {},
        now,
      }) as ReportCommand;
      return `${range.from} ${range.to}`;
    };

    assertEquals(await weekFrom("sunday", "2026-03-08"), "2026-03-01 2026-03-07");
    assertEquals(await weekFrom("saturday", "2026-03-08"), "2026-02-28 2026-03-06");
    assertEquals(await weekFrom("monday", "2026-03-08"), "2026-02-23 2026-03-01");
  }));

Deno.test("parseReportCommand() takes the store from the variables of the ingest", () => {
  const { place, format } = parse(["--key", KEY, "--format", "html"], { INGEST_SINK: "file:a" });

  assertEquals([place, format], [{ kind: "file", path: "a" }, "html"]);
});

Deno.test("parseReportCommand() says what is wrong", () => {
  const cases: readonly (readonly [readonly string[], string])[] = [
    [[], "there is no key: name one with --key KEY"],
    [["--key", KEY, "--last", "year"], "last must be one of day, week, month"],
    [["--key", KEY, "--last", "day", "--to", "2026-01-01"], "last goes without from and to"],
    [["--key", KEY, "--from", "2026-02-30"], "from must be a day that exists, written as 2026-01-31"],
    [["--key", KEY, "--zone", "Mars"], "zone must be a time zone such as Europe/Berlin"],
    [["--key", KEY, "--format", "pdf"], "format must be one of text, html"],
    [["--key", KEY, "--sink", "nats:a"], "sink must be file:FOLDER or clickhouse:URL"],
  ];
  for (const [args, message] of cases) {
    assertThrows(() => parse(args), ServerFault, message);
  }
});

const HOSTILE = `<a href="https://evil.example">now</a>\u202e\n`;

const ADA = { anonymousId: "ada", sessionId: "of-ada" } as const;

async function withWeek(
  use: (run: (...args: readonly string[]) => Promise<string>, directory: string) => Promise<void>,
): Promise<void> {
  await withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await storeEvents(sink, [
      buildPageview({
        timestamp: "2026-03-03T10:00:00.000Z",
        pageUrl: `${SITE}/teas`,
        referrer: "https://evil.example/",
        ...ADA,
      }),
      buildPageview({ timestamp: "2026-03-08T23:59:59.000Z", pageUrl: `${SITE}/`, collection: "aggregate" }),
      buildEvent({ timestamp: "2026-03-03T10:00:00.000Z", pageUrl: `${SITE}/`, name: HOSTILE, ...ADA }),
      buildPageview({
        timestamp: "2026-02-27T10:00:00.000Z",
        pageUrl: `${SITE}/`,
        anonymousId: "bob",
        sessionId: "of-bob",
      }),
      buildPageview({
        timestamp: "2026-03-09T00:00:00.000Z",
        pageUrl: `${SITE}/`,
        anonymousId: "eve",
        sessionId: "of-eve",
      }),
    ]);
    await sink.close();
    await use((...args) => runReportCommand(parse(["--key", KEY, "--sink", `file:${path}`, ...args])), directory);
  });
}

Deno.test("runReportCommand() prints the figures of a week beside those of the week before", () =>
  withWeek(async (run) => {
    const lines = (await run()).replaceAll("\u2060", "").split("\n");
    const cellsOf = (name: string): readonly string[] =>
      lines.find((line) => line.trim().startsWith(name))?.trim().split(/\s{2,}/) ?? [];

    assertEquals(lines[0], "shop.example: 2 Mar 2026 – 8 Mar 2026");
    assertEquals(cellsOf("Visitors"), ["Visitors", "1", "1"]);
    assertEquals(cellsOf("Pageviews"), ["Pageviews", "2", "1"]);
    assertEquals(cellsOf("With consent"), ["With consent", "50%", "100%"]);
    assertEquals(cellsOf("Session length"), ["Session length", "0\u00a0s", "–"]);
    assertEquals(cellsOf("/teas"), ["/teas", "1", "100%"]);
    assertEquals(cellsOf("Direct or unknown"), ["Direct or unknown", "0", "–"]);
    assertEquals(cellsOf("<a href"), ['<a href="https://evil.example">now</a>��', "1", "1"]);
  }));

Deno.test("runReportCommand() has the goals and notes of the keys file, and counts by its settings", () =>
  withWeek(async (run, directory) => {
    const path = `${directory}/keys.json`;
    const key = {
      apiKey: KEY,
      name: "shop",
      origins: ["https://evil.example", SITE],
      pathRules: { patterns: ["/:page"] },
      goals: { [HOSTILE.trim()]: { page: "/:page", value: 2 } },
      notes: [{ day: "2026-03-03", text: "see evil.example" }, { day: "2026-03-09", text: "later" }],
    };
    await Deno.writeTextFile(path, JSON.stringify({ keys: [key] }));

    const text = await run("--keys-file", path);
    const page = await run("--keys-file", path, "--format", "html");

    assertMatch(text, /\nNotes\n {2}3 Mar 2026: see evil\.\u2060example\n\nGoals +Visitors +Before/);
    assertMatch(text, /<\/a>. +1 +0 +100% +2\n/);
    assertMatch(text, /\n {2}\/:\u2060page +1 +100%\n/);
    assertMatch(text, /\n {2}Direct or unknown/);
    assertEquals([text.includes("later"), /evil\.example|<a\b/.test(page)], [false, false]);
    await assertRejects(
      async () => await run("--key", "pk_other", "--keys-file", path),
      ServerFault,
      "has no such key",
    );
  }));

Deno.test("writeReport() writes what can be read where a file is damaged, and then fails with its name", () =>
  withFileStore(async ({ folder, sink, seal }) => {
    const view = (index: number): StoredEvent =>
      buildPageview({ timestamp: "2026-03-03T10:00:00.000Z", pageUrl: `${SITE}/`, sessionId: `s-${index}` });
    await storeEvents(sink, Array.from({ length: 40 }, (_, index) => view(index)));
    await seal();
    await storeEvents(sink, [view(41)]);
    await Deno.truncate(`${folder}/00000001.parquet`, 100);
    const command = parse(["--key", KEY, "--sink", `file:${folder}`, "--out", `${folder}/mail.txt`]);
    const { message } = await assertRejects(() => writeReport(command, new Writable()), ServerFault);

    const text = await Deno.readTextFile(`${folder}/mail.txt`);
    assertStringIncludes(text, "\nSome events are missing here, 40 at most: the file 00000001.parquet can't be read.");
    assertMatch(text, /\n {2}Sessions +1 /);
    assertStringIncludes(message, `the file of events "${folder}/00000001.parquet" can't be read: `);
  }));

Deno.test("writeReport() writes to the output for -, or a new file, and over nothing", () =>
  withWeek(async (run, directory) => {
    const chunks: string[] = [];
    const output = new Writable({ write: (chunk, _, done) => (chunks.push(String(chunk)), done()) });
    const sink = `file:${directory}/events`;
    const write = async (out: string): Promise<void> =>
      await writeReport(parse(["--key", KEY, "--sink", sink, "--out", out]), output);
    const expected = await run();

    await write("-");
    await write(`${directory}/week.txt`);

    assertEquals([chunks.join(""), Deno.readTextFileSync(`${directory}/week.txt`)], [expected, expected]);
    await assertRejects(() => write(`${directory}/week.txt`), ServerFault, "week.txt exists: name a new file");
    await assertRejects(() => write(`${directory}/events/tail.db`), ServerFault, "is one of the files of the store");
  }));

Deno.test("runReportCommand() names nobody, and makes no link and no markup of what others chose", () =>
  withWeek(async (run) => {
    const page = await run("--format", "html");
    assertEquals(/<a\b/.test(page), false);
    for (const text of [await run(), page]) {
      assertEquals(/\bada\b|evil\.example|\p{Bidi_Control}/u.test(text), false);
      assertStringIncludes(text, "evil.\u2060example");
    }
    assertMatch(
      page,
      /^\s*<!doctype html>[^]*<td align="left">Visitors<\/td><td align="right">1</,
    );
  }));

Deno.test("runReportCommand() says that nothing was stored under a key, and that there is no database", () =>
  withWeek(async (run) => {
    await assertRejects(
      () => run("--key", "pk_other"),
      ServerFault,
      "no event of a site was ever stored under this key",
    );
    await assertRejects(() => run("--sink", "file:/no/such"), ServerFault, "can't be used");
  }));

Deno.test("runReportCommand() reads a site as it is meant, and refuses one that isn't there with the sites there are", () =>
  withWeek(async (run) => {
    const text = await run("--site", "shop.example/");

    assertEquals(text.split("\n")[0]?.replaceAll("\u2060", ""), "shop.example: 2 Mar 2026 – 8 Mar 2026");
    await assertRejects(
      () => run("--site", "https://shpo.example"),
      UsageFault,
      "there is no site https://shpo.example; there are events of https://shop.example",
    );
  }));
