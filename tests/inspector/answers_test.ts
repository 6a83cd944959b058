import { assertEquals } from "@std/assert";
import { describeAnswer, readAnswer } from "../../src/inspector/answers.ts";
import { stub } from "@std/testing/mock";

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

Deno.test("readAnswer() reads the answer beside whoever sends the request, and leaves fetch() as it was", async () => {
  using fetched = stub(globalThis, "fetch", () => Promise.resolve(new Response("busy", { status: 503 })));
  const page = globalThis.fetch;

  const { result, text } = readAnswer(() => fetch("https://ingest.example/"));

  assertEquals(globalThis.fetch === page, true);
  assertEquals(await (await result).text(), "busy");
  assertEquals(await text, "busy");
  assertEquals(fetched.calls.length, 1);
});

Deno.test("readAnswer() leaves it to the caller what fails", async () => {
  using _failing = stub(globalThis, "fetch", () => Promise.reject(new TypeError("no network")));
  const { result, text } = readAnswer(() => fetch("https://ingest.example/").catch((error) => error.message));

  assertEquals([await result, await text], ["no network", ""]);
});
