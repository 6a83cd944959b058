import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { SCRIPT_TAG_GUIDE } from "../docs/script_tags.ts";
import { transformSync } from "../support/esbuild.ts";
import { runProcess } from "../support/process.ts";
import { toIntegrity } from "./global_script.ts";
import { type InstalledPackage, listFiles } from "./installed_package.ts";
import { GLOBAL_SCRIPT } from "./manifest.ts";

/** Texts of the package's files, by path. */
type Files = ReadonlyMap<string, string>;

/** What would ask a content security policy for `unsafe-eval`. */
const EVALUATION = /\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(|\bset(?:Timeout|Interval)\s*\(\s*["'`]/;

/** A text that stands once in the sources, so that the way back from each build can be followed to its line. */
const LANDMARK = { path: "src/client/config.ts", text: "Missing required configuration" } as const;

/** Builds that have the landmark: the ES module, CommonJS and the script-tag build. */
const BUILDS_WITH_LANDMARK = 3;

/** Checks what each file of the package says: no folder of the builder, no `eval`, a source map, the right integrity. */
export async function checkFiles({ directory }: InstalledPackage): Promise<void> {
  const paths = await listFiles(directory);
  const texts = paths.map(async (path) => [path, await Deno.readTextFile(`${directory}/${path}`)] as const);
  const files = new Map(await Promise.all(texts));
  checkFolders(files, await listFolders());
  checkCode(files);
  checkSourceMaps(files);
  checkIntegrity(files);
}

/** Returns the first of some absolute folders that a text names; relative paths may lead there, too. */
export function findFolder(text: string, folders: readonly string[]): string | undefined {
  return folders.filter((folder) => folder.length > 1).find((folder) => text.includes(`${folder}/`));
}

/** Returns the first place of a script that evaluates text as code; comments don't count. */
export function findEvaluation(code: string): string | undefined {
  return EVALUATION.exec(transformSync(code, { minifyWhitespace: true, legalComments: "none" }).code)?.[0];
}

/** Returns the folders of this machine that a build could name. */
async function listFolders(): Promise<readonly string[]> {
  const { output } = await runProcess(Deno.execPath(), { args: ["info", "--json"], isQuiet: true });
  return [Deno.cwd(), JSON.parse(output).denoDir, Deno.env.get("HOME") ?? ""];
}

/** Checks that no file says where it was built: two builds on two machines are to be the same. */
function checkFolders(files: Files, folders: readonly string[]): void {
  for (const [path, text] of files) {
    const found = findFolder(text, folders);
    if (found) throw new Error(`${path} holds ${found}, a folder of this machine`);
  }
  console.log(`paths: none of this machine in ${files.size} files`);
}

function checkCode(files: Files): void {
  const scripts = [...files].filter(([path]) => /\.m?js$/.test(path));
  for (const [path, code] of scripts) {
    const found = findEvaluation(code);
    if (found) throw new Error(`${path} evaluates text as code: ${found}`);
  }
  console.log(`code: ${scripts.length} scripts without eval`);
}

/** Checks that each script names a map that contains its sources, and that maps lead to the right line. */
function checkSourceMaps(files: Files): void {
  const scripts = [...files].filter(([path]) => path.endsWith(".js"));
  let followed = 0;
  for (const [path, code] of scripts) {
    const name = /\n\/\/# sourceMappingURL=(\S+)\s*$/.exec(code)?.[1] ?? "";
    const text = files.get(path.replace(/[^/]*$/, name));
    if (!name || !text) throw new Error(`${path} names no source map that is in the package`);
    const map = new TraceMap(text);
    const isWhole = map.sources.length > 0 && map.sources.every((_, index) => map.sourcesContent?.[index]);
    if (!isWhole) throw new Error(`${path}: the source map lacks its sources`);
    if (followBack(code, map)) followed++;
  }
  if (followed !== BUILDS_WITH_LANDMARK) {
    throw new Error(`${followed} source maps lead to ${LANDMARK.path}, not ${BUILDS_WITH_LANDMARK}`);
  }
  console.log(`source maps: ${scripts.length}, all with their sources`);
}

/** Returns whether the script has the landmark; throws where its source map leads elsewhere. */
function followBack(code: string, map: TraceMap): boolean {
  const lines = code.split("\n");
  const line = lines.findIndex((text) => text.includes(LANDMARK.text));
  if (line < 0) return false;
  const column = lines[line]?.indexOf(LANDMARK.text) ?? 0;
  const original = originalPositionFor(map, { line: line + 1, column });
  const index = map.sources.indexOf(original.source);
  const source = map.sourcesContent?.[index]?.split("\n")[(original.line ?? 0) - 1];
  if (!original.source?.endsWith(LANDMARK.path) || !source?.includes(LANDMARK.text)) {
    throw new Error(`A source map leads to line ${original.line} of ${original.source}, not to "${LANDMARK.text}"`);
  }
  return true;
}

/** Checks that the guide in the package tells browsers the script-tag build that is in the package, and no other. */
function checkIntegrity(files: Files): void {
  const integrity = toIntegrity(files.get(GLOBAL_SCRIPT) ?? "");
  const named = files.get(SCRIPT_TAG_GUIDE)?.match(/(?<=integrity=")[^"]*/g) ?? [];
  const wrong = named.filter((value) => value !== integrity);
  if (named.length === 0 || wrong.length > 0) {
    throw new Error(`${SCRIPT_TAG_GUIDE} names ${wrong[0] ?? "no integrity"}, and ${GLOBAL_SCRIPT} has ${integrity}`);
  }
  console.log(`integrity: that of ${GLOBAL_SCRIPT}, in ${named.length} places of ${SCRIPT_TAG_GUIDE}`);
}
