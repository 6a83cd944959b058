import { BODY_CASES } from "./body_cases.ts";
import type { Case } from "./case.ts";
import { DUPLICATE_CASES } from "./duplicate_cases.ts";
import { REQUEST_CASES } from "./request_cases.ts";
import type { Target } from "./target.ts";

const CASES: readonly Case[] = [...REQUEST_CASES, ...DUPLICATE_CASES, ...BODY_CASES];

/** Runs the cases, says what became of each, and returns how many failed. */
export async function runCases(target: Target, say: (line: string) => void): Promise<number> {
  const cases = CASES.filter(({ needsOrigin = false }) => !needsOrigin || target.origin !== undefined);
  const failures: string[] = [];
  for (const { name, run } of cases) {
    try {
      await run(target);
      say(`ok      the ingest ${name}`);
    } catch (error) {
      failures.push(`FAILED  the ingest ${name}: ${error instanceof Error ? error.message : error}`);
      say(failures.at(-1) ?? "");
    }
  }
  const untried = CASES.length - cases.length;
  if (untried > 0) say(`Not tried without --origin: ${untried} cases of origins that aren't registered.`);
  if (failures.length > 0) say(`\n${failures.join("\n")}\n`);
  say(`${cases.length - failures.length} passed, ${failures.length} failed`);
  return failures.length;
}
