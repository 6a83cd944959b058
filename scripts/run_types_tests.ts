/**
 * `deno task test:types`: compiles programs that use the packed npm package with every TypeScript since 5.2, strictly,
 * with and without the types of the DOM, as an ES module, as CommonJS and for a bundler. Builds the package unless
 * that was done. `--short` is the form of CI: the oldest TypeScript, and the last of each major version.
 *
 * @module
 */
import { npmInstall } from "./npm_package/installed_package.ts";
import { listPeers, readPackageSource } from "./npm_package/manifest.ts";
import { packPackage } from "./npm_package/pack.ts";
import { runProcess } from "./process.ts";

const VERSIONS = ["5.2.2", "5.3.3", "5.4.5", "5.5.4", "5.6.3", "5.7.3", "5.8.3", "5.9.3", "6.0.3", "7.0.2"] as const;
const SHORT_VERSIONS: readonly string[] = ["5.2.2", "5.9.3", "6.0.3", "7.0.2"];
const PROGRAMS = "tests/types";

/** Programs that are compiled together. */
interface Case {
  /** What it shows. */
  readonly name: string;
  readonly files: readonly string[];
  readonly module: "nodenext" | "esnext";
  readonly lib: readonly string[];
}

const DOM_LIB = ["es2022", "dom", "dom.iterable"];
const CLIENT_FILES = ["client.mts", "client.cts"];
const INGEST_FILES = ["ingest.mts", "ingest.cts"];

const CASES: readonly Case[] = [
  { name: "client without DOM", files: CLIENT_FILES, module: "nodenext", lib: ["es2022"] },
  { name: "all with DOM", files: [...CLIENT_FILES, ...INGEST_FILES], module: "nodenext", lib: DOM_LIB },
  { name: "all for a bundler", files: ["client.mts", "ingest.mts"], module: "esnext", lib: DOM_LIB },
];

async function prepare(directory: string, versions: readonly string[]): Promise<void> {
  const isBuilt = await Deno.stat("npm/package.json").then(() => true, () => false);
  if (!isBuilt) await runProcess(Deno.execPath(), { args: ["run", "-A", "scripts/build_npm.ts"] });
  const { tarball } = await packPackage({ directory: "npm", destination: directory });
  await Deno.writeTextFile(`${directory}/package.json`, `{"private":true}`);
  const compilers = versions.map((version) => `${toName(version)}@npm:typescript@${version}`);
  await npmInstall([tarball, ...listPeers(readPackageSource()), ...compilers], directory);
  for (const name of ["client", "ingest"]) {
    const program = await Deno.readTextFile(`${PROGRAMS}/${name}.mts`);
    for (const extension of ["mts", "cts"]) await Deno.writeTextFile(`${directory}/${name}.${extension}`, program);
  }
}

function toName(version: string): string {
  return `typescript-${version}`;
}

function toConfig({ files, module, lib }: Case): unknown {
  return {
    compilerOptions: {
      target: "es2022",
      lib,
      module,
      moduleResolution: module === "esnext" ? "bundler" : module,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck: false,
      noEmit: true,
      types: [],
    },
    files,
  };
}

async function compile(directory: string, { version, test }: { version: string; test: Case }): Promise<boolean> {
  const configPath = `${directory}/tsconfig.${CASES.indexOf(test)}.json`;
  await Deno.writeTextFile(configPath, JSON.stringify(toConfig(test)));
  const { code, output } = await runProcess("node", {
    args: [`node_modules/${toName(version)}/bin/tsc`, "-p", configPath],
    cwd: directory,
    isQuiet: true,
  });
  console.log(`${code === 0 ? "ok    " : "FAILED"}  TypeScript ${version}: ${test.name}`);
  if (code !== 0) console.error(output);
  return code === 0;
}

async function main(isShort: boolean): Promise<number> {
  const versions = isShort ? SHORT_VERSIONS : VERSIONS;
  const directory = await Deno.makeTempDir();
  try {
    await prepare(directory, versions);
    const outcomes: boolean[] = [];
    for (const version of versions) {
      outcomes.push(...await Promise.all(CASES.map((test) => compile(directory, { version, test }))));
    }
    const failed = outcomes.filter((isOk) => !isOk).length;
    console.log(`${outcomes.length - failed} programs compiled, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args.includes("--short")));
