/**
 * `deno task ok`: the checks of CI that need no browser, framework or cluster, a line each. With `--tested` it takes the
 * tests for run, and what they left in coverage/, and leaves out what measures time: CI does both by themselves.
 *
 * @module
 */
import { COVERAGE_ARGS } from "./coverage.ts";
import { readPackageSource } from "./npm_package/manifest.ts";
import { runProcess } from "./process.ts";

interface Step {
  readonly name: string;
  /** Arguments of deno. */
  readonly args: readonly string[];
}

function script(name: string, ...args: string[]): string[] {
  return ["run", "-A", `scripts/${name}.ts`, ...args];
}

const entries = Object.values(readPackageSource().exports);
const isTested = Deno.args.includes("--tested");

const STEPS: readonly Step[] = [
  { name: "format", args: ["fmt", "--check"] },
  { name: "lint", args: ["lint"] },
  { name: "types", args: script("check") },
  // In one call: a type that one entry point shows and another one exports is then no private type.
  { name: "ingest", args: script("conformance") },
  { name: "contract", args: script("contract", "--check") },
  { name: "threads", args: script("threads", "--check") },
  { name: "documentation", args: ["doc", "--lint", ...entries] },
  { name: "examples", args: script("test_docs") },
  ...(isTested ? [] : [{ name: "tests", args: script("run_tests", ...COVERAGE_ARGS) }]),
  { name: "coverage", args: script("coverage", "--report") },
  { name: "JSR package", args: ["publish", "--dry-run", "--allow-dirty"] },
  { name: "Deno project", args: script("check_deno_consumer") },
  { name: "npm package", args: script("build_npm") },
  { name: "size", args: script("size", "--check") },
  { name: "guides", args: script("check_docs") },
  // No test: coverage, which the tests are run with, makes the code slower than it is.
  ...(isTested ? [] : [{ name: "step cost", args: script("step_cost", "--check") }]),
];

async function runStep({ name, args }: Step): Promise<boolean> {
  const startMs = performance.now();
  const { code, output } = await runProcess(Deno.execPath(), { args, isQuiet: true });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  if (code === 0) {
    console.log(`ok      ${name} (${seconds} s): ${summarize(output)}`);
    return true;
  }
  console.log(`FAILED  ${name} (${seconds} s)`);
  console.error(`deno ${args.join(" ")}\n${output}`);
  return false;
}

function summarize(output: string): string {
  // deno-lint-ignore no-control-regex -- the colours of a terminal
  const lines = output.replace(/\x1b\[[\d;]*m/g, "").trim().split("\n");
  return lines.findLast((line) => /\d+ passed/.test(line)) ?? lines.at(-1) ?? "";
}

const outcomes: boolean[] = [];
for (const step of STEPS) outcomes.push(await runStep(step));
const failed = outcomes.filter((isOk) => !isOk).length;
console.log(`${outcomes.length - failed} steps passed, ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);
