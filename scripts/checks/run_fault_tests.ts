/**
 * The launcher of `deno task test:faults`: the SDK against the real ingest behind faults, in Chromium, Firefox and
 * WebKit, and a table of what came of every event. A machine without one of the three fails the suite.
 *
 *     deno task test:faults [--short | --smoke] [--engine=webkit] [--suite=measures] [--rounds=20] [--seed=7] [--filter=3b]
 *
 * `--short` is CI's form of the night: short waits, few rounds. `--smoke` is what a change waits for: of the short form,
 * all scenarios in Chromium, a few in Firefox and WebKit, and nothing that is measured in time. The engines run side by
 * side; then, one after the other, what is measured.
 *
 * @module
 */
import { type FaultSuite, parseFaultArgs } from "./faults/args.ts";
import { followRows } from "./faults/follow_rows.ts";
import { runProcess } from "../support/process.ts";
import { findPrograms } from "../support/programs.ts";
import { findRegistry } from "../support/registry.ts";
import { formatTable } from "../../tests/faults/row.ts";

/** Longest run of one engine, in milliseconds: what takes longer hangs. */
const LONG_LIMIT_MS = 5_400_000;
const SHORT_LIMIT_MS = 1_200_000;

/** Tests of each part. */
const FILES: Readonly<Record<FaultSuite, readonly string[]>> = {
  scenarios: ["tests/faults/outages_test.ts", "tests/faults/device_test.ts"],
  measures: ["tests/faults/measures_test.ts"],
};

/** The engine that has every scenario in the form that a change waits for. */
const WHOLE_IN_SMOKE = "chromium";

const args = parseFaultArgs(Deno.args);
const form = args.isSmoke ? "smoke" : args.isShort ? "short" : "long";
const programs = findPrograms(["CHROMIUM", "FIREFOX", "WEBKIT", "WEBKIT_DRIVER", "XVFB"]);
const registry = await findRegistry();
console.log(`${registry.summary}; ${form} form, seed ${args.seed}`);

const folder = await Deno.makeTempDir({ prefix: "vendor_sdk_faults_" });
const rows = followRows(`${folder}/rows`);

async function runSuite(engine: string, suite: FaultSuite): Promise<number> {
  const isWhole = args.isSmoke && engine === WHOLE_IN_SMOKE;
  const smoke = args.isSmoke && (isWhole ? { DENO_JOBS: "2" } : { FAULT_FORM: "smoke" });
  const { code, output } = await runProcess(Deno.execPath(), {
    args: [
      "test",
      "-A",
      ...registry.denoArgs,
      ...args.denoArgs,
      // These wait more than they work: what each change runs has two pages at a time.
      ...(isWhole ? ["--parallel"] : []),
      ...FILES[suite],
    ],
    env: { ...programs, ...args.env, FAULT_ENGINE: engine, FAULT_ROWS: `${folder}/rows`, ...smoke },
    isQuiet: true,
    timeoutMs: args.isShort ? SHORT_LIMIT_MS : LONG_LIMIT_MS,
  });
  console.log(code === 0 ? `${engine}, ${suite}: ${output.trim().split("\n").at(-1)}` : output); // how many passed
  return code;
}

try {
  const codes: number[] = [];
  if (args.suites.includes("scenarios")) {
    codes.push(...await Promise.all(args.engines.map((engine) => runSuite(engine, "scenarios"))));
  }
  if (args.suites.includes("measures")) {
    for (const engine of args.engines) codes.push(await runSuite(engine, "measures"));
  }
  console.log(`\n${formatTable(rows.end())}\n`);
  const failed = codes.filter((code) => code !== 0).length;
  console.log(failed === 0 ? "Every row is as it must be." : `${failed} of ${codes.length} runs failed.`);
  Deno.exitCode = failed === 0 ? 0 : 1;
} finally {
  rows.end();
  await Deno.remove(folder, { recursive: true });
}
