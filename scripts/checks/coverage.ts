/**
 * Runs the tests, then fails where they reach too few of the lines in src/. With `--report` it takes what an earlier
 * run left in coverage/.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { type FileCoverage, parseLcov } from "./lcov.ts";
import { runProcess } from "../support/process.ts";
import { stripTypes } from "./strip_types.ts";

const DIRECTORY = "coverage";

/** Least part of the lines. Browsers and clusters prove more of what isn't the client, in suites of their own. */
const MIN_PERCENT = { client: 95, all: 90 } as const;

const SOURCE = fileURLToPath(new URL("../../src/", import.meta.url));

/** Arguments that make `deno test` record what it reaches. */
export const COVERAGE_ARGS: readonly string[] = ["--clean", `--coverage=${DIRECTORY}`, "--coverage-raw-data-only"];

/** Most files that may be cut: a few tests kill a process. */
const MAX_CUT = 10;

/**
 * Removes files that are empty, or cut, which `deno coverage` can't read: a process that a test kills leaves one. Returns how many.
 *
 * @throws {Error} When there are more than killed processes leave; then all stay.
 */
export async function removeCut(directory: string): Promise<number> {
  const cut: string[] = [];
  for await (const { name } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    if (!/\}\s*$/.test(await Deno.readTextFile(path))) cut.push(path);
  }
  if (cut.length > MAX_CUT) throw new Error(`${cut.length} files of ${directory}/ are cut, at most ${MAX_CUT} may be`);
  for (const path of cut) await Deno.remove(path);
  return cut.length;
}

async function readReport(): Promise<FileCoverage[]> {
  const cut = await removeCut(DIRECTORY);
  if (cut > 0) console.log(`${cut} files of ${DIRECTORY}/ were cut, and are left out`);
  const { code, output } = await runProcess(Deno.execPath(), {
    args: ["coverage", DIRECTORY, "--quiet", "--lcov", "--include=/src/", "--exclude=/(tests|scripts)/"],
    env: { NO_COLOR: "1" },
    isQuiet: true,
  });
  if (code !== 0) throw new Error(`deno coverage failed:\n${output}`);
  return parseLcov(output).filter(({ path }) => path.startsWith(SOURCE));
}

// A file that no test loads is in no report; if it holds more than types, every line of it is missed.
async function findUnloaded(known: readonly FileCoverage[], directory: string): Promise<FileCoverage[]> {
  const found: FileCoverage[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}${name}`;
    if (isDirectory) found.push(...await findUnloaded(known, `${path}/`));
    if (!name.endsWith(".ts") || known.some((file) => file.path === path)) continue;
    const lines = stripTypes(await Deno.readTextFile(path)).split("\n").filter((line) => line.trim()).length;
    found.push({ path, lines, hits: 0, missed: [] });
  }
  return found;
}

function percent({ hits, lines }: Pick<FileCoverage, "hits" | "lines">): number {
  return lines === 0 ? 100 : (hits / lines) * 100;
}

async function main(isReportOnly: boolean): Promise<number> {
  if (!isReportOnly) {
    const args = ["run", "-A", "scripts/checks/run_tests.ts", ...COVERAGE_ARGS];
    const { code } = await runProcess(Deno.execPath(), { args });
    if (code !== 0) return code;
  }
  const loaded = await readReport();
  const files = [...loaded, ...await findUnloaded(loaded, SOURCE)].filter(({ lines }) => lines > 0);
  for (const file of files.filter(({ hits, lines }) => hits < lines).sort((a, b) => percent(a) - percent(b))) {
    const missed = file.missed.length > 0 ? `lines ${file.missed.join(", ")}` : "never loaded";
    console.log(`${percent(file).toFixed(1).padStart(5)} %  ${file.path.slice(SOURCE.length)}: ${missed}`);
  }
  const [client, all] = [addUp(files.filter(({ path }) => isOfClient(path))), addUp(files)];
  console.log(
    `${client.toFixed(1)} % of the client's lines, at least ${MIN_PERCENT.client} %; ` +
      `${all.toFixed(1)} % of all in src/, at least ${MIN_PERCENT.all} %`,
  );
  return client >= MIN_PERCENT.client && all >= MIN_PERCENT.all ? 0 : 1;
}

/** Returns whether a file is part of the client. */
function isOfClient(path: string): boolean {
  return path.startsWith(`${SOURCE}client/`);
}

/** Returns the percentage over several files; none is nothing. */
function addUp(files: readonly FileCoverage[]): number {
  const total = { lines: sum(files.map(({ lines }) => lines)), hits: sum(files.map(({ hits }) => hits)) };
  return total.lines === 0 ? 0 : percent(total);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}

if (import.meta.main) Deno.exit(await main(Deno.args.includes("--report")));
