import { runProcess } from "../support/process.ts";
import { ESM_DIRECTORY, listPeers, type PackageSource, SCRIPT_DIRECTORY } from "./manifest.ts";

const TYPESCRIPT = "npm:typescript@6.0.3/tsc";

/** Compiles the package with TypeScript alone, once per module format; what it needs is on npm. */
export async function compileWithTsc(source: PackageSource, outDirectory: string): Promise<void> {
  const workDirectory = await Deno.makeTempDir();
  try {
    await installPeers(source, workDirectory);
    const [esm, script] = [`${outDirectory}/${ESM_DIRECTORY}`, `${outDirectory}/${SCRIPT_DIRECTORY}`];
    await compile(source, { outDirectory: esm, module: "ESNext", workDirectory });
    await compile(source, { outDirectory: script, module: "CommonJS", workDirectory });
  } finally {
    await Deno.remove(workDirectory, { recursive: true });
  }
}

interface Format {
  readonly outDirectory: string;
  readonly module: "ESNext" | "CommonJS";
  readonly workDirectory: string;
}

// For their types; nothing of them goes into the package.
async function installPeers(source: PackageSource, directory: string): Promise<void> {
  await Deno.writeTextFile(`${directory}/package.json`, `{"private":true}`);
  const args = ["install", "--silent", "--no-audit", "--no-fund", ...listPeers(source)];
  const { code, output } = await runProcess("npm", { args, cwd: directory, isQuiet: true });
  if (code !== 0) throw new Error(`npm install failed:\n${output}`);
}

async function compile(source: PackageSource, format: Format): Promise<void> {
  const configPath = `${format.workDirectory}/tsconfig.json`;
  await Deno.writeTextFile(configPath, JSON.stringify(toTsConfig(source, format)));
  const { code, output } = await runProcess(Deno.execPath(), {
    args: ["run", "-A", "--no-config", TYPESCRIPT, "-p", configPath],
    isQuiet: true,
  });
  if (code !== 0) throw new Error(`TypeScript failed (${format.module}):\n${output}`);
}

function toTsConfig({ exports }: PackageSource, { outDirectory, module, workDirectory }: Format): unknown {
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
      skipLibCheck: true,
      paths: {
        "@vendor/sdk/contract": [`${Deno.cwd()}/src/plan/contract.ts`],
        "*": [`${workDirectory}/node_modules/*`],
      },
      rootDir: Deno.cwd(),
      outDir: `${Deno.cwd()}/${outDirectory}`,
    },
    files: Object.values(exports).map((path) => `${Deno.cwd()}/${path}`),
  };
}
