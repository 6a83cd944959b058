/**
 * Type-checks every TypeScript and JavaScript block of README.md against the sources, each block as a module of its
 * own, and compares the loader snippet with the one that the build makes: `--write` puts that in.
 *
 * @module
 */
import { fileURLToPath } from "node:url";
import { buildLoaderSnippet } from "./npm_package/global_script.ts";
import { readPackageSource } from "./npm_package/manifest.ts";
import { runProcess } from "./process.ts";
import { writeScriptTags } from "./readme_loader.ts";
import { type CodeBlock, findCodeBlocks } from "./readme_blocks.ts";

const REPOSITORY = new URL("../", import.meta.url);

// Frameworks that the recipes use: real types where they are small, the few names in use where a package is large.
const FRAMEWORKS: Readonly<Record<string, string>> = {
  "react": "npm:@types/react@19.3.0",
  "react/jsx-runtime": "npm:@types/react@19.3.0/jsx-runtime",
  "@/app/analytics": new URL("tests/readme/next_analytics.d.ts", REPOSITORY).href,
  "next/headers": new URL("tests/readme/next_headers.d.ts", REPOSITORY).href,
  "nuxt/app": new URL("tests/readme/nuxt_app.d.ts", REPOSITORY).href,
  "./analytics": new URL("tests/consumers/fixtures/react_router/app/analytics.ts", REPOSITORY).href,
};

function toConfig(): unknown {
  const { name, exports } = readPackageSource();
  const own = Object.entries(exports).map((
    [subPath, path],
  ) => [name + subPath.slice(1), new URL(path, REPOSITORY).href]);
  return {
    imports: { ...FRAMEWORKS, ...Object.fromEntries(own) },
    compilerOptions: {
      lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable", "deno.ns"],
      strict: true,
      exactOptionalPropertyTypes: true,
      jsx: "react-jsx",
      jsxImportSource: "react",
    },
  };
}

async function writeBlock(directory: string, { code, extension, line }: CodeBlock): Promise<string> {
  const path = `${directory}/README_line_${line}.${extension}`;
  // Without an import or export a file is a script, and its names those of all the others.
  await Deno.writeTextFile(path, `${code}\nexport {};\n`);
  return path;
}

async function checkLoader(isWriting: boolean): Promise<void> {
  const path = fileURLToPath(new URL("README.md", REPOSITORY));
  const markdown = await Deno.readTextFile(path);
  const current = writeScriptTags(markdown, { snippet: buildLoaderSnippet(), version: readPackageSource().version });
  if (isWriting) await Deno.writeTextFile(path, current);
  else if (current !== markdown) {
    throw new Error("README.md has another loader or version: deno run -A scripts/check_readme.ts --write");
  }
}

async function main(): Promise<number> {
  await checkLoader(Deno.args.includes("--write"));
  const blocks = findCodeBlocks(await Deno.readTextFile(fileURLToPath(new URL("README.md", REPOSITORY))));
  if (blocks.length === 0) throw new Error("README.md has no block of code to check");
  const directory = await Deno.makeTempDir();
  try {
    await Deno.writeTextFile(`${directory}/deno.json`, JSON.stringify(toConfig()));
    const paths = await Promise.all(blocks.map((block) => writeBlock(directory, block)));
    const { code, output } = await runProcess(Deno.execPath(), {
      args: ["check", "--quiet", "--no-lock", "--config", `${directory}/deno.json`, ...paths],
      cwd: directory,
      isQuiet: true,
    });
    console.log(code === 0 ? `${blocks.length} blocks of README.md type-check` : output);
    return code;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

if (import.meta.main) Deno.exit(await main());
