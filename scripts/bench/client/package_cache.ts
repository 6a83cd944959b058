import { join } from "node:path";
import { runProcess } from "../../support/process.ts";
import { OVERRIDES, PACKAGES, SCRIPT_PACKAGE } from "./subjects.ts";

/** Returns where packages are kept between runs, outside of the repository. */
export function findCacheDirectory(): string {
  const base = Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? Deno.makeTempDirSync(), ".cache");
  return join(base, "vendor-sdk-bench");
}

/** Returns where Umami's script is. */
export function findScript(directory: string): string {
  return join(directory, "package", SCRIPT_PACKAGE.file);
}

/** Installs the packages of the peers, without running their scripts; does nothing if they are there. */
export async function installPackages(directory: string): Promise<void> {
  const manifest = JSON.stringify(
    { private: true, type: "module", dependencies: PACKAGES, overrides: OVERRIDES, script: SCRIPT_PACKAGE },
    null,
    2,
  );
  const marker = join(directory, "installed.json");
  if (await Deno.readTextFile(marker).catch(() => "") === manifest) return;
  await Deno.mkdir(directory, { recursive: true });
  await Deno.writeTextFile(join(directory, "package.json"), manifest);
  console.error(`Installing ${Object.keys(PACKAGES).length + 1} packages from npm in ${directory}`);
  await run("npm", "install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error");
  const { name, version, file } = SCRIPT_PACKAGE;
  await run("npm", "pack", "--silent", `${name}@${version}`);
  await run("tar", "-xzf", `${name}-${version}.tgz`, `package/${file}`);
  await Deno.writeTextFile(marker, manifest);

  async function run(command: string, ...args: readonly string[]): Promise<void> {
    const { code } = await runProcess(command, { args, cwd: directory });
    if (code !== 0) throw new Error(`${command} ${args[0]} failed`);
  }
}
