import { assertEquals } from "@std/assert";
import { FakeTime } from "@std/testing/time";
import { logProgress } from "../../../../src/ingest/server/ops/progress_log.ts";

/** Runs the log on what a store says one time after the other, and returns its lines by the minute. */
async function readLines(answers: readonly (number | Error)[]): Promise<readonly unknown[]> {
  using time = new FakeTime();
  const lines: unknown[][] = [[]];
  let asked = 0;
  const progress = (): Promise<number> => {
    const answer = answers[asked++] ?? new Error("it was asked too often");
    return answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer);
  };
  const stop = logProgress({ progress }, (_level, message, fields) => {
    lines.at(-1)?.push([message, fields?.counted]);
  });
  await time.tickAsync(1);
  for (let minute = 1; minute < answers.length; minute++) {
    lines.push([]);
    await time.tickAsync(60_000);
  }
  await time.tickAsync(600_000);
  stop();
  assertEquals(asked >= answers.length, true);
  return lines;
}

const line = (counted: number) => [["counting for the reports", counted]];

Deno.test("logProgress() says at the start how much is counted, then once a minute, and at last that it is all", async () => {
  assertEquals(await readLines([0.12345, 0.5, new Error("busy"), 0.9999, 1]), [
    ...[line(0.123), line(0.5), [], line(0.999), [["all is counted", undefined]]],
  ]);
});

Deno.test("logProgress() says nothing where all is counted from the start", async () => {
  assertEquals(await readLines([1]), [[]]);
});

Deno.test("logProgress() says nothing more once it has ended", async () => {
  using time = new FakeTime();
  const lines: unknown[] = [];
  const stop = logProgress({ progress: () => Promise.resolve(0.5) }, (...line) => lines.push(line));

  await time.tickAsync(60_000);
  stop();
  await time.tickAsync(600_000);

  assertEquals(lines.length, 2);
});
