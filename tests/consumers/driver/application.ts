import { existsSync } from "node:fs";
import { delimiter, dirname } from "node:path";
import { fileURLToPath } from "node:url";
import type { KeySource } from "./key_source.ts";
import { runOrThrow } from "./run_or_throw.ts";
import { readWorkplace } from "./workplace.ts";

const FIXTURES = fileURLToPath(new URL("../fixtures/", import.meta.url));
const INSTALL_LIMIT_MS = 480_000;
const BUILD_LIMIT_MS = 240_000;

/** What the recipes have where a test has to choose, and what reads the choice of the test there. */
const RECIPE_OPTION = `trackPageviews: "auto"`;
const TEST_OPTION = `...Reflect.get(globalThis, "testSettings")`;
const SOURCE_FILE = /\.(?:[cm]?[jt]sx?|vue|svelte|astro|html)$/;

/** Keeps what installing took so long for. */
const KEPT = ["node_modules", ".installed"];

const QUIET_ENV = {
  CI: "1",
  NODE_ENV: "production",
  NEXT_TELEMETRY_DISABLED: "1",
  NUXT_TELEMETRY_DISABLED: "1",
  ASTRO_TELEMETRY_DISABLED: "1",
};

/** A fixture, copied out of the repository, with the packed SDK and its other packages installed. */
export interface Application {
  /** Where it is. */
  readonly directory: string;
  /** Commands of its package.json. */
  readonly scripts: Readonly<Record<string, string>>;
  /** Builds it again, with more variables of the environment. */
  readonly build: (env?: Readonly<Record<string, string>>) => Promise<void>;
}

/** Settings of {@linkcode prepareApplication}. */
export interface ApplicationOptions {
  /** Where the recipe takes its key from, in place of the one that it has. */
  readonly keySource?: KeySource;
  /** A fixture whose files take the place of those of the same name, such as what an earlier major needs. */
  readonly variant?: string;
  /** Path of the Node that builds it; the one on the path by default. */
  readonly node?: string;
}

/**
 * Copies a fixture, installs its packages unless they are there from an earlier run, and builds it if it has a build.
 * Where a recipe says `trackPageviews: "auto"`, the copy takes what the test says.
 */
export async function prepareApplication(name: string, options: ApplicationOptions = {}): Promise<Application> {
  const { root, tarballs } = readWorkplace();
  const directory = `${root}/${options.variant ?? name}`;
  await Deno.mkdir(directory, { recursive: true });
  for (const entry of Deno.readDirSync(directory)) {
    if (!KEPT.includes(entry.name)) await Deno.remove(`${directory}/${entry.name}`, { recursive: true });
  }
  copyDirectory(`${FIXTURES}${name}`, directory);
  if (options.variant) copyDirectory(`${FIXTURES}${options.variant}`, directory);
  copyDirectory(`${FIXTURES}shared`, `${directory}/shared`);
  if (options.keySource) replaceKey(directory, options.keySource);
  const { scripts } = await install(directory, tarballs);
  const path = options.node && { PATH: `${dirname(options.node)}${delimiter}${Deno.env.get("PATH")}` };
  const build = async (env: Readonly<Record<string, string>> = {}): Promise<void> => {
    const args = ["run", "build"];
    await runOrThrow("npm", {
      args,
      cwd: directory,
      env: { ...QUIET_ENV, ...path, ...env },
      timeoutMs: BUILD_LIMIT_MS,
    });
  };
  if (scripts["build"]) await build();
  return { directory, scripts, build };
}

/** Puts what docs/frameworks.md says in place of the key. */
function replaceKey(directory: string, { expression, top }: KeySource): void {
  const path = ["app", "src"].map((folder) => `${directory}/${folder}/analytics.ts`).find((path) => existsSync(path));
  if (!path) throw new Error(`no analytics.ts in ${directory}`);
  const text = Deno.readTextFileSync(path);
  const replaced = text.replace('"pk_live_123"', expression);
  if (replaced === text) throw new Error(`no key in ${path}`);
  Deno.writeTextFileSync(path, `${top}\n${replaced}`);
}

/** Installs the SDK, and the ingest where the fixture names it. */
async function install(
  directory: string,
  tarballs: Readonly<Record<string, string>>,
): Promise<Pick<Application, "scripts">> {
  const fixture = JSON.parse(await Deno.readTextFile(`${directory}/package.json`));
  const dependencies = { "@vendor/sdk": "*", ...fixture.dependencies };
  for (const [name, tarball] of Object.entries(tarballs)) {
    if (name in dependencies) dependencies[name] = `file:${tarball}`;
  }
  const manifest = { ...fixture, dependencies };
  const text = JSON.stringify(manifest, null, 2);
  await Deno.writeTextFile(`${directory}/package.json`, text);
  const stamp = `${directory}/.installed`;
  if (await Deno.readTextFile(stamp).catch(() => "") !== text) {
    // There may be no earlier run. What it installed of another major stands in npm's way.
    for (const path of [stamp, `${directory}/node_modules`]) {
      await Deno.remove(path, { recursive: true }).catch(() => {});
    }
    await runOrThrow("npm", {
      args: ["install", "--no-package-lock", "--no-audit", "--no-fund", "--loglevel=error"],
      cwd: directory,
      timeoutMs: INSTALL_LIMIT_MS,
    });
    await Deno.writeTextFile(stamp, text);
  }
  return { scripts: fixture.scripts ?? {} };
}

function copyDirectory(from: string, to: string): void {
  Deno.mkdirSync(to, { recursive: true });
  for (const { name, isDirectory } of Deno.readDirSync(from)) {
    const [source, target] = [`${from}/${name}`, `${to}/${name}`];
    if (isDirectory) copyDirectory(source, target);
    else if (!SOURCE_FILE.test(name)) Deno.copyFileSync(source, target);
    else Deno.writeTextFileSync(target, Deno.readTextFileSync(source).replaceAll(RECIPE_OPTION, TEST_OPTION));
  }
}
