import { dirname, join, normalize } from "node:path/posix";
import { listGuides } from "./documents.ts";
import { ESM_DIRECTORY, type PackageSource, PROGRAM_PATH, SCRIPT_DIRECTORY, SCRIPTS } from "./manifest.ts";
import type { PackedPackage } from "./pack.ts";

/** Most bytes that the package may take on a disk; half of them are the sources within the source maps. */
const MAX_UNPACKED_BYTES = 7_800_000;

const RELATIVE_IMPORT = /^(?:import|export|\}) [^"\n]*?(?:from )?"(\.[^"]+)";$/gm;
const DOCUMENTS = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"] as const;

/** Checks that the tarball holds what the source modules in use compile to, the documents, and nothing else. */
export async function checkContents(
  { exports }: PackageSource,
  { files, packedBytes, unpackedBytes }: PackedPackage,
): Promise<void> {
  const expected = buildContents(await listModules(Object.values(exports)), listGuides());
  const missing = expected.filter((path) => !files.includes(path));
  const strange = files.filter((path) => !expected.includes(path));
  if (missing.length > 0) throw new Error(`Files that the package lacks: ${missing.join(", ")}`);
  if (strange.length > 0) throw new Error(`Files that don't belong into the package: ${strange.join(", ")}`);
  if (unpackedBytes > MAX_UNPACKED_BYTES) {
    throw new Error(`${unpackedBytes} bytes unpacked are more than the ${MAX_UNPACKED_BYTES} allowed`);
  }
  console.log(`contents: ${files.length} files, ${packedBytes} bytes packed, ${unpackedBytes} unpacked`);
}

/** Returns the paths of all files that a package of these modules and guides has, in order. */
export function buildContents(modules: readonly string[], guides: readonly string[]): readonly string[] {
  const compiled = [ESM_DIRECTORY, SCRIPT_DIRECTORY].flatMap((directory) => [
    `${directory}/package.json`,
    ...modules.flatMap((path) => {
      const stem = `${directory}/${path.replace(/\.ts$/, "")}`;
      return [`${stem}.d.ts`, `${stem}.js`, `${stem}.js.map`];
    }),
  ]);
  const scripts = SCRIPTS.flatMap((name) => [name, `${name}.map`]);
  return [...DOCUMENTS, ...guides, PROGRAM_PATH, ...scripts, ...compiled].sort();
}

/** Returns the paths of the modules that are reached from the entry points. */
async function listModules(entries: readonly string[]): Promise<readonly string[]> {
  const found = new Set(entries.map((path) => normalize(path)));
  for (const path of found) {
    const text = await Deno.readTextFile(path);
    for (const [, specifier = ""] of text.matchAll(RELATIVE_IMPORT)) found.add(join(dirname(path), specifier));
  }
  return [...found];
}
