import { dirname, join, relative } from "node:path/posix";
import { decodedMappings, encodedMappings, TraceMap } from "@jridgewell/trace-mapping";
import { transformSync } from "../support/esbuild.ts";
import { listFiles } from "./installed_package.ts";
import { ESM_DIRECTORY, SCRIPT_DIRECTORY } from "./manifest.ts";
import { listEntries, type NpmPackage } from "./packages.ts";
import { fillModuleUrl, THREAD_PROGRAM } from "./stage_sources.ts";

/** Files that dnt leaves behind of its work; TypeScript leaves none. */
const DNT_FILES = [".npmignore", "node_modules", "package-lock.json", "package.json"] as const;

const MAP_COMMENT = /\n\/\/# sourceMappingURL=.*\s*$/;

/** The modules that are left. */
export interface FinishedModules {
  /** Sources that have types alone: no code of them is left. */
  readonly typeOnly: readonly string[];
  /** Sources whose declarations are left: those that an entry point's name. */
  readonly declared: readonly string[];
}

/**
 * Makes what dnt and TypeScript leave behind the same. Declarations name the `.js` files that they belong to, and those that
 * no entry point leads to go: nothing can import them. Source maps say where the sources are in the repository, and have its
 * text; only the ES modules have some, and comments, since both would be in the package twice.
 */
export async function finishModules(npmPackage: NpmPackage, directory: string): Promise<FinishedModules> {
  const { root, hasLineMaps } = npmPackage;
  for (const name of DNT_FILES) await Deno.remove(`${directory}/${name}`, { recursive: true }).catch(() => {});
  for (const path of await listFiles(`${directory}/${ESM_DIRECTORY}`)) {
    const source = root + path.replace(/\.js\.map$/, ".ts");
    const output = `${directory}/${ESM_DIRECTORY}/${path}`;
    if (path.endsWith(".d.ts")) await rewrite(output, pointAtJavaScript);
    if (path.endsWith(".js.map")) await rewrite(output, (text) => pointAtSource(text, { source, path, hasLineMaps }));
  }
  for (const path of await listFiles(`${directory}/${SCRIPT_DIRECTORY}`)) {
    const output = `${directory}/${SCRIPT_DIRECTORY}/${path}`;
    if (path.endsWith(".d.ts")) await rewrite(output, pointAtJavaScript);
    if (path.endsWith(".js")) await rewrite(output, dropComments);
    if (path.endsWith(".js.map")) await Deno.remove(output);
  }
  const typeOnly = await removeEmptyModules(npmPackage, directory);
  const declared = await removeUnnamedDeclarations(npmPackage, directory);
  const program = toThreadProgram(root);
  if (program) await shareThreadProgram(directory, program);
  for (const [format, type] of [[ESM_DIRECTORY, "module"], [SCRIPT_DIRECTORY, "commonjs"]] as const) {
    // Bundlers look into the nearest package.json alone, so what the outer one says of side effects is said again.
    const manifest = { type, sideEffects: false };
    await Deno.writeTextFile(`${directory}/${format}/package.json`, `${JSON.stringify(manifest)}\n`);
  }
  return { typeOnly, declared };
}

