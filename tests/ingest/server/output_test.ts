import { assertEquals } from "@std/assert";
import { createOutput } from "../../../src/ingest/server/log.ts";

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
