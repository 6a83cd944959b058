import { type InstalledPackage, npmInstall, run } from "./installed_package.ts";
import { listLibraries, type NpmPackage } from "./packages.ts";

/** Checks that the package loads as npm installs it, and then beside what its users install for a part of it. */
export async function checkNode(
  npmPackage: NpmPackage,
  { projectDirectory, specifiers }: InstalledPackage,
): Promise<void> {
  const { source, dependencies, program } = npmPackage;
  if (dependencies.length === 0) {
    const installed = await run("npm", { args: ["ls", "--all", "--parseable"], cwd: projectDirectory });
    const count = installed.split("\n").filter((line) => line.includes("/node_modules/")).length;
    if (count !== 1) throw new Error(`The package alone installs ${count} packages:\n${installed}`);
  }
  console.log(await load(specifiers, projectDirectory));
  if (program) {
    // It has what it needs within it.
    const shown = await run("npx", { args: ["--no-install", program.name, "--version"], cwd: projectDirectory });
    if (!shown.split("\n").includes(source.version)) throw new Error(`${program.name} --version printed:\n${shown}`);
    await npmInstall(listLibraries(npmPackage), projectDirectory);
    await load(specifiers, projectDirectory);
  }
}

// Each sub-path loads both ways, brings the same names, and lets the process end: an import that armed a timer wouldn't.
async function load(specifiers: readonly string[], cwd: string): Promise<string> {
  const program = `(async () => {
    const namesOf = (module) => Object.keys(module).filter((key) => !["default", "module.exports"].includes(key)).sort();
    for (const specifier of ${JSON.stringify(specifiers)}) {
      const [required, imported] = [namesOf(require(specifier)), namesOf(await import(specifier))];
      require("node:assert").deepStrictEqual(required, imported);
      console.log(specifier + ": " + imported.join(", "));
    }
  })()`;
  return (await run("node", { args: ["--unhandled-rejections=strict", "-e", program], cwd })).trim();
}