/** Removes the declarations that no entry point's lead to. Returns the sources of the others. */
async function removeUnnamedDeclarations(npmPackage: NpmPackage, directory: string): Promise<readonly string[]> {
  const { root } = npmPackage;
  const toDeclaration = (path: string): string => path.replace(/\.(?:ts|js)$/, ".d.ts");
  const named = new Set(
    Object.values(listEntries(npmPackage)).map((path) => toDeclaration(path.slice(root.length))),
  );
  for (const path of named) { // which grows meanwhile
    const text = await Deno.readTextFile(`${directory}/${ESM_DIRECTORY}/${path}`);
    for (const [, name = ""] of text.matchAll(/(?:from|import)\s*\(?\s*["'](\.[^"']*\.js)["']/g)) {
      named.add(toDeclaration(join(dirname(path), name)));
    }
  }
  for (const format of [ESM_DIRECTORY, SCRIPT_DIRECTORY]) {
    for (const path of await listFiles(`${directory}/${format}`)) {
      if (path.endsWith(".d.ts") && !named.has(path)) await Deno.remove(`${directory}/${format}/${path}`);
    }
  }
  return [...named].map((path) => root + path.replace(/\.d\.ts$/, ".ts"));
}

/** Leaves of modules that have types alone the declarations: no code imports them. Returns their sources. */
async function removeEmptyModules(npmPackage: NpmPackage, directory: string): Promise<readonly string[]> {
  const entries = Object.values(listEntries(npmPackage));
  const removed: string[] = [];
  for (const path of await listFiles(`${directory}/${ESM_DIRECTORY}`)) {
    const source = npmPackage.root + path.replace(/\.js$/, ".ts");
    if (!path.endsWith(".js") || entries.includes(source)) continue;
    const code = await Deno.readTextFile(`${directory}/${ESM_DIRECTORY}/${path}`);
    if (!/^export \{\};\s*$/.test(code.replace(MAP_COMMENT, ""))) continue;
    for (const output of [`${ESM_DIRECTORY}/${path}`, `${ESM_DIRECTORY}/${path}.map`, `${SCRIPT_DIRECTORY}/${path}`]) {
      await Deno.remove(`${directory}/${output}`);
    }
    removed.push(source);
  }
  return removed;
}

/** Returns the path, below either format, of the module that holds the threads' program. */
export function toThreadProgram(root: string): string | undefined {
  return root && THREAD_PROGRAM.path.slice(root.length).replace(/\.ts$/, ".js");
}

/** Has CommonJS take the threads' program from the ES module: each Node that has SQLite can `require()` it. */
async function shareThreadProgram(directory: string, path: string): Promise<void> {
  const [from, to] = [`${SCRIPT_DIRECTORY}/${path}`, `${ESM_DIRECTORY}/${path}`];
  // The source has no program to show.
  await Deno.remove(`${directory}/${to}.map`);
  await rewrite(`${directory}/${to}`, (text) => fillModuleUrl(text.replace(MAP_COMMENT, "\n")));
  const program = `require(${JSON.stringify(relative(dirname(from), to))})`;
  const text = `"use strict";
Object.defineProperty(exports, "__esModule", { value: true });
exports.readThreadProgram = () => ${program}.readThreadProgram();
exports.readThreadBase = () => ${program}.readThreadBase();
`;
  await Deno.writeTextFile(`${directory}/${from}`, text);
}

// TypeScript rewrites the extensions in the code but not in the declarations, where older versions reject `.ts`.
function pointAtJavaScript(text: string): string {
  return text.replace(/((?:from|import)\s*\(?\s*["']\.[^"']*)\.ts(["'])/g, "$1.js$2");
}

// A path in the repository would point out of the package.
function pointAtSource(
  text: string,
  { source, path, hasLineMaps }: { readonly source: string; readonly path: string; readonly hasLineMaps: boolean },
): string {
  const sources = [relative(dirname(`${ESM_DIRECTORY}/${path}`), source)];
  return JSON.stringify({
    ...JSON.parse(text),
    ...(hasLineMaps && { mappings: keepLines(text) }),
    sourceRoot: "",
    sources,
    sourcesContent: [Deno.readTextFileSync(source)],
  });
}

/** Returns the mappings of a source map with the first place of each line alone. */
function keepLines(text: string): string {
  const mappings = decodedMappings(new TraceMap(text)).map((line) => line.slice(0, 1));
  return encodedMappings(new TraceMap({ ...JSON.parse(text), mappings }));
}

function dropComments(code: string): string {
  return transformSync(code, { charset: "utf8", legalComments: "none" }).code;
}

async function rewrite(path: string, change: (text: string) => string): Promise<void> {
  await Deno.writeTextFile(path, change(await Deno.readTextFile(path)));
}
