import { runProcess } from "../support/process.ts";
import { type InstalledPackage, listFiles } from "./installed_package.ts";

/** Checks that no file of the package says where it was built: two builds on two machines are to be the same. */
export async function checkPaths({ directory }: InstalledPackage): Promise<void> {
  const { output } = await runProcess(Deno.execPath(), { args: ["info", "--json"], isQuiet: true });
  const folders = [Deno.cwd(), JSON.parse(output).denoDir, Deno.env.get("HOME") ?? ""];
  const paths = await listFiles(directory);
  for (const path of paths) {
    const found = findFolder(await Deno.readTextFile(`${directory}/${path}`), folders);
    if (found) throw new Error(`${path} holds ${found}, a folder of this machine`);
  }
  console.log(`paths: none of this machine in ${paths.length} files`);
}

/** Returns the first of some absolute folders that a text names; relative paths may lead there, too. */
export function findFolder(text: string, folders: readonly string[]): string | undefined {
  return folders.filter((folder) => folder.length > 1).find((folder) => text.includes(`${folder}/`));
}
