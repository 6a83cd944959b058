/**
 * `deno task build:npm`: makes the npm packages in npm/sdk and npm/ingest, and checks them. dnt compiles where JSR
 * answers, TypeScript alone where it doesn't; layout and package.json are the same. With `--dnt` it takes nothing but
 * dnt, with `--tsc` nothing but TypeScript; with `--unchecked` it leaves the checks out.
 *
 * @module
 */
import { dirname } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { buildShop } from "../demo/build_shop.ts";
import { bundleProgram } from "./bundle_program.ts";
import { checkPackage } from "./check_package.ts";
import { compileWithDnt, findDnt } from "./compile_with_dnt.ts";
import { compileWithTsc } from "./compile_with_tsc.ts";
import { buildDocument } from "./documents.ts";
import { finishModules, toThreadProgram } from "./finish_modules.ts";
import { buildScript } from "./global_script.ts";
import { buildManifest, ESM_DIRECTORY } from "./manifest.ts";
import { GLOBAL_SCRIPT, type NpmPackage, PACKAGES } from "./packages.ts";
import { stageSources } from "./stage_sources.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));

/** Says, as an argument of this script, what compiled the packages: whoever compares has to take the same. */
const COMPILER_FILE = "npm/.compiler";

type Compiler = "dnt" | "TypeScript";

async function chooseCompiler(): Promise<Compiler> {
  if (Deno.args.includes("--tsc")) return "TypeScript";
  const isRequired = Deno.args.includes("--dnt");
  const found = await findDnt({ isRequired });
  if (found.isFound) return "dnt";
  if (isRequired) throw new Error(`dnt can't be loaded: ${found.reason}`);
  console.log(`dnt can't be loaded: ${found.reason}`);
  return "TypeScript";
}

/** Builds a package beside its place, and puts it there when it's whole. */
async function buildPackage(npmPackage: NpmPackage, compiler: Compiler): Promise<void> {
  const { folder, source, program, root } = npmPackage;
  const target = REPOSITORY + npmPackage.directory;
  await Deno.mkdir(dirname(target), { recursive: true });
  const directory = await Deno.makeTempDir({ dir: dirname(target), prefix: ".building-" });
  const stage = await Deno.makeTempDir();
  const write = async (name: string, text: string): Promise<void> => {
    await Deno.writeTextFile(`${directory}/${name}`, text);
  };
  try {
    await stageSources(npmPackage, stage);
    await (compiler === "dnt" ? compileWithDnt : compileWithTsc)(npmPackage, { stage, directory });
    const finished = await finishModules(npmPackage, directory);
    if (program) {
      const threadProgram = `${dirname(program.path).replace(/[^/]+/g, "..")}/${ESM_DIRECTORY}/${
        toThreadProgram(root)
      }`;
      await bundleProgram(`${directory}/${program.path}`, { threadProgram });
      await Deno.mkdir(`${directory}/${program.demo}`);
      for (const [name, text] of Object.entries(await buildShop())) await write(`${program.demo}/${name}`, text);
    }
    let integrity = "";
    for (const name of npmPackage.scripts) {
      const script = buildScript(name);
      await write(name, script.text);
      await write(`${name}.map`, script.map);
      if (name === GLOBAL_SCRIPT) integrity = script.integrity;
    }
    if (integrity) console.log(`${GLOBAL_SCRIPT}: integrity="${integrity}"`);
    for (const name of ["README.md", "CHANGELOG.md"]) {
      await write(name, buildDocument(await Deno.readTextFile(folder + name), { folder, integrity }));
    }
    await Deno.copyFile("LICENSE", `${directory}/LICENSE`);
    await write("package.json", `${JSON.stringify(buildManifest(npmPackage), null, 2)}\n`);
    if (!Deno.args.includes("--unchecked")) await checkPackage(npmPackage, { directory, finished });
    await Deno.chmod(directory, 0o755);
    await Deno.remove(target, { recursive: true }).catch(ignoreMissing);
    await Deno.rename(directory, target);
    console.log(`${source.name}: ${npmPackage.directory}, compiled with ${compiler}`);
  } finally {
    await Deno.remove(stage, { recursive: true });
    await Deno.remove(directory, { recursive: true }).catch(ignoreMissing);
  }
}

function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

try {
  const compiler = await chooseCompiler();
  for (const npmPackage of PACKAGES) await buildPackage(npmPackage, compiler);
  await Deno.writeTextFile(REPOSITORY + COMPILER_FILE, compiler === "dnt" ? "--dnt" : "--tsc");
} catch (error) {
  console.error(error instanceof Error ? error.message : error);
  Deno.exit(1);
}
