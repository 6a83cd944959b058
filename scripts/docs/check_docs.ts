/**
 * Checks README.md, CONTRIBUTING.md, CHANGELOG.md and docs/: every TypeScript and JavaScript block type-checks against
 * the sources, a module of its own each; every recipe is part of the application that it names; every link within the
 * repository leads somewhere; every size of the client
 * has the comment by which `deno task generate` keeps it true; no document is
 * too long.
 *
 * @module
 */
import { existsSync } from "node:fs";
import { dirname } from "node:path/posix";
import { pathToFileURL } from "node:url";
import { checkLinks } from "./check_links.ts";
import { listDocuments, listFiles } from "./documents.ts";
import { findUnmarkedFigures } from "./figures.ts";
import { type CodeBlock, type Markdown, readMarkdown } from "./markdown.ts";
import { isPartOf } from "./recipes.ts";
import { findTestImport, INGEST, listEntries, PACKAGES } from "../package/packages.ts";
import { runProcess } from "../support/process.ts";

const FIXTURES = "tests/consumers/fixtures";

/** The most lines that a document may have: longer, nobody reads it. */
const MAX_LINES: Readonly<Record<string, number>> = {
  "README.md": 200,
  "CONTRIBUTING.md": 150,
  "src/ingest/README.md": 100,
};

// Frameworks that the recipes use: real types where they are small, the few names in use where a package is large.
const FRAMEWORKS: Readonly<Record<string, string>> = {
  "react": "npm:@types/react@19.3.0",
  "web-vitals": "npm:web-vitals@6.2.3",
  "react/jsx-runtime": "npm:@types/react@19.3.0/jsx-runtime",
  "@angular/core": toUrl("tests/docs/angular_core.d.ts"),
  "nuxt/app": toUrl("tests/docs/nuxt_app.d.ts"),
  "h3": toUrl("tests/docs/h3.d.ts"),
  "valibot": findTestImport("valibot"),
  "zod": findTestImport("zod"),
  "./plan.ts": toUrl("tests/docs/plan.d.ts"),
  "./analytics": toUrl(`${FIXTURES}/react_router/app/analytics.ts`),
};

// A consent platform that a guide imports, at the version that we test with.
const COOKIE_CONSENT = "vanilla-cookieconsent";

const EXTENSIONS: Readonly<Record<string, "ts" | "tsx">> = {
  ts: "ts",
  typescript: "ts",
  js: "ts",
  javascript: "ts",
  tsx: "tsx",
  jsx: "tsx",
};

function checkLengths(texts: ReadonlyMap<string, string>): string[] {
  return Object.entries(MAX_LINES).flatMap(([path, max]) => {
    const lines = (texts.get(path) ?? "").trimEnd().split("\n").length;
    return lines > max ? [`${path}: ${lines} lines are more than ${max}`] : [];
  });
}

function checkFigures(texts: ReadonlyMap<string, string>): string[] {
  return [...texts].flatMap(([path, text]) =>
    findUnmarkedFigures(text).map((line) =>
      `${path}:${line}: a figure needs its <!-- NAME --> of scripts/docs/figures.ts`
    )
  );
}

function checkRecipes(documents: ReadonlyMap<string, Markdown>): string[] {
  return [...documents].flatMap(([path, { blocks }]) =>
    blocks.flatMap(({ code, line, recipe }) =>
      recipe
        .filter((file) => !isPartOf(code, readText(`${FIXTURES}/${file}`)))
        .map((file) => `${path}:${line}: isn't part of ${FIXTURES}/${file}`)
    )
  );
}

function toConfig(directory: string): unknown {
  const own = PACKAGES.flatMap((npmPackage) =>
    Object.entries(listEntries(npmPackage)).map((
      [subPath, path],
    ) => [npmPackage.source.name + subPath.slice(1), toUrl(path)])
  );
  return {
    imports: {
      ...FRAMEWORKS,
      ...INGEST.source.imports,
      [COOKIE_CONSENT]: findTestImport(COOKIE_CONSENT),
      ...Object.fromEntries(own),
      ...mapNeighbours(directory),
    },
    compilerOptions: {
      lib: ["esnext", "dom", "dom.iterable", "dom.asynciterable", "deno.ns"],
      strict: true,
      exactOptionalPropertyTypes: true,
      jsx: "react-jsx",
      jsxImportSource: "react",
    },
  };
}

// Bundlers find "./analytics" without its extension: so do recipes, which lie beside copies of their neighbours' names.
function mapNeighbours(directory: string): Readonly<Record<string, string>> {
  const modules = listFiles(FIXTURES).filter((path) => /\.tsx?$/.test(path));
  return Object.fromEntries(modules.flatMap((path) => {
    const name = path.replace(/\.tsx?$/, "");
    return [name, name.replace(FIXTURES, directory)].map((from) => [toUrl(from), toUrl(path)]);
  }));
}

/** Writes a block as a file, and returns its path; nothing where it's in another language. */
function writeBlock(directory: string, document: string, { code, language, line, recipe }: CodeBlock): string[] {
  const extension = EXTENSIONS[language];
  if (!extension) return [];
  const folder = `${directory}/${dirname(recipe[0] ?? "")}`;
  const path = `${folder}/${document.replaceAll("/", "_")}_${line}.${extension}`;
  Deno.mkdirSync(folder, { recursive: true });
  // The code stands at the line that it has in the document, where errors are then told. Without an import or export a
  // file is a script, and its names are those of all the others.
  Deno.writeTextFileSync(path, `${"\n".repeat(line - 1)}${code}export {};\n`);
  return [path];
}

/** Returns the number of blocks, and what is wrong with them. */
async function checkTypes(documents: ReadonlyMap<string, Markdown>): Promise<[count: number, problems: string[]]> {
  const directory = Deno.makeTempDirSync();
  try {
    Deno.writeTextFileSync(`${directory}/deno.json`, JSON.stringify(toConfig(directory)));
    const files = [...documents].flatMap(([document, { blocks }]) =>
      blocks.flatMap((block) => writeBlock(directory, document, block))
    );
    const { code, output } = await runProcess(Deno.execPath(), {
      args: ["check", "--quiet", "--no-lock", "--config", `${directory}/deno.json`, ...files],
      cwd: directory,
      isQuiet: true,
    });
    return [files.length, code === 0 ? [] : [output]];
  } finally {
    Deno.removeSync(directory, { recursive: true });
  }
}

function toUrl(path: string): string {
  return pathToFileURL(path).href;
}

function readText(path: string): string {
  return existsSync(path) ? Deno.readTextFileSync(path) : "";
}

async function main(): Promise<number> {
  const texts = new Map(listDocuments().map((path) => [path, Deno.readTextFileSync(path)]));
  const documents = new Map([...texts].map(([path, text]) => [path, readMarkdown(text)]));
  const [blocks, types] = await checkTypes(documents);
  const problems = [
    ...checkLengths(texts),
    ...checkFigures(texts),
    ...checkRecipes(documents),
    ...checkLinks({ documents, exists: existsSync }),
    ...types,
  ];
  problems.forEach((problem) => console.error(problem));
  const links = [...documents.values()].reduce((sum, document) => sum + document.links.length, 0);
  if (problems.length === 0) console.log(`${documents.size} documents: ${blocks} blocks type-check, ${links} links`);
  return problems.length === 0 ? 0 : 1;
}

if (import.meta.main) Deno.exit(await main());
