import { dirname, join, relative } from "node:path/posix";
import { bundle } from "../support/bundle.ts";
import { installLocked, PROGRAM_LOCK_FOLDER } from "./install_locked.ts";
import { findImport, listEntries, type NpmPackage } from "./packages.ts";

/** The SDK's entry point for the ingest, and its module: the npm packages don't import each other. */
const CONTRACT = { specifier: "@vendor/sdk/contract", path: "src/plan/contract.ts" } as const;

/** The module that holds the program of the threads, and the program. */
export const THREAD_PROGRAM = {
  path: "src/ingest/threads/thread_program.ts",
  entry: "src/ingest/threads/worker/worker.ts",
} as const;

/** Placeholder of the URL of the threads' program until it's compiled: CommonJS has no URLs of modules. */
const MODULE_URL = `"import.meta.url"`;

const LOCAL_IMPORT = /(\b(?:from|import)[\s(]+)"(\.[^"\n]+|@vendor\/sdk\/contract)"/g;

/** Returns the paths of the modules that are reached from some of the repository. */
export function listModules(entries: readonly string[]): readonly string[] {
  const found = new Set(entries);
  for (const path of found) {
    for (const [, , specifier = ""] of Deno.readTextFileSync(path).matchAll(LOCAL_IMPORT)) {
      found.add(resolveLocal(path, specifier));
    }
  }
  return [...found];
}

/**
 * Copies the modules of a package into a folder, as npm is to have them: what they import of the repository has a path,
 * and the threads' program is a text, since a bundler wouldn't find the file. Says of libraries what deno.json says.
 */
export async function stageSources(npmPackage: NpmPackage, directory: string): Promise<void> {
  const program = npmPackage.program ? [npmPackage.program.entry] : [];
  for (const path of listModules([...Object.values(listEntries(npmPackage)), ...program])) {
    const text = path === THREAD_PROGRAM.path ? await buildThreadProgram() : await Deno.readTextFile(path);
    await Deno.mkdir(`${directory}/${dirname(path)}`, { recursive: true });
    await Deno.writeTextFile(
      `${directory}/${path}`,
      text.replace(LOCAL_IMPORT, (_, before, specifier) => `${before}"${toRelative(path, specifier)}"`),
    );
  }
  const optional = npmPackage.optionalDependencies.map((name) => [name, `npm:${findImport(npmPackage, name)}`]);
  const imports = { ...npmPackage.source.imports, ...Object.fromEntries(optional) };
  await Deno.writeTextFile(`${directory}/deno.json`, JSON.stringify({ imports, lock: false }));
}

/** Returns the module that holds the threads' program whole. */
async function buildThreadProgram(): Promise<string> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  const packages = await installLocked(PROGRAM_LOCK_FOLDER, directory);
  // Nobody reads it, nor meets its names: errors come back from the threads as messages.
  const text = bundle({ entry: THREAD_PROGRAM.entry, format: "esm", minify: true, packages });
  await Deno.remove(directory, { recursive: true });
  return `export function readThreadProgram(): string {
  return ${JSON.stringify(text)};
}

export function readThreadBase(): string {
  return ${MODULE_URL};
}
`;
}

/** Has an ES module with the threads' program tell its URL. */
export function fillModuleUrl(text: string): string {
  if (!text.includes(MODULE_URL)) throw new Error("the threads' program has no place for its URL");
  return text.replace(MODULE_URL, "import.meta.url");
}

function resolveLocal(path: string, specifier: string): string {
  return specifier === CONTRACT.specifier ? CONTRACT.path : join(dirname(path), specifier);
}

function toRelative(path: string, specifier: string): string {
  if (specifier !== CONTRACT.specifier) return specifier;
  return relative(dirname(path), CONTRACT.path).replace(/^(?!\.)/, "./");
}
