import { fileURLToPath } from "node:url";
import { run } from "./installed_package.ts";

/** The folder with the lock of what the ingest's program bundles, and of nothing else. */
export const PROGRAM_LOCK_FOLDER: string = fileURLToPath(new URL("program", import.meta.url));

/** Files of a folder that say which packages are installed: with another one of their kind, npm refuses. */
const LOCK_FILES = ["package.json", "package-lock.json"] as const;

/**
 * Installs into a directory what the lock of a folder names, and nothing else; returns where npm put it. Throws where the
 * lock doesn't fit to package.json, or what the registry sends doesn't fit to the lock. No script of a package runs.
 */
export async function installLocked(folder: string, directory: string): Promise<string> {
  for (const name of LOCK_FILES) await Deno.copyFile(`${folder}/${name}`, `${directory}/${name}`);
  await run("npm", { args: ["ci", "--silent", "--ignore-scripts", "--no-audit", "--no-fund"], cwd: directory });
  return `${directory}/node_modules`;
}
