/**
 * The launcher of `deno task test:faults`: the SDK against the real ingest behind faults, in Chromium, Firefox and
 * WebKit, and a table of what came of every event. A machine without one of the three fails the suite.
 *
 *     deno task test:faults [--short] [--engine=webkit] [--suite=measures] [--rounds=20] [--seed=7] [--filter=3b]
 *
 * `--short` is the form of CI. The engines run side by side; then, one after the other, what is measured in time.
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

const args = parseFaultArgs(Deno.args);
const programs = findPrograms(["CHROMIUM", "FIREFOX", "WEBKIT", "WEBKIT_DRIVER", "XVFB"]);
const registry = await findRegistry();
console.log(`${registry.summary}; ${args.isShort ? "short" : "long"} form, seed ${args.seed}`);

const folder = await Deno.makeTempDir({ prefix: "vendor_sdk_faults_" });
const rows = followRows(`${folder}/rows`);

async function runSuite(engine: string, suite: FaultSuite): Promise<number> {
  const { code, output } = await runProcess(Deno.execPath(), {
    args: [
      "test",
      "-A",
      ...registry.denoArgs,
      ...args.denoArgs,
      `tests/faults/${suite}_test.ts`,
    ],
    env: { ...programs, ...args.env, FAULT_ENGINE: engine, FAULT_ROWS: `${folder}/rows` },
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
