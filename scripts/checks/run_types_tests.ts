/**
 * `deno task test:types`: compiles programs that use the packed npm packages with every TypeScript since 5.2, strictly,
 * with and without the types of the DOM, as an ES module, as CommonJS and for a bundler; and looks whether a wrong step
 * is told in words that one can read. Builds the packages unless that was done. `--short` takes the oldest TypeScript and
 * the newest alone: a change waits for these, the others have their turn at night.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { npmInstall } from "../package/installed_package.ts";
import { findTestImport, INGEST, listLibraries, PACKAGES } from "../package/packages.ts";
import { packPackage } from "../package/pack.ts";
import { runProcess } from "../support/process.ts";

const VERSIONS = ["5.2.2", "5.3.3", "5.4.5", "5.5.4", "5.6.3", "5.7.3", "5.8.3", "5.9.3", "6.0.3", "7.0.2"] as const;
const SHORT_VERSIONS: readonly (typeof VERSIONS[number])[] = ["5.2.2", "7.0.2"];
const PROGRAMS = "tests/types";
const EXPECTED = "// @ts-expect-error";

/** Programs that are compiled together. */
interface Case {
  /** Behaviour that it shows. */
  readonly name: string;
  readonly files: readonly string[];
  readonly module: "nodenext" | "esnext";
  readonly lib: readonly string[];
  /** The oldest TypeScript that compiles the types of a library in it. */
  readonly since?: typeof VERSIONS[number];
  /** For a library whose own types don't pass a strict check. */
  readonly skipLibCheck?: boolean;
  /** It's compiled without its `@ts-expect-error`, and the messages are compared with what follows that. */
  readonly isWrong?: boolean;
}

const DOM_LIB = ["es2022", "dom", "dom.iterable"];
const CLIENT_FILES = ["client.mts", "client.cts", "typed.mts", "typed.cts"];
const SERVER_FILES = ["ingest.mts", "ingest.cts", "server.mts", "server.cts"];
/** Programs that are compiled as an ES module and as CommonJS. */
const BOTH_FORMATS = ["client", "ingest", "server", "typed", "plan_valibot", "plan_zod"];
const ESM_ONLY = ["plan_arktype", "typed_messages"];

const CASES: readonly Case[] = [
  { name: "client without DOM", files: CLIENT_FILES, module: "nodenext", lib: ["es2022"] },
  { name: "all with DOM", files: [...CLIENT_FILES, ...SERVER_FILES], module: "nodenext", lib: DOM_LIB },
  {
    name: "all for a bundler",
    files: ["client.mts", "typed.mts", "ingest.mts", "server.mts"],
    module: "esnext",
    lib: DOM_LIB,
  },
  { name: "plan of valibot", files: ["plan_valibot.mts", "plan_valibot.cts"], module: "nodenext", lib: DOM_LIB },
  { name: "plan of zod", files: ["plan_zod.mts", "plan_zod.cts"], module: "nodenext", lib: DOM_LIB, since: "5.4.5" },
  { name: "plan of arktype", files: ["plan_arktype.mts"], module: "nodenext", lib: DOM_LIB, skipLibCheck: true },
  { name: "messages", files: ["typed_messages.mts"], module: "nodenext", lib: DOM_LIB, isWrong: true },
];

