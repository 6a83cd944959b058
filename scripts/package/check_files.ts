import { originalPositionFor, TraceMap } from "@jridgewell/trace-mapping";
import { transformSync } from "../support/esbuild.ts";
import { runProcess } from "../support/process.ts";
import { toIntegrity } from "./global_script.ts";
import { type InstalledPackage, listFiles } from "./installed_package.ts";
import { ESM_DIRECTORY } from "./manifest.ts";
import { GLOBAL_SCRIPT, type NpmPackage } from "./packages.ts";

/** Texts of the package's files, by path. */
type Files = ReadonlyMap<string, string>;

/** Code that asks a content security policy for `unsafe-eval`. */
const EVALUATION = /\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(|\bset(?:Timeout|Interval)\s*\(\s*["'`]/;

/** A script that names its map. */
const MAP_COMMENT = /\n\/\/# sourceMappingURL=(\S+)\s*$/;

/** Checks what each file of the package says: no folder of the builder, no `eval`, a source map, the right integrity. */
export async function checkFiles(npmPackage: NpmPackage, { directory }: InstalledPackage): Promise<void> {
  const paths = await listFiles(directory);
  const texts = paths.map(async (path) => [path, await Deno.readTextFile(`${directory}/${path}`)] as const);
  const files = new Map(await Promise.all(texts));
  checkFolders(files, await listFolders());
  checkCode(files);
  checkSourceMaps(npmPackage, files);
  if (npmPackage.scripts.length > 0) checkIntegrity(files);
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

/** Checks that maps have the text of the repository's sources, each module's once, and lead to the right line. */
function checkSourceMaps({ landmark, scripts }: NpmPackage, files: Files): void {
  const mapped = [...files].filter(([path, code]) => path.endsWith(".js") && MAP_COMMENT.test(code));
  const sources: string[] = [];
  let followed = 0;
  for (const [path, code] of mapped) {
    const text = files.get(path.replace(/[^/]*$/, MAP_COMMENT.exec(code)?.[1] ?? ""));
    if (!text) throw new Error(`${path} names no source map that is in the package`);
    const map = new TraceMap(text);
    map.sources.forEach((source, index) => {
      const repositoryPath = /(?:mod\.ts|src\/.+)$/.exec(source ?? "")?.[0] ?? "";
      const isEntry = scripts.includes(path) && repositoryPath.endsWith("script_tag/main.ts"); // the build makes it
      if (!isEntry && map.sourcesContent?.[index] !== Deno.readTextFileSync(repositoryPath)) {
        throw new Error(`${path}: the source map has another text than ${repositoryPath}`);
      }
      if (path.startsWith(`${ESM_DIRECTORY}/`)) sources.push(repositoryPath);
    });
    if (followBack(code, { map, landmark })) followed++;
  }
  if (new Set(sources).size !== sources.length) throw new Error("Source maps of modules have a source twice");
  const expected = scripts.length > 0 ? 2 : 1;
  if (followed !== expected) throw new Error(`${followed} source maps lead to ${landmark.path}, not ${expected}`);
  console.log(`source maps: ${mapped.length}, all with the sources of the repository`);
}

/** Returns whether the script has the landmark; throws where its source map leads elsewhere. */
function followBack(
  code: string,
  { map, landmark }: { readonly map: TraceMap; readonly landmark: NpmPackage["landmark"] },
): boolean {
  const lines = code.split("\n");
  const line = lines.findIndex((text) => text.includes(landmark.text));
  if (line < 0) return false;
  const column = lines[line]?.indexOf(landmark.text) ?? 0;
  const original = originalPositionFor(map, { line: line + 1, column });
  const index = map.sources.indexOf(original.source);
  const source = map.sourcesContent?.[index]?.split("\n")[(original.line ?? 0) - 1];
  if (!original.source?.endsWith(landmark.path) || !source?.includes(landmark.text)) {
    throw new Error(`A source map leads to line ${original.line} of ${original.source}, not to "${landmark.text}"`);
  }
  return true;
}

/** Checks that the README tells browsers the script-tag build that is in the package, and no other. */
function checkIntegrity(files: Files): void {
  const integrity = toIntegrity(files.get(GLOBAL_SCRIPT) ?? "");
  const named = files.get("README.md")?.match(/sha384-[\w+/]+/g) ?? [];
  const wrong = named.filter((value) => value !== integrity);
  if (named.length === 0 || wrong.length > 0) {
    throw new Error(`README.md names ${wrong[0] ?? "no integrity"}, and ${GLOBAL_SCRIPT} has ${integrity}`);
  }
  console.log(`integrity: that of ${GLOBAL_SCRIPT}`);
}
