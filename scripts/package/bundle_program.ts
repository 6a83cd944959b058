import { dirname, relative } from "node:path/posix";
import { buildSync } from "../support/esbuild.ts";
import { installLocked, PROGRAM_LOCK_FOLDER } from "./install_locked.ts";
import { INGEST } from "./packages.ts";
import { fillModuleUrl, stageSources } from "./stage_sources.ts";

/** The libraries that are CommonJS ask for modules of Node by `require()`, which an ES module has to make. */
const REQUIRE =
  `import { createRequire as __createRequire } from "node:module";\nconst require = __createRequire(import.meta.url);`;

/** Oldest Node that the program is made for. */
const OLDEST_NODE = 20;

/** Says so before anything of the program runs, which would fail with a stack trace. */
const CHECK_NODE = `if (Number(process.versions.node.split(".")[0]) < ${OLDEST_NODE}) {
  console.error("ingest: this needs Node 22.13 or later, and without a folder of events ${OLDEST_NODE}; this is " + process.version);
  process.exit(1);
}`;

const PACKAGE_FOLDER = /^(?:.*\/)?node_modules\/(?:@[^/]+\/)?[^/]+/;

const THREAD_IMPORT = /(?<=from ")[^"]*thread_program\.ts(?=";)/g;

/**
 * Bundles the ingest's program into one file for Node. With its libraries in it, `npx` needs nothing else; the clients
 * of stores stay outside, and are loaded when they are used. The libraries are those of a lock, at any depth. The
 * threads' program is in the file as well, or is imported from the path of `threadProgram`.
 */
export async function bundleProgram(
  outPath: string,
  { threadProgram }: { readonly threadProgram?: string } = {},
): Promise<void> {
  const directory = await Deno.realPath(await Deno.makeTempDir());
  try {
    await stageSources(INGEST, directory);
    const packages = await installLocked(PROGRAM_LOCK_FOLDER, directory);
    const { outputFiles, metafile } = buildSync({
      absWorkingDir: directory,
      entryPoints: [INGEST.program?.entry ?? ""],
      external: [
        ...INGEST.optionalPeers,
        ...INGEST.optionalDependencies,
        ...(threadProgram ? ["*/thread_program.ts"] : []),
      ],
      bundle: true,
      format: "esm",
      platform: "node",
      target: `node${OLDEST_NODE}`,
      banner: { js: `${REQUIRE}\n${CHECK_NODE}` },
      write: false,
      metafile: true,
      logLevel: "silent",
    });
    const inputs = Object.keys(metafile.inputs);
    const libraries = inputs.filter((path) => path.startsWith(`${relative(directory, packages)}/`));
    const strange = inputs.filter((path) => !path.startsWith("src/") && !libraries.includes(path));
    if (strange.length > 0) throw new Error(`not in the lock of the program: ${strange.join(", ")}`);
    const text = outputFiles[0]?.text ?? "";
    const folders = new Set(libraries.map((path) => PACKAGE_FOLDER.exec(path)?.[0] ?? path));
    const notices = await Promise.all([...folders].map((folder) => buildNotice(`${directory}/${folder}`)));
    await Deno.mkdir(dirname(outPath), { recursive: true });
    await Deno.writeTextFile(
      outPath,
      (threadProgram ? text.replace(THREAD_IMPORT, threadProgram) : fillModuleUrl(text)) + notices.join(""),
    );
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
