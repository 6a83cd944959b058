/**
 * The launcher of `deno task test:consumers`: packs the npm packages and installs them into applications as their users
 * write them, outside the repository. What they install stays there for the next run, in the directory that
 * CONSUMERS_DIRECTORY names. With `--built` it takes the packages in npm/ as they are. Other arguments go on to
 * `deno test`.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename } from "node:path/posix";
import { run } from "../package/installed_package.ts";
import { PACKAGES } from "../package/packages.ts";
import { packPackage } from "../package/pack.ts";
import { runProcess } from "../support/process.ts";
import { findPrograms } from "../support/programs.ts";
import { findRegistry } from "../support/registry.ts";

const directory = Deno.env.get("CONSUMERS_DIRECTORY") ?? `${tmpdir()}/vendor_sdk_consumers`;
const programs = findPrograms(["CHROMIUM"]);

const isBuilt = Deno.args.includes("--built");
const testArgs = Deno.args.filter((argument) => argument !== "--built");

/** Packs each package under a name that changes with its content: npm doesn't look into a file whose name it knows. */
async function pack(): Promise<Readonly<Record<string, string>>> {
  if (!isBuilt) await run(Deno.execPath(), { args: ["run", "-A", "scripts/package/build_npm.ts"] });
  const tarballs: Record<string, string> = {};
  for (const { source: { name }, directory: built } of PACKAGES) {
    const { tarball } = await packPackage({ directory: built, destination: directory });
    const hash = createHash("sha256").update(await Deno.readFile(tarball)).digest("hex").slice(0, 12);
    const path = tarballs[name] = `${directory}/${basename(built)}-${hash}.tgz`;
    await Deno.rename(tarball, path);
  }
  return tarballs;
}

await Deno.mkdir(directory, { recursive: true });
const lock = await Deno.open(`${directory}/.lock`, { create: true, write: true });
await lock.lock(true); // another run would change the applications under our feet
const registry = await findRegistry();
console.log(`${registry.summary}; applications in ${directory}`);
const { code } = await runProcess(Deno.execPath(), {
  args: ["test", "-A", ...registry.denoArgs, ...testArgs, ...(testArgs.some(existsSync) ? [] : ["tests/consumers"])],
  env: {
    ...programs,
    CONSUMERS_DIRECTORY: directory,
    CONSUMERS_TARBALLS: JSON.stringify(await pack()),
  },
});
Deno.exit(code);
