import { runProcess } from "../process.ts";
import { ESM_DIRECTORY, OPTIONAL_PEERS, type PackageSource, SCRIPT_DIRECTORY } from "./manifest.ts";

const TYPESCRIPT = "npm:typescript@6.0.3/tsc";

/** Compiles the package with TypeScript alone, once per module format; what it needs is on npm. */
export async function compileWithTsc(source: PackageSource, outDirectory: string): Promise<void> {
  await compile(source, { outDirectory: `${outDirectory}/${ESM_DIRECTORY}`, module: "ESNext" });
  await compile(source, { outDirectory: `${outDirectory}/${SCRIPT_DIRECTORY}`, module: "CommonJS" });
}

interface Format {
  readonly outDirectory: string;
  readonly module: "ESNext" | "CommonJS";
}

async function compile(source: PackageSource, { outDirectory, module }: Format): Promise<void> {
  const configDirectory = await Deno.makeTempDir();
  const configPath = `${configDirectory}/tsconfig.json`;
  const config = toTsConfig(source, { outDirectory, module, peersPath: `${configDirectory}/peers.d.ts` });
  await Deno.writeTextFile(configPath, JSON.stringify(config));
  // `deno task check` sees the types of the peers; here they aren't installed.
  const peers = OPTIONAL_PEERS.map((name) => `declare module "${name}";\n`).join("");
  await Deno.writeTextFile(`${configDirectory}/peers.d.ts`, peers);
  const { code, output } = await runProcess(Deno.execPath(), {
    args: ["run", "-A", "--no-config", TYPESCRIPT, "-p", configPath],
    isQuiet: true,
  });
  await Deno.remove(configDirectory, { recursive: true });
  if (code !== 0) throw new Error(`TypeScript failed (${module}):\n${output}`);
}

function toTsConfig(
  { exports }: PackageSource,
  { outDirectory, module, peersPath }: Format & { readonly peersPath: string },
): unknown {
  return {
    compilerOptions: {
      target: "ES2022",
      lib: ["ESNext", "DOM", "DOM.Iterable"],
      module,
      moduleResolution: "bundler",
      rewriteRelativeImportExtensions: true,
      declaration: true,
      sourceMap: true,
      inlineSources: true,
      strict: true,
      noUncheckedIndexedAccess: true,
      exactOptionalPropertyTypes: true,
      types: [],
      rootDir: Deno.cwd(),
      outDir: `${Deno.cwd()}/${outDirectory}`,
    },
    files: [...Object.values(exports).map((path) => `${Deno.cwd()}/${path}`), peersPath],
  };
}
