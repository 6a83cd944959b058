import { assertEquals } from "@std/assert";
import { createLog, type LogLevel } from "../../../src/ingest/server/log.ts";

function setUp(level: LogLevel, secrets: readonly string[] = []) {
  const lines: unknown[] = [];
  const log = createLog({ level, write: (line) => lines.push(JSON.parse(line)), now: () => 0, secrets });
  return { log, lines };
}

Deno.test("createLog() writes one JSON object per line", () => {
  const { log, lines } = setUp("info");

  log("info", "listening", { port: 8080, sink: undefined, host: "a\nb" });

  assertEquals(lines, [
    { time: "1970-01-01T00:00:00.000Z", level: "info", message: "listening", port: 8080, host: "a\nb" },
  ]);
});

Deno.test("createLog() goes on where a line can't be written", () => {
  const broken = () => {
    throw new Error("broken pipe");
  };
  const log = createLog({ level: "info", write: broken, now: () => 0, secrets: [] });

  log("info", "stopping");
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
