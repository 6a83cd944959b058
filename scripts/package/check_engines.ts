import { Linter } from "eslint";
import compat from "eslint-plugin-compat";
import es from "eslint-plugin-es-x";
import { buildSync } from "../support/esbuild.ts";
import { buildLoaderSnippet } from "./global_script.ts";
import type { InstalledPackage } from "./installed_package.ts";
import { SDK } from "./packages.ts";

/** The oldest browsers that run what the package has for browsers, by their names in browserslist. */
const OLDEST_BROWSERS: Readonly<Record<string, number>> = { chrome: 85, edge: 85, firefox: 79, safari: 14 };

/** Entry points that no page loads: those of servers and of tests. */
const ELSEWHERE = /\/(contract|server|testing)$/;

/** Features of up to ES2021 that only a later one of those browsers has. */
const LATER_FEATURES = ["no-regexp-lookbehind-assertions", "no-weakrefs", "no-export-ns-from"] as const;

/** Static methods of the platform, of which the checker of its classes knows nothing. */
const LATER_METHODS = [
  "URL.canParse",
  "URL.parse",
  "AbortSignal.abort",
  "AbortSignal.any",
  "AbortSignal.timeout",
] as const;

/** Methods of iterators that arrays have as well: a checker without types can't tell them apart. */
const ARRAY_METHODS = /^es-x\/no-iterator-prototype-(every|filter|find|flatmap|foreach|map|reduce|some)$/;
/** Likewise, and the client's own `drop()`. */
const OWN_METHODS = /^es-x\/no-iterator-prototype-drop$/;

const linter = new Linter();
const rules = Object.fromEntries(
  [
    ...Object.keys(es.configs["flat/restrict-to-es2021"].rules ?? {}),
    ...LATER_FEATURES.map((name) => `es-x/${name}`),
    "compat/compat",
  ].filter((name) => !ARRAY_METHODS.test(name) && !OWN_METHODS.test(name)).map((name) => [name, "error" as const]),
);

/** Says which browsers the package is for, as the guides do. */
export function describeBrowsers(): string {
  const { chrome, edge, firefox, safari } = OLDEST_BROWSERS;
  return `Chrome ${chrome}, Edge ${edge}, Firefox ${firefox}, Safari ${safari}`;
}

/** Returns what a module or a script has, of the language and the platform, that one of the oldest browsers lacks. */
export function findNewer(code: string, sourceType: "module" | "script" = "module"): readonly string[] {
  const messages = linter.verify(code, {
    plugins: { compat, "es-x": es },
    rules: { ...rules, "no-restricted-properties": ["error", ...LATER_METHODS.map(toRestriction)] },
    languageOptions: { ecmaVersion: "latest", sourceType },
    linterOptions: { reportUnusedDisableDirectives: "off" },
    settings: {
      "es-x": { aggressive: true },
      targets: Object.entries(OLDEST_BROWSERS).map((browser) => browser.join(" ")),
    },
  }, { allowInlineConfig: false });
  return messages.map(({ line, column, message }) => `${line}:${column} ${message}`);
}

function toRestriction(method: string): { readonly object: string; readonly property: string } {
  const [object = "", property = ""] = method.split(".");
  return { object, property };
}

/** Checks that the oldest browsers have what the modules for browsers, the script-tag builds and the loader use. */
export async function checkEngines({ projectDirectory, directory, specifiers }: InstalledPackage): Promise<void> {
  const modules = listModules(specifiers.filter((specifier) => !ELSEWHERE.test(specifier)), projectDirectory);
  const found = findNewer(buildLoaderSnippet(), "script").map((newer) => `the loader:${newer}`);
  for (const path of modules) {
    const code = await Deno.readTextFile(`${projectDirectory}/${path}`);
    found.push(...findNewer(code).map((newer) => `${path}:${newer}`));
  }
  for (const path of SDK.scripts) {
    const code = await Deno.readTextFile(`${directory}/${path}`);
    found.push(...findNewer(code, "script").map((newer) => `${path}:${newer}`));
  }
  if (found.length > 0) throw new Error(`Newer than ${describeBrowsers()}:\n${found.join("\n")}`);
  console.log(`engines: ${modules.length} modules and ${SDK.scripts.length + 1} scripts run in ${describeBrowsers()}`);
}

/** Lists the ES modules that entry points lead to, relative to the project. */
function listModules(specifiers: readonly string[], projectDirectory: string): readonly string[] {
  const { metafile } = buildSync({
    stdin: {
      contents: specifiers.map((specifier) => `import "${specifier}";`).join("\n"),
      resolveDir: projectDirectory,
    },
    absWorkingDir: projectDirectory,
    bundle: true,
    format: "esm",
    platform: "browser",
    ignoreAnnotations: true, // the modules say that they have no side effects, and aren't used
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  return Object.keys(metafile.inputs).filter((path) => path.endsWith(".js"));
}
