import { runProcess } from "../process.ts";
import { findRegistry } from "../registry.ts";

const ENTRY = "src/ingest/server/bin.ts";

/** What its users install for the sinks that need it. */
const SINK_CLIENTS = ["@nats-io/jetstream", "@nats-io/transport-node"] as const;

/** The comment above a module of a package, with the package's folder, name and version. */
const PACKAGE_COMMENT = /^\/\/ (\S*?\/((?:@[^/\s]+\/)?[^/\s]+)\/(\d+\.\d+\.\d+[^/\s]*))\/(\S+)$/gm;

/**
 * Bundles the ingest's program into one file for Node. With the schema library in it, `npx` needs nothing else; the
 * clients of sinks stay outside, and are loaded when they are used. Deno bundles it, since esbuild alone would look for
 * packages in a node_modules that isn't there.
 */
export async function bundleProgram(outPath: string): Promise<void> {
  const { denoArgs } = await findRegistry();
  const { code, output } = await runProcess(Deno.execPath(), {
    args: [
      "bundle",
      ...denoArgs,
      "--platform=deno",
      ...SINK_CLIENTS.map((name) => `--external=${name}`),
      `--output=${outPath}`,
      ENTRY,
    ],
    isQuiet: true,
  });
  if (code !== 0) throw new Error(`deno bundle failed:\n${output}`);
  const text = await Deno.readTextFile(outPath);
  const notices = await buildNotices(text);
  await Deno.writeTextFile(outPath, text.replaceAll(PACKAGE_COMMENT, "// $2@$3/$4") + notices);
}

/** Returns the licences of the packages in the bundle, as they ask for. */
async function buildNotices(text: string): Promise<string> {
  const folders = new Map([...text.matchAll(PACKAGE_COMMENT)].map(([, folder = "", ...name]) => [folder, name]));
  const notices = [...folders].map(async ([folder, [name, version]]) => {
    const license = await Deno.readTextFile(`${folder}/${await findLicense(folder)}`);
    return `\n/*!\n${name} ${version}\n\n${license.trim()}\n*/\n`;
  });
  return (await Promise.all(notices)).join("");
}

async function findLicense(folder: string): Promise<string> {
  for await (const { name } of Deno.readDir(folder)) {
    if (/^licen[sc]e/i.test(name)) return name;
  }
  throw new Error(`${folder} has no licence`);
}