async function prepare(directory: string, versions: readonly string[]): Promise<void> {
  const isBuilt = PACKAGES.every((npmPackage) => existsSync(npmPackage.directory));
  if (!isBuilt) {
    const { code } = await runProcess(Deno.execPath(), { args: ["run", "-A", "scripts/package/build_npm.ts"] });
    if (code !== 0) throw new Error("the packages can't be built");
  }
  const packed = PACKAGES.map((npmPackage) => packPackage({ directory: npmPackage.directory, destination: directory }));
  const tarballs = (await Promise.all(packed)).map(({ tarball }) => tarball);
  await Deno.writeTextFile(`${directory}/package.json`, `{"private":true}`);
  const compilers = versions.map((version) => `${toName(version)}@npm:typescript@${version}`);
  const libraries = ["zod", "arktype"].map((name) => findTestImport(name).replace("npm:", ""));
  await npmInstall([...tarballs, ...listLibraries(INGEST), ...libraries, ...compilers], directory);
  for (const name of [...BOTH_FORMATS, ...ESM_ONLY]) {
    const text = await Deno.readTextFile(`${PROGRAMS}/${name}.mts`);
    const isWrong = CASES.some(({ files, isWrong }) => isWrong && files.includes(`${name}.mts`));
    const program = isWrong ? text.replaceAll(EXPECTED, "//") : text;
    await Deno.writeTextFile(`${directory}/${name}.mts`, program);
    if (BOTH_FORMATS.includes(name)) await Deno.writeTextFile(`${directory}/${name}.cts`, program);
  }
}

function toName(version: string): string {
  return `typescript-${version}`;
}

function toConfig({ files, module, lib, skipLibCheck = false }: Case): unknown {
  return {
    compilerOptions: {
      target: "es2022",
      lib,
      module,
      moduleResolution: module === "esnext" ? "bundler" : module,
      strict: true,
      exactOptionalPropertyTypes: true,
      noUncheckedIndexedAccess: true,
      skipLibCheck,
      noEmit: true,
      types: [],
    },
    files,
  };
}

async function compile(
  directory: string,
  { version, test }: { readonly version: string; readonly test: Case },
): Promise<boolean> {
  const configPath = `${directory}/tsconfig.${CASES.indexOf(test)}.json`;
  await Deno.writeTextFile(configPath, JSON.stringify(toConfig(test)));
  const { code, output } = await runProcess("node", {
    args: [`node_modules/${toName(version)}/bin/tsc`, "-p", configPath],
    cwd: directory,
    isQuiet: true,
  });
  const faults = test.isWrong ? await compareMessages(test, output) : code === 0 ? [] : [output];
  console.log(`${faults.length === 0 ? "ok    " : "FAILED"}  TypeScript ${version}: ${test.name}`);
  for (const fault of faults) console.error(fault);
  return faults.length === 0;
}

/** Returns what is wrong with the messages of a compiler: each expected one is there, and no other. */
async function compareMessages({ files }: Case, output: string): Promise<string[]> {
  const messages = new Map<string, string>();
  let place = "";
  for (const line of output.trim().split("\n")) {
    const [, file, number] = /^(\S+)\((\d+),\d+\): /.exec(line) ?? []; // what follows is indented
    if (file) place = `${file}:${number}`;
    messages.set(place, `${messages.get(place) ?? ""}${line}\n`);
  }
  const faults: string[] = [];
  for (const file of files) {
    const lines = (await Deno.readTextFile(`${PROGRAMS}/${file}`)).split("\n");
    for (const [index, line] of lines.entries()) {
      if (!line.startsWith(EXPECTED)) continue;
      const place = `${file}:${index + 2}`;
      const message = messages.get(place);
      const expected = line.slice(EXPECTED.length).trim();
      if (!message?.includes(expected)) faults.push(`${place}: not "${expected}" but: ${message}`);
      messages.delete(place);
    }
  }
  return [...faults, ...[...messages].map(([place, message]) => `${place}: unexpected: ${message}`)];
}

async function main(isShort: boolean): Promise<number> {
  const versions = isShort ? SHORT_VERSIONS : VERSIONS;
  const directory = await Deno.makeTempDir();
  try {
    await prepare(directory, versions);
    const outcomes: boolean[] = [];
    for (const version of versions) {
      const tests = CASES.filter(({ since = "5.2.2" }) => VERSIONS.indexOf(version) >= VERSIONS.indexOf(since));
      outcomes.push(...await Promise.all(tests.map((test) => compile(directory, { version, test }))));
    }
    const failed = outcomes.filter((isOk) => !isOk).length;
    console.log(`${outcomes.length - failed} programs compiled, ${failed} failed`);
    return failed === 0 ? 0 : 1;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main(Deno.args.includes("--short")));
