/**
 * Builds the npm packages once more, from a copy of the sources in another folder and with an empty cache, and compares
 * them with those in npm/, byte for byte. The compiler is the one that made those.
 *
 * @module
 */
import { createHash } from "node:crypto";
import { dirname } from "node:path";
import { listFiles, run } from "./installed_package.ts";
import { runProcess } from "../support/process.ts";

async function copyRepository(destination: string): Promise<void> {
  const output = await run("git", { args: ["ls-files", "-z", "--cached", "--others", "--exclude-standard"] });
  for (const path of output.split("\0").filter(Boolean)) {
    await Deno.mkdir(dirname(`${destination}/${path}`), { recursive: true });
    await Deno.copyFile(path, `${destination}/${path}`).catch(ignoreMissing);
  }
}

/** A file that was deleted, and whose deletion isn't committed yet, is listed still. */
function ignoreMissing(error: unknown): void {
  if (!(error instanceof Deno.errors.NotFound)) throw error;
}

async function hashFiles(directory: string): Promise<ReadonlyMap<string, string>> {
  const hashes = (await listFiles(directory)).map(async (path) => {
    const bytes = await Deno.readFile(`${directory}/${path}`);
    return [path, createHash("sha256").update(bytes).digest("hex")] as const;
  });
  return new Map(await Promise.all(hashes));
}

const directory = await Deno.makeTempDir({ prefix: "vendor sdk " }); // a space, as folders of people may have one
try {
  const copy = `${directory}/far/away`;
  await copyRepository(copy);
  const { code } = await runProcess(Deno.execPath(), {
    args: ["run", "-A", "scripts/package/build_npm.ts", "--unchecked", await Deno.readTextFile("npm/.compiler")],
    cwd: copy,
    env: { DENO_DIR: `${directory}/cache` },
  });
  if (code !== 0) Deno.exit(code);
  const [here, there] = await Promise.all([hashFiles("npm"), hashFiles(`${copy}/npm`)]);
  const paths = new Set([...here.keys(), ...there.keys()]);
  const different = [...paths].filter((path) => here.get(path) !== there.get(path));
  if (different.length > 0) throw new Error(`not the same in two builds: ${different.join(", ")}`);
  console.log(`${paths.size} files of npm/ are the same, byte for byte, in two builds`);
} finally {
  await Deno.remove(directory, { recursive: true });
}
