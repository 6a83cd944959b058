import { runProcess } from "../support/process.ts";
import type { NpmPackage } from "./packages.ts";

/** The package, installed from its tarball. */
export interface InstalledPackage {
  /** Directory of a project that depends on it. */
  readonly projectDirectory: string;
  /** Where npm put it. */
  readonly directory: string;
  /** Specifiers of its modules. */
  readonly specifiers: readonly string[];
}

/** Installs the packed package into a project of its own. */
export async function installPackage(
  { source: { name, exports } }: NpmPackage,
  { tarball, workDirectory }: { readonly tarball: string; readonly workDirectory: string },
): Promise<InstalledPackage> {
  await Deno.writeTextFile(`${workDirectory}/package.json`, `{"private":true}`);
  await npmInstall([tarball], workDirectory);
  return {
    projectDirectory: workDirectory,
    directory: `${workDirectory}/node_modules/${name}`,
    specifiers: Object.keys(exports).map((subPath) => name + subPath.slice(1)),
  };
}

/** Installs packages into a project. */
export async function npmInstall(names: readonly string[], projectDirectory: string): Promise<void> {
  await run("npm", { args: ["install", "--silent", "--no-audit", "--no-fund", ...names], cwd: projectDirectory });
}

/** Lists the files of a directory, however deep, relative to it and in order. */
export async function listFiles(directory: string, prefix = ""): Promise<readonly string[]> {
  const files: string[] = [];
  for await (const { name, isDirectory } of Deno.readDir(directory)) {
    const path = prefix + name;
    if (isDirectory) files.push(...await listFiles(`${directory}/${name}`, `${path}/`));
    else files.push(path);
  }
  return files.sort();
}

/** Runs a program and returns its output; throws with it where the program fails. */
export async function run(
  command: string,
  { args, cwd }: { readonly args: readonly string[]; readonly cwd?: string },
): Promise<string> {
  const { code, output } = await runProcess(command, { args, isQuiet: true, ...(cwd && { cwd }) });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
  return output;
}
