/**
 * `deno task ok`: the checks of CI that need no browser, framework or cluster. A line each says what was checked; a step
 * that doesn't say so fails. With `--tested` it takes the tests for run, and what they left in coverage/, and leaves out
 * what measures time: CI does both by themselves.
 *
 * @module
 */
import { stripVTControlCharacters } from "node:util";
import { COVERAGE_ARGS } from "./coverage.ts";
import { listEntries, PACKAGES } from "../package/packages.ts";
import { runProcess } from "../support/process.ts";
import { findRegistry } from "../support/registry.ts";

interface Step {
  readonly name: string;
  /** Arguments of deno. */
  readonly args: readonly string[];
  /** Where to run it, if not in the repository. */
  readonly cwd?: string;
  /** Returns what was checked, by what deno printed; nothing where that doesn't show. */
  readonly summarize: (output: string) => string | undefined;
}

/** Steps that may run beside each other. */
const AT_A_TIME = 2;

const entries = PACKAGES.flatMap((npmPackage) => Object.values(listEntries(npmPackage)));
const isTested = Deno.args.includes("--tested");
const { denoArgs } = await findRegistry();

/** The steps that depend on no other, the longest first. */
const INDEPENDENT: readonly Step[] = [
  { name: "npm packages", args: script("package/build_npm"), summarize: join(/^package: (.+?);/gm) },
  {
    name: "types",
    args: ["check", ...denoArgs, "mod.ts", "src", "tests", "scripts"],
    // It names what it checks, and nothing of what it has checked before.
    summarize: (output) => `${output.match(/^Check /gm)?.length ?? 0} modules type-check, the others as before`,
  },
  { name: "docs", args: script("docs/check_docs"), summarize: find(/^(\d+ documents.+)$/m) },
  {
    name: "examples",
    args: ["test", "-A", "--doc", ...denoArgs, "mod.ts", "src"],
    summarize: find(/^ok \| ([1-9]\d*) passed/m, "examples of the sources' documentation run"),
  },
  ...PACKAGES.map(({ source, folder }): Step => ({
    name: `JSR: ${source.name}`,
    args: ["publish", "--dry-run", "--allow-dirty"],
    cwd: `./${folder}`,
    summarize: count(/^ +file:/gm, "files would be published"),
  })),
  { name: "format", args: ["fmt", "--check"], summarize: find(/^Checked (\d+) files/m, "files are formatted") },
  { name: "lint", args: ["lint"], summarize: find(/^Checked (\d+) files/m, "files have no lint") },
  // In one call: a type that one entry point shows and another one exports is then no private type.
  {
    name: "documentation",
    args: ["doc", "--lint", ...entries],
    summarize: find(/^Checked (\d+) files/m, "entry points are documented whole"),
  },
  { name: "generated", args: script("generate/generate", "--check"), summarize: find(/^(\d+ files .+)$/m) },
  { name: "size", args: script("checks/size", "--check"), summarize: find(/^(client \d+ of .+)$/m) },
  {
    name: "Deno project",
    args: ["run", "--check", "--no-prompt", "main.ts"],
    cwd: "tests/consumers/deno_project",
    summarize: find(/^(\d+ event .+)$/m),
  },
];

/** The steps that run alone, in this order: coverage wants the tests, and costs an idle machine. */
const ALONE: readonly Step[] = [
  ...(isTested ? [] : [{
    name: "tests",
    args: script("checks/run_tests", ...COVERAGE_ARGS),
    summarize: find(/^ok \| ([1-9]\d*) passed.*\| 0 failed(?! \| \d+ ignored)/m, "tests pass"),
  }]),
  {
    name: "coverage",
    args: script("checks/coverage", "--report"),
    summarize: find(/^(\d\S+ % of the client's lines.*)$/m),
  },
  // Without coverage, which makes the code slower than it is.
  ...(isTested ? [] : [{
    name: "costs",
    args: script("checks/run_tests", "--suite=costs"),
    summarize: find(/^ok \| ([1-9]\d*) passed/m, "costs are within their limits"),
  }]),
];

function script(name: string, ...args: string[]): string[] {
  return ["run", "-A", `scripts/${name}.ts`, ...args];
}

/** Takes the group of a pattern, and says what it counts. */
function find(pattern: RegExp, what = ""): Step["summarize"] {
  return (output) => pattern.exec(output)?.[1]?.concat(what && ` ${what}`);
}

/** Takes the group of a pattern each time that it matches. */
function join(pattern: RegExp): Step["summarize"] {
  return (output) => Array.from(output.matchAll(pattern), ([, found]) => found).join("; ") || undefined;
}

/** Counts the lines that match. */
function count(pattern: RegExp, what: string): Step["summarize"] {
  return (output) => output.match(pattern)?.length.toString().concat(` ${what}`);
}

async function runStep({ name, args, cwd, summarize }: Step): Promise<boolean> {
  const startMs = performance.now();
  const result = await runProcess(Deno.execPath(), { args, isQuiet: true, ...(cwd && { cwd }) });
  const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
  const output = stripVTControlCharacters(result.output);
  const summary = result.code === 0 ? summarize(output) : undefined;
  if (summary !== undefined) {
    console.log(`ok      ${name} (${seconds} s): ${summary}`);
    return true;
  }
  console.log(`FAILED  ${name} (${seconds} s)`);
  console.error(`deno ${args.join(" ")}\n${output}`);
  return false;
}

const outcomes: boolean[] = [];

async function runSteps(steps: readonly Step[], atATime: number): Promise<void> {
  const waiting = [...steps];
  const runLane = async (): Promise<void> => {
    for (let step = waiting.shift(); step; step = waiting.shift()) outcomes.push(await runStep(step));
  };
  await Promise.all(Array.from({ length: atATime }, runLane));
}

await runSteps(INDEPENDENT, AT_A_TIME);
await runSteps(ALONE, 1);
const failed = outcomes.filter((isOk) => !isOk).length;
console.log(`${outcomes.length - failed} steps passed, ${failed} failed`);
Deno.exit(failed === 0 ? 0 : 1);
