import { runProcess } from "../process.ts";
import { findRegistry } from "../registry.ts";

const ENTRY = "src/ingest/server/bin.ts";

/** What its users install for the stores that need it. */
const STORE_CLIENTS = ["@clickhouse/client", "@nats-io/jetstream", "@nats-io/transport-node"] as const;

/** What names a module of a package, in a comment or a string: the package's folder, name and version, and the rest. */
const PACKAGE_PATH =
  /(\/\/ |")([^"\n]*?\/npm\/[^\s"]*?\/((?:@[^/\s"]+\/)?[^/\s"]+)\/(\d+\.\d+\.\d+[^/\s"]*))\/([^\s"]+)/g;

/**
 * Bundles the ingest's program into one file for Node. With its libraries in it, `npx` needs nothing else; the clients
 * of stores stay outside, and are loaded when they are used. Deno bundles it, since esbuild alone would look for
 * packages in a node_modules that isn't there.
 */
export async function bundleProgram(outPath: string): Promise<void> {
  const { denoArgs } = await findRegistry();
  const { code, output } = await runProcess(Deno.execPath(), {
    args: [
      "bundle",
      ...denoArgs,
      "--platform=deno",
      ...STORE_CLIENTS.map((name) => `--external=${name}`),
      `--output=${outPath}`,
      ENTRY,
    ],
    isQuiet: true,
  });
  if (code !== 0) throw new Error(`deno bundle failed:\n${output}`);
  const text = await Deno.readTextFile(outPath);
  const notices = await buildNotices(text);
  await Deno.writeTextFile(outPath, text.replaceAll(PACKAGE_PATH, "$1$3@$4/$5") + notices);
}

/** Returns the licences of the packages in the bundle, as they ask for. */
async function buildNotices(text: string): Promise<string> {
  const folders = new Map([...text.matchAll(PACKAGE_PATH)].map(([, , folder = "", ...name]) => [folder, name]));
  const notices = [...folders].map(async ([folder, [name, version]]) => {
    const license = await readLicense(folder);
    return `\n/*!\n${name} ${version}\n\n${license.trim()}\n*/\n`;
  });
  return (await Promise.all(notices)).join("");
}

async function readLicense(folder: string): Promise<string> {
  for await (const { name: file } of Deno.readDir(folder)) {
    if (/^licen[sc]e/i.test(file)) return await Deno.readTextFile(`${folder}/${file}`);
  }
  throw new Error(`${folder} has no licence`);
}
