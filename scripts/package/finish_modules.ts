import { dirname, relative, resolve } from "node:path";
import { ESM_DIRECTORY, SCRIPT_DIRECTORY } from "./manifest.ts";

const DNT_FILES = [".npmignore", "node_modules", "package-lock.json"] as const;

/**
 * Makes what dnt and TypeScript leave behind the same: what dnt worked with goes, declarations name the `.js` files that
 * they belong to, and source maps say where the sources are in the repository, and contain their text.
 */
export async function finishModules(directory: string): Promise<void> {
  for (const name of DNT_FILES) {
    await Deno.remove(`${directory}/${name}`, { recursive: true }).catch(() => {}); // TypeScript made none
  }
  const types = { [ESM_DIRECTORY]: "module", [SCRIPT_DIRECTORY]: "commonjs" };
  for (const [format, type] of Object.entries(types)) {
    await finishDirectory(directory, `${directory}/${format}`);
    // Bundlers look into the nearest package.json alone, so what the outer one says of side effects is said again.
    const manifest = { type, sideEffects: false };
    await Deno.writeTextFile(`${directory}/${format}/package.json`, `${JSON.stringify(manifest)}\n`);
  }
}

async function finishDirectory(packageDirectory: string, directory: string): Promise<void> {
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = `${directory}/${name}`;
    if (isDirectory) await finishDirectory(packageDirectory, path);
    if (name.endsWith(".d.ts")) await rewrite(path, pointAtJavaScript);
    if (name.endsWith(".js.map")) await rewrite(path, (text) => moveSources(text, path, packageDirectory));
  }
}

// TypeScript rewrites the extensions in the code but not in the declarations, where older versions reject `.ts`.
function pointAtJavaScript(text: string): string {
  return text.replace(/((?:from|import)\s*\(?\s*["']\.[^"']*)\.ts(["'])/g, "$1.js$2");
}

// The path of a source in the repository would point out of the package.
function moveSources(text: string, path: string, packageDirectory: string): string {
  const map = JSON.parse(text);
  const sources = map.sources.map((source: string) => {
    const fromRepository = relative(Deno.cwd(), resolve(dirname(path), source)).replace(/^npm\/src\//, "");
    return relative(dirname(path), `${packageDirectory}/${fromRepository}`);
  });
  return JSON.stringify({ ...map, sources });
}

async function rewrite(path: string, change: (text: string) => string): Promise<void> {
  await Deno.writeTextFile(path, change(await Deno.readTextFile(path)));
}
