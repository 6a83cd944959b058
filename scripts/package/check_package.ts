import { checkContents } from "./check_contents.ts";
import { checkEngines } from "./check_engines.ts";
import type { FinishedModules } from "./finish_modules.ts";
import { checkFiles } from "./check_files.ts";
import { checkNode } from "./check_node.ts";
import { checkTreeShaking } from "./check_tree_shaking.ts";
import { installPackage, run } from "./installed_package.ts";
import { type NpmPackage, SDK } from "./packages.ts";
import { packPackage } from "./pack.ts";

const PUBLINT = "npm:publint@0.3.25";
const ATTW = "npm:@arethetypeswrong/cli@0.18.5";

/** Packs an npm package and checks the tarball as its users would meet it. Throws with what is wrong. */
export async function checkPackage(
  npmPackage: NpmPackage,
  { directory, finished }: { readonly directory: string; readonly finished: FinishedModules },
): Promise<void> {
  const workDirectory = await Deno.makeTempDir();
  try {
    const packed = await packPackage({ directory, destination: workDirectory });
    checkContents(npmPackage, { packed, finished });
    await run(Deno.execPath(), { args: ["run", "-A", "--no-config", PUBLINT, "run", packed.tarball, "--strict"] });
    console.log("publint: strict");
    // Strict is every mode of resolution: node10, node16 from CommonJS and from ES modules, bundler.
    // The scripts for tags are no modules and have no types.
    const exclude = npmPackage.scripts.length > 0 ? ["--exclude-entrypoints", ...npmPackage.scripts] : [];
    const options = ["--profile", "strict", ...exclude];
    await run(Deno.execPath(), { args: ["run", "-A", "--no-config", ATTW, packed.tarball, ...options] });
    console.log("attw: all modes");
    const installed = await installPackage(npmPackage, { tarball: packed.tarball, workDirectory });
    await checkFiles(npmPackage, installed);
    if (npmPackage === SDK) await checkEngines(installed);
    checkTreeShaking(npmPackage, installed);
    await checkNode(npmPackage, installed);
    console.log(
      `package: ${npmPackage.source.name}, ${packed.files.length} files, ${packed.unpackedBytes} bytes; publint and attw find nothing; ` +
        "no path of this machine, no eval, all source maps lead back; installs and loads in Node, both ways",
    );
  } finally {
    await Deno.remove(workDirectory, { recursive: true });
  }
}
