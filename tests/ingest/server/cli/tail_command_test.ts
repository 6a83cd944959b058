import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createFileSink } from "../../../../src/ingest/mod.ts";
import { parseTailCommand, runTailCommand, type TailCommand } from "../../../../src/ingest/server/cli/tail_command.ts";
import { formatTailLine } from "../../../../src/ingest/server/cli/tail_line.ts";
import { ServerFault } from "../../../../src/ingest/server/ops/server_fault.ts";
import { KEY, OTHER_KEY } from "../../fixtures.ts";
import { anEvent, until } from "../../stores/data_fixtures.ts";
import { batchOf } from "../../stores/sink_contract.ts";
import { withDirectory } from "../../stores/file/in_thread.ts";

function parse(args: readonly string[], variables: Record<string, string> = {}): TailCommand {
  const command = parseTailCommand(args, variables);
  if (command === "help") throw new Error("help was asked for");
  return command;
}

Deno.test("parseTailCommand() reads what is asked for, and says what is wrong", () => {
  assertEquals(parse([], { INGEST_SINK: "file:a" }), { place: { kind: "file", path: "a" }, lines: 10 });
  assertEquals(parse(["--key", KEY, "--lines", "0", "--sink", "clickhouse:http://ch", "--clickhouse-user", "me"]), {
    place: { kind: "clickhouse", options: { url: "http://ch", user: "me" } },
    apiKey: KEY,
    lines: 0,
  });
  assertEquals(parseTailCommand(["--help"], {}), "help");
  assertThrows(() => parse(["--lines", "1.5"]), ServerFault, 'lines must be a whole number from 0 to 1000, not "1.5"');
  assertThrows(
    () => parse(["--lines", "1001"]),
    ServerFault,
    'lines must be a whole number from 0 to 1000, not "1001"',
  );
  assertThrows(
    () => parse(["--sink", "memory"]),
    ServerFault,
    "sink must be file:FOLDER or clickhouse:URL",
  );
});

Deno.test("formatTailLine() writes an event as one line", () => {
  const full = anEvent("1", { anonymousId: "6f1c0e9a-0d3b", properties: { plan: "pro", total: 12.5 } });
  const signedIn = anEvent("2", { userId: "ada" });
  const aggregate = anEvent("3", { collection: "aggregate" });
  const crawled = { ...anEvent("4", { userId: "ada" }), flag: "bot" as const };

  assertEquals([full, signedIn, aggregate, crawled].map((event) => formatTailLine(event)), [
    "2026-03-01 10:00:05  full       signup            shop.example/teas             " +
    'visitor:6f1c0e9a  {"plan":"pro","total":12.5}',
    "2026-03-01 10:00:05  full       signup            shop.example/teas             user:ada",
    "2026-03-01 10:00:05  aggregate  $pageview         shop.example/teas             -",
    "2026-03-01 10:00:05  full bot   signup            shop.example/teas             user:ada",
  ]);
});

Deno.test("formatTailLine() abbreviates what is long, and shows no query", () => {
  const line = formatTailLine(anEvent("1", {
    name: "🍵".repeat(1000),
    userId: "u".repeat(5000),
    context: {
      sdkName: "@vendor/sdk",
      sdkVersion: "0.1.0",
      pageUrl: `https://shop.example/${"p".repeat(900)}?token=1`,
    },
    properties: { text: "x".repeat(30_000) },
  }));

  assertEquals(line.split(/\s{2,}/).slice(2), [
    `${"🍵".repeat(31)}…`,
    `shop.example/${"p".repeat(34)}…`,
    `user:${"u".repeat(19)}…`,
    `{"text":"${"x".repeat(70)}…`,
  ]);
});

Deno.test("formatTailLine() gives a terminal nothing to obey and nothing to link", () => {
  const hostile = "\u001b[2J\u009b1m\r\n\u202egpj\u2028\ud800 https://evil.example www.evil.example";
  const line = formatTailLine(anEvent("1", {
    name: hostile,
    userId: hostile.slice(0, 12),
    context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageUrl: "https://evil.example/%1b%5b2J%E2%80%AE" },
    properties: { [hostile]: hostile },
  }));

  // deno-lint-ignore no-control-regex
  assertEquals(line.match(/[\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ud800]/g), null);
  assertEquals(line.match(/:\/\/|www\./g), null);
  for (const name of ["ftp.evil.example", "mailto:bob", "bob@evil.example", "WWW.evil.example"]) {
    const linked = formatTailLine(anEvent("1", { name, userId: name }));
    assertEquals(linked.includes(name), false, linked);
  }
});

async function withTail(
  args: readonly string[],
  use: (of: {
    readonly store: (apiKey: string, id: string) => Promise<unknown>;
    readonly start: () => { readonly lines: string[]; readonly notes: string[]; readonly end: () => Promise<void> };
  }) => Promise<void>,
): Promise<void> {
  await withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await use({
      store: (apiKey, id) => sink.store(batchOf([anEvent(id, { name: id })], apiKey)),
      start: () => {
        const [lines, notes]: [string[], string[]] = [[], []];
        const controller = new AbortController();
        const running = runTailCommand(parse(["--sink", `file:${path}`, ...args]), {
          write: (text) => {
            lines.push(...text.trimEnd().split("\n").map((line) => line.split(/\s+/)[3] ?? ""));
            return Promise.resolve();
          },
          note: (text) => notes.push(text),
          signal: controller.signal,
        });
        return {
          lines,
          notes,
          end: () => {
            controller.abort();
            return running;
          },
        };
      },
    });
    await sink.close();
  });
}

Deno.test("runTailCommand() prints the events of a key as they are stored, until it is ended", () =>
  withTail(["--key", KEY, "--lines", "2"], async ({ store, start }) => {
    const empty = start();
    await until(() => Promise.resolve(empty.notes.length > 0));
    for (const id of ["1", "2", "3"]) await store(KEY, id);
    await until(() => Promise.resolve(empty.lines.length === 3));
    await empty.end();
    const { lines, notes, end } = start();
    await until(() => Promise.resolve(lines.length === 2));
    await store(OTHER_KEY, "of-another-key");
    await store(KEY, "4");
    await until(() => Promise.resolve(lines.length >= 3));
    await end();
    await store(KEY, "5");

    assertEquals([empty.notes, empty.lines], [["nothing is stored under this key yet: waiting"], ["1", "2", "3"]]);
    assertEquals([notes, lines], [[], ["2", "3", "4"]]);
  }));

Deno.test("runTailCommand() ends when nobody reads it any more, and says when there is no folder", () =>
  withDirectory(async (directory) => {
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await sink.store(batchOf([anEvent("1", {})]));
    await sink.close();
    const output = {
      write: () => Promise.reject(new Error("EPIPE")),
      note: () => {},
      signal: new AbortController().signal,
    };

    await runTailCommand(parse(["--sink", `file:${path}`]), output);
    const missing = runTailCommand(parse(["--sink", `file:${path}.x`]), output);

    await assertRejects(() => missing, ServerFault, "can't be used");
  }));
