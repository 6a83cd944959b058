/**
 * `deno task build:npm`: makes the npm package in npm/ and checks it. dnt compiles where JSR answers, TypeScript alone
 * where it doesn't; layout and package.json are the same.
 *
 * @module
 */
import { checkPackage } from "./npm_package/check_package.ts";
import { canUseDnt, compileWithDnt } from "./npm_package/compile_with_dnt.ts";
import { compileWithTsc } from "./npm_package/compile_with_tsc.ts";
import { buildManifest, readPackageSource } from "./npm_package/manifest.ts";

const OUT_DIRECTORY = "npm";
const DOCUMENTS = ["README.md", "LICENSE", "CHANGELOG.md"] as const;

async function buildPackage(): Promise<void> {
  const source = readPackageSource();
  await Deno.remove(OUT_DIRECTORY, { recursive: true }).catch(ignoreMissing);
  const isDnt = await canUseDnt();
  console.log(isDnt ? "JSR answers: compiling with dnt" : "JSR doesn't answer: compiling with TypeScript");
  await (isDnt ? compileWithDnt : compileWithTsc)(source, OUT_DIRECTORY);
  for (const name of DOCUMENTS) await Deno.copyFile(name, `${OUT_DIRECTORY}/${name}`);
  await Deno.writeTextFile(`${OUT_DIRECTORY}/package.json`, `${JSON.stringify(buildManifest(source), null, 2)}\n`);
  await checkPackage(source, OUT_DIRECTORY);
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

try {
  await buildPackage();
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exit(1);
}
