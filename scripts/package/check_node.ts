import { type InstalledPackage, npmInstall, run } from "./installed_package.ts";
import { listPeers, type PackageSource, PROGRAM_NAME } from "./manifest.ts";

/** Sub-paths that need an optional peer. */
const NEEDS_PEERS = /\/ingest(\/load)?$/;

/** Checks that the client works, with nothing else installed, and then the rest with the peers that it needs. */
export async function checkNode(
  source: PackageSource,
  { projectDirectory, specifiers }: InstalledPackage,
): Promise<void> {
  const installed = await run("npm", { args: ["ls", "--all", "--parseable"], cwd: projectDirectory });
  const count = installed.split("\n").filter((line) => line.includes("/node_modules/")).length;
  if (count !== 1) throw new Error(`The package alone installs ${count} packages:\n${installed}`);
  await load(specifiers.filter((specifier) => !NEEDS_PEERS.test(specifier)), projectDirectory);
  // The program has what it needs within it.
  const shown = await run("npx", { args: ["--no-install", PROGRAM_NAME, "--version"], cwd: projectDirectory });
  if (!shown.split("\n").includes(source.version)) throw new Error(`${PROGRAM_NAME} --version printed:\n${shown}`);
  await npmInstall(listPeers(source), projectDirectory);
  console.log(await load(specifiers, projectDirectory));
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
