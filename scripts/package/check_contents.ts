import { SHOP_FILES } from "../../src/ingest/server/demo/shop_files.ts";
import { type FinishedModules, toThreadProgram } from "./finish_modules.ts";
import { ESM_DIRECTORY, SCRIPT_DIRECTORY } from "./manifest.ts";
import { listEntries, type NpmPackage } from "./packages.ts";
import type { PackedPackage } from "./pack.ts";
import { listModules } from "./stage_sources.ts";

const DOCUMENTS = ["CHANGELOG.md", "LICENSE", "README.md", "package.json"] as const;

/** Checks that the tarball holds what the modules in use compile to, the documents, nothing else, and not too much. */
export function checkContents(
  npmPackage: NpmPackage,
  { packed: { files, packedBytes, unpackedBytes }, finished }: {
    readonly packed: PackedPackage;
    readonly finished: FinishedModules;
  },
): void {
  const { limits } = npmPackage;
  const expected = buildContents(npmPackage, {
    modules: listModules(Object.values(listEntries(npmPackage))),
    ...finished,
  });
  const missing = expected.filter((path) => !files.includes(path));
  const strange = files.filter((path) => !expected.includes(path));
  if (missing.length > 0) throw new Error(`Files that the package lacks: ${missing.join(", ")}`);
  if (strange.length > 0) throw new Error(`Files that don't belong into the package: ${strange.join(", ")}`);
  if (unpackedBytes > limits.bytes || files.length > limits.files) {
    throw new Error(`${unpackedBytes} bytes in ${files.length} files are more than ${limits.bytes} in ${limits.files}`);
  }
  console.log(`contents: ${files.length} files, ${packedBytes} bytes packed, ${unpackedBytes} unpacked`);
}

/** Returns the paths of all files that a package of these modules has, in order. */
export function buildContents(
  { root, scripts, program }: NpmPackage,
  { modules, typeOnly, declared }: FinishedModules & { readonly modules: readonly string[] },
): readonly string[] {
  const toStem = (path: string): string => path.slice(root.length).replace(/\.ts$/, "");
  const withCode = modules.filter((path) => !typeOnly.includes(path)).map(toStem);
  const compiled = [ESM_DIRECTORY, SCRIPT_DIRECTORY].flatMap((directory) => [
    `${directory}/package.json`,
    ...declared.map((path) => `${directory}/${toStem(path)}.d.ts`),
    ...withCode.map((stem) => `${directory}/${stem}.js`),
  ]);
  const maps = withCode.map((stem) => `${stem}.js`).filter((path) => path !== toThreadProgram(root));
  return [
    ...DOCUMENTS,
    ...(program ? [program.path, ...SHOP_FILES.map((name) => `${program.demo}/${name}`)] : []),
    ...scripts.flatMap((name) => [name, `${name}.map`]),
    ...compiled,
    ...maps.map((path) => `${ESM_DIRECTORY}/${path}.map`),
  ].sort();
}
