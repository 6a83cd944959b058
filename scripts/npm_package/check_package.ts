import { runProcess } from "../process.ts";
import { listPeers, type PackageSource } from "./manifest.ts";
import { packPackage } from "./pack.ts";

const PUBLINT = "npm:publint@0.3.25";
const ATTW = "npm:@arethetypeswrong/cli@0.18.5";
const ALLOWED_FILES = /^(package\.json|README\.md|LICENSE|CHANGELOG\.md|(esm|script)\/(package\.json|.+\.(js|d\.ts)))$/;

/** Sub-paths that need an optional peer. */
const NEEDS_PEERS = /\/ingest$/;

/** Packs the npm package and checks it as its users would meet it. Throws with what is wrong. */
export async function checkPackage(source: PackageSource, directory: string): Promise<void> {
  const workDirectory = await Deno.makeTempDir();
  try {
    const { tarball, files, packedBytes } = await packPackage({ directory, destination: workDirectory });
    const strangers = files.filter((path) => !ALLOWED_FILES.test(path));
    if (strangers.length > 0) throw new Error(`Files that don't belong into the package: ${strangers.join(", ")}`);
    console.log(`${files.length} files, ${packedBytes} bytes packed`);
    await run(Deno.execPath(), ["run", "-A", "--no-config", PUBLINT, "run", tarball, "--strict"]);
    await run(Deno.execPath(), ["run", "-A", "--no-config", ATTW, tarball, "--profile", "strict"]);
    await useFromNode(source, { tarball, workDirectory });
  } finally {
    await Deno.remove(workDirectory, { recursive: true });
  }
}

// The client works, and nothing else is there, before the peers are installed that other sub-paths need.
async function useFromNode(
  source: PackageSource,
  { tarball, workDirectory }: { readonly tarball: string; readonly workDirectory: string },
): Promise<void> {
  await Deno.writeTextFile(`${workDirectory}/package.json`, `{"private":true}`);
  const install = (...names: readonly string[]): Promise<string> =>
    run("npm", ["install", "--silent", "--no-audit", "--no-fund", ...names], workDirectory);
  await install(tarball);
  const installed = await run("npm", ["ls", "--all", "--parseable"], workDirectory);
  const count = installed.split("\n").filter((line) => line.includes("/node_modules/")).length;
  if (count !== 1) throw new Error(`The package alone installs ${count} packages:\n${installed}`);
  const specifiers = Object.keys(source.exports).map((subPath) => source.name + subPath.slice(1));
  await load(specifiers.filter((specifier) => !NEEDS_PEERS.test(specifier)), workDirectory);
  await install(...listPeers(source));
  console.log(await load(specifiers, workDirectory));
}

// Each sub-path loads both ways, brings the same names, and lets the process end: an import that armed a timer wouldn't.
async function load(specifiers: readonly string[], workDirectory: string): Promise<string> {
  const program = `(async () => {
    const namesOf = (module) => Object.keys(module).filter((key) => !["default", "module.exports"].includes(key)).sort();
    for (const specifier of ${JSON.stringify(specifiers)}) {
      const [required, imported] = [namesOf(require(specifier)), namesOf(await import(specifier))];
      require("node:assert").deepStrictEqual(required, imported);
      console.log(specifier + ": " + imported.join(", "));
    }
  })()`;
  return (await run("node", ["--unhandled-rejections=strict", "-e", program], workDirectory)).trim();
}

async function run(command: string, args: readonly string[], cwd?: string): Promise<string> {
  const { code, output } = await runProcess(command, { args, isQuiet: true, ...(cwd && { cwd }) });
  if (code !== 0) throw new Error(`${command} ${args.join(" ")} failed:\n${output}`);
  return output;
}
