import { assertEquals } from "@std/assert";
import { createLog, createOutput, type LogLevel } from "../../../../src/ingest/server/ops/log.ts";

function setUp(level: LogLevel, secrets: readonly string[] = []) {
  const lines: unknown[] = [];
  const log = createLog({
    level,
    write: (line) => lines.push(JSON.parse(line)) > 0,
    now: () => 0,
    secrets: new Set(secrets),
  });
  return { log, lines };
}

Deno.test("createLog() writes one JSON object per line", () => {
  const { log, lines } = setUp("info");

  log("info", "listening", { port: 8080, sink: undefined, host: "a\nb" });

  assertEquals(lines, [
    { time: "1970-01-01T00:00:00.000Z", level: "info", message: "listening", port: 8080, host: "a\nb" },
  ]);
});

Deno.test("createLog() escapes what a terminal would obey, and keeps its value", () => {
  const lines: string[] = [];
  const log = createLog({ level: "info", write: (line) => lines.push(line) > 0, now: () => 0, secrets: new Set() });
  const hostile = "\u001b[2J\u009b2J\u007f\u202egpj.exe\u2066\u2028\ud83c\udf75";

  log("info", "hop", { hop: hostile });

  // deno-lint-ignore no-control-regex
  assertEquals(/[\u0000-\u001f\u007f-\u009f\u200e\u200f\u2028-\u202e\u2066-\u2069]/.test(lines[0] ?? ""), false);
  assertEquals(lines[0]?.includes("\ud83c\udf75"), true);
  assertEquals(JSON.parse(lines[0] ?? "").hop, hostile);
});

Deno.test("createLog() says how many lines couldn't be written", () => {
  const lines: unknown[] = [];
  let isFull = true;
  const write = (line: string) => !isFull && lines.push(JSON.parse(line)) > 0;
  const log = createLog({ level: "info", write, now: () => 0, secrets: new Set() });

  log("info", "one");
  log("info", "two");
  isFull = false;
  log("info", "three");
  log("info", "four");

  const line = { time: "1970-01-01T00:00:00.000Z", level: "info" };
  assertEquals(lines, [{ ...line, message: "three", lost: 2 }, { ...line, message: "four" }]);
});

Deno.test("createLog() writes one of the same warnings and errors in 10 seconds", () => {
  const lines: unknown[] = [];
  let nowMs = 0;
  const write = (line: string) => lines.push(JSON.parse(line)) > 0;
  const log = createLog({ level: "debug", write, now: () => nowMs, secrets: new Set() });

  for (nowMs of [0, 10, 9_999, 10_000, 20_000]) {
    log("error", "disk full", { reason: String(nowMs) });
    log("debug", "request");
  }

  assertEquals(
    lines.filter((line) => (line as { level: string }).level === "error"),
    [
      { time: "1970-01-01T00:00:00.000Z", level: "error", message: "disk full", reason: "0" },
      { time: "1970-01-01T00:00:10.000Z", level: "error", message: "disk full", reason: "10000" },
      { time: "1970-01-01T00:00:20.000Z", level: "error", message: "disk full", reason: "20000" },
    ],
  );
  assertEquals(lines.length, 8);
});

Deno.test("createLog() leaves out what is below its level", () => {
  const { log, lines } = setUp("warn");

  log("debug", "a");
  log("info", "b");
  log("warn", "c");
  log("error", "d");

  assertEquals(lines.map((line) => (line as { message: string }).message), ["c", "d"]);
});

Deno.test("createLog() writes no key and no secret, wherever it comes from", () => {
  const { log, lines } = setUp("info", ["pk_1", "pk_12", ""]);

  log("error", "sending with pk_12 failed", { reason: "401 for pk_1, pk_12 and pk_1" });

  assertEquals(lines, [{
    time: "1970-01-01T00:00:00.000Z",
    level: "error",
    message: "sending with *** failed",
    reason: "401 for ***, *** and ***",
  }]);
});

Deno.test("createLog() shows no key of one character, and not by its mask either", () => {
  const { log, lines } = setUp("info", ["*", "k", "pk_1", "$&", "a.c"]);

  log("error", "k, * and pk_1", { reason: "unknown key k for $& and a.c, not abc" });

  assertEquals(lines, [{
    time: "1970-01-01T00:00:00.000Z",
    level: "error",
    message: "***, *** and ***",
    reason: "un***nown ***ey *** for *** and ***, not abc",
  }]);
});

Deno.test("createLog() hides a secret that came after it", () => {
  const secrets = new Set(["pk_old"]);
  let line = "";
  const log = createLog({ level: "info", write: (text) => (line = text, true), now: () => 0, secrets });
  log("info", "listening");

  secrets.add("pk_new");
  log("info", "a key was refused", { reason: "pk_new and pk_old are off" });

  assertEquals(JSON.parse(line).reason, "*** and *** are off");
});

Deno.test("createOutput() takes lines while their reader stalls, up to a bound, and goes on when it reads again", async () => {
  const sent: string[] = [];
  const stalled = Promise.withResolvers<void>();
  const output = createOutput(async (text) => {
    sent.push(text);
    await stalled.promise;
  });
  const long = "x".repeat(999_999);

  const taken = ["one", "two", long, "too much"].map(output.write);
  stalled.resolve();
  await output.flush();
  const isTaken = output.write("three");
  await output.flush();

  assertEquals([taken, isTaken], [[true, true, true, false], true]);
  assertEquals(sent, ["one\n", `two\n${long}\n`, "three\n"]);
});

Deno.test("createOutput() outlives what can't be written", async () => {
  const sent: string[] = [];
  const output = createOutput((text) => {
    sent.push(text);
    return Promise.reject(new Error("broken pipe"));
  });

  output.write("one");
  await output.flush();
  output.write("two");
  await output.flush();

  assertEquals(sent, ["one\n", "two\n"]);
});
