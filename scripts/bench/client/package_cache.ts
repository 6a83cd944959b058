import { join } from "node:path";
import { runProcess } from "../../support/process.ts";
import { OVERRIDES, PACKAGES } from "./subjects.ts";

/** Where packages are kept between runs, outside of the repository. */
export function findCacheDirectory(): string {
  const base = Deno.env.get("XDG_CACHE_HOME") ?? join(Deno.env.get("HOME") ?? Deno.makeTempDirSync(), ".cache");
  return join(base, "vendor-sdk-bench");
}

/** Installs the packages of the peers, without running their scripts; does nothing if they are there. */
export async function installPackages(directory: string): Promise<void> {
  const manifest = JSON.stringify(
    { private: true, type: "module", dependencies: PACKAGES, overrides: OVERRIDES },
    null,
    2,
  );
  const marker = join(directory, "installed.json");
  if (await Deno.readTextFile(marker).catch(() => "") === manifest) return;
  await Deno.mkdir(directory, { recursive: true });
  await Deno.writeTextFile(join(directory, "package.json"), manifest);
  console.log(`Installing ${Object.keys(PACKAGES).length} packages from npm in ${directory}`);
  const { code } = await runProcess("npm", {
    args: ["install", "--ignore-scripts", "--no-audit", "--no-fund", "--loglevel=error"],
    cwd: directory,
  });
  if (code !== 0) throw new Error("npm install failed");
  await Deno.writeTextFile(marker, manifest);
}
