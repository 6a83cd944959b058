import { assertEquals } from "@std/assert";
import { describeAnswer } from "../../../src/addons/inspector/event_lines.ts";

Deno.test("describeAnswer() says what an answer of the ingest says, and nothing of what isn't one", () => {
  const texts = [
    '{"error":{"code":"origin","message":"The key doesn\'t belong to this origin"}}',
    '{"accepted":2,"duplicates":0}',
    '{"accepted":0,"duplicates":2,"refused":1}',
    "<html>502 Bad Gateway</html>",
    "null",
    "",
  ];

  assertEquals(texts.map(describeAnswer), [
    "The key doesn't belong to this origin",
    "",
    "2 of the request known already, 1 of the request off the plan, not stored",
    "",
    "",
    "",
  ]);
});
