import { assertEquals } from "@std/assert";
import { writeSafeJson } from "../../../src/ingest/events/foreign_text.ts";

Deno.test("writeSafeJson() writes what every reader takes, and keeps the value of all but halves of characters", () => {
  const kept = { text: '\u{1F375} \\ud83d \\\\ " \n', "a\u202eb": ["\u0085\u2028", 1, null, { deep: true }] };
  const halved = { "\ud83d": "a\udf75", b: "\ud83d\ud83c\udf75", c: "\\\ud800" };

  assertEquals(JSON.parse(writeSafeJson(kept)), kept);
  assertEquals(/[\p{Cc}\p{Bidi_Control}\u2028]/u.test(writeSafeJson(kept)), false);
  assertEquals(JSON.parse(writeSafeJson(halved)), { "\ufffd": "a\ufffd", b: "\ufffd\u{1F375}", c: "\\\ufffd" });
  assertEquals(writeSafeJson(halved).includes("\\ud"), false);
});
