import { dirname, relative } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { SOURCE_ALIASES } from "../support/bundle.ts";
import { buildSync } from "../support/esbuild.ts";
import { installLocked } from "./install_locked.ts";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const ENTRY = "src/ingest/server/bin.ts";

/** The folder with the lock of what is bundled, and of nothing else. */
export const PROGRAM_LOCK_FOLDER: string = fileURLToPath(new URL("program", import.meta.url));

/** What its users install for the stores that need it. */
const STORE_CLIENTS = ["@clickhouse/client", "@nats-io/jetstream", "@nats-io/transport-node"] as const;

/** The libraries that are CommonJS ask for modules of Node by `require()`, which an ES module has to make. */
const REQUIRE =
  `import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);`;

const PACKAGE_FOLDER = /^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/;

/**
 * Bundles the ingest's program into one file for Node. With its libraries in it, `npx` needs nothing else; the clients
 * of stores stay outside, and are loaded when they are used. The libraries are those of a lock, at any depth.
 */
export async function bundleProgram(outPath: string): Promise<void> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  try {
    const packages = await installLocked(PROGRAM_LOCK_FOLDER, directory);
    const { outputFiles, metafile } = buildSync({
      absWorkingDir: REPOSITORY,
      entryPoints: [ENTRY],
      nodePaths: [packages],
      alias: SOURCE_ALIASES,
      external: [...STORE_CLIENTS],
      bundle: true,
      format: "esm",
      platform: "node",
      target: "node20",
      banner: { js: REQUIRE },
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    const inputs = Object.keys(metafile.inputs);
    const outside = relative(REPOSITORY, packages);
    const libraries = inputs.filter((path) => path.startsWith(`${outside}/`));
    const strange = inputs.filter((path) => !path.startsWith("src/") && !libraries.includes(path));
    if (strange.length > 0) throw new Error(`not in the lock of the program: ${strange.join(", ")}`);
    // Where they were installed is another folder each time.
    const text = (outputFiles[0]?.text ?? "").replaceAll(`${outside}/`, "");
    const folders = new Set(libraries.map((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? ""));
    const notices = await Promise.all([...folders].map((folder) => buildNotice(REPOSITORY + folder)));
    await Deno.mkdir(dirname(outPath), { recursive: true });
    await Deno.writeTextFile(outPath, text + notices.join(""));
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

/** Returns the licence of a package in the bundle, as it asks for. */
async function buildNotice(folder: string): Promise<string> {
  const { name, version } = JSON.parse(await Deno.readTextFile(`${folder}/package.json`));
  return `\n/*!\n${name} ${version}\n\n${(await readLicense(folder)).trim()}\n*/\n`;
}

async function readLicense(folder: string): Promise<string> {
  for await (const { name: file } of Deno.readDir(folder)) {
    if (/^licen[sc]e/i.test(file)) return await Deno.readTextFile(`${folder}/${file}`);
  }
  throw new Error(`${folder} has no licence`);
}
