import { npmInstall, run } from "./installed_package.ts";
import { ESM_DIRECTORY, SCRIPT_DIRECTORY } from "./manifest.ts";
import { listEntries, listLibraries, type NpmPackage } from "./packages.ts";

const TYPESCRIPT = "npm:typescript@6.0.3/tsc";

/** The types of Node, for what uses libraries: which library brings them along changes. */
const NODE_TYPES = "@types/node@22.19.1";

/** Compiles the staged sources with TypeScript alone, once per module format; what it needs is on npm. */
export async function compileWithTsc(
  npmPackage: NpmPackage,
  { stage, directory }: { readonly stage: string; readonly directory: string },
): Promise<void> {
  await Deno.writeTextFile(`${stage}/package.json`, `{"private":true}`);
  const libraries = listLibraries(npmPackage);
  // For their types; nothing of them goes into the package.
  if (libraries.length > 0) await npmInstall([...libraries, NODE_TYPES], stage);
  for (const [format, module] of [[ESM_DIRECTORY, "ESNext"], [SCRIPT_DIRECTORY, "CommonJS"]] as const) {
    const config = {
      compilerOptions: {
        target: "ES2022",
        lib: ["ESNext", "DOM", "DOM.Iterable"],
        module,
        moduleResolution: "bundler",
        rewriteRelativeImportExtensions: true,
        declaration: true,
        sourceMap: true,
        strict: true,
        noUncheckedIndexedAccess: true,
        exactOptionalPropertyTypes: true,
        // A page needs none.
        types: libraries.length > 0 ? ["node"] : [],
        skipLibCheck: true,
        rootDir: `${stage}/${npmPackage.root}`,
        outDir: `${directory}/${format}`,
      },
      files: Object.values(listEntries(npmPackage)).map((path) => `${stage}/${path}`),
    };
    await Deno.writeTextFile(`${stage}/tsconfig.json`, JSON.stringify(config));
    await run(Deno.execPath(), { args: ["run", "-A", "--no-config", TYPESCRIPT, "-p", `${stage}/tsconfig.json`] });
  }
}
