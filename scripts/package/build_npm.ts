/**
 * `deno task build:npm`: makes the npm package in npm/ and checks it. dnt compiles where JSR answers, TypeScript alone
 * where it doesn't; layout and package.json are the same. With `--dnt` it takes nothing but dnt, with `--unchecked` it
 * leaves the checks out.
 *
 * @module
 */
import { dirname } from "node:path/posix";
import { bundleProgram } from "./bundle_program.ts";
import { checkPackage } from "./check_package.ts";
import { compileWithDnt, loadDnt } from "./compile_with_dnt.ts";
import { compileWithTsc } from "./compile_with_tsc.ts";
import { buildDocument, listGuides } from "./documents.ts";
import { finishModules } from "./finish_modules.ts";
import {
  buildAutoScript,
  buildConsentScript,
  buildGlobalScript,
  buildInspectorScript,
  buildRulesScript,
  type GlobalScript,
} from "./global_script.ts";
import {
  AUTO_SCRIPT,
  buildManifest,
  CONSENT_SCRIPT,
  GLOBAL_SCRIPT,
  INSPECTOR_SCRIPT,
  PROGRAM_PATH,
  readPackageSource,
  RULES_SCRIPT,
} from "./manifest.ts";

const OUT_DIRECTORY = "npm";

async function buildPackage(): Promise<void> {
  const source = readPackageSource();
  await Deno.remove(OUT_DIRECTORY, { recursive: true }).catch(ignoreMissing);
  const dnt = await loadDnt();
  if (!dnt && Deno.args.includes("--dnt")) throw new Error("dnt can't be loaded");
  console.log(dnt ? "compiling with dnt" : "dnt can't be loaded: compiling with TypeScript");
  await (dnt ? compileWithDnt(dnt, source, OUT_DIRECTORY) : compileWithTsc(source, OUT_DIRECTORY));
  await finishModules(OUT_DIRECTORY);
  await bundleProgram(`${OUT_DIRECTORY}/${PROGRAM_PATH}`);
  const { integrity } = await writeScript(GLOBAL_SCRIPT, buildGlobalScript());
  console.log(`${GLOBAL_SCRIPT}: integrity="${integrity}"`);
  await writeScript(INSPECTOR_SCRIPT, buildInspectorScript());
  await writeScript(CONSENT_SCRIPT, buildConsentScript());
  await writeScript(RULES_SCRIPT, buildRulesScript());
  await writeScript(AUTO_SCRIPT, buildAutoScript());
  for (const path of ["README.md", "CHANGELOG.md", ...listGuides()]) {
    await write(path, buildDocument(await Deno.readTextFile(path), integrity));
  }
  await Deno.copyFile("LICENSE", `${OUT_DIRECTORY}/LICENSE`);
  await write("package.json", `${JSON.stringify(buildManifest(source), null, 2)}\n`);
  if (!Deno.args.includes("--unchecked")) await checkPackage(source, OUT_DIRECTORY);
}

async function writeScript(name: string, script: GlobalScript): Promise<GlobalScript> {
  await write(name, script.text);
  await write(`${name}.map`, script.map);
  return script;
}

async function write(name: string, text: string): Promise<void> {
  const path = `${OUT_DIRECTORY}/${name}`;
  await Deno.mkdir(dirname(path), { recursive: true });
  await Deno.writeTextFile(path, text);
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
