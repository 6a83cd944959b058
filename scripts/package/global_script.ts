import { createHash } from "node:crypto";
import { fileURLToPath } from "node:url";
import { minify_sync } from "terser";
import { type BuildOptions, buildSync } from "../support/esbuild.ts";
import { findInternalNames } from "./internal_names.ts";
import { GLOBAL_SCRIPT, SDK } from "./packages.ts";
import { wrapLines } from "./wrap_lines.ts";

/** Stands for the `integrity` of the script-tag build: the package's README.md has the value in its place. */
export const INTEGRITY_PLACEHOLDER = "sha384-INTEGRITY";

/** A script for pages without a bundler. */
export interface GlobalScript {
  /** The program text, minified. */
  readonly text: string;
  /** Its source map. */
  readonly map: string;
  /** Value of the attribute `integrity` (Subresource Integrity). */
  readonly integrity: string;
}

/**
 * Has V8 compile a file before its functions are called, off the main thread where it can, rather than each function
 * when it's called first, which is a good part of what `init()` costs. Only at the top of a file does it count; other
 * engines take it for the comment that it is (https://v8.dev/blog/explicit-compile-hints).
 */
export const COMPILE_HINT = "//# allFunctionsCalledOnLoad";

const REPOSITORY = fileURLToPath(new URL("../../", import.meta.url));
const SNIPPET_LINE_LENGTH = 118;
const INSTALL_CLIENT =
  `import { createInstance } from "./src/client/instance.ts"; globalThis.Vendor = createInstance();`;
const INSTALL_LOADER = `import { installLoader } from "./src/script_tag/loader.ts"; installLoader(window);`;

/** Programs of the scripts for pages without a bundler, by name; `check_engines.ts` says for which browsers. */
const PROGRAMS: Readonly<Record<string, string>> = {
  [GLOBAL_SCRIPT]: `import { installGlobal } from "./src/script_tag/install_global.ts"; installGlobal(globalThis);`,
  "vendor.consent.global.js":
    `import * as consent from "./src/addons/consent/mod.ts"; globalThis.VendorConsent = { ...consent };`,
  "vendor.banner.global.js":
    `import * as banner from "./src/addons/banner/mod.ts"; globalThis.VendorBanner = { ...banner };`,
  "vendor.inspector.global.js":
    `import { toggleInspector } from "./src/addons/inspector/toggle_inspector.ts"; toggleInspector(globalThis);`,
  "vendor.rules.global.js":
    `import * as rules from "./src/addons/rules/mod.ts"; globalThis.VendorRules = { ...rules };`,
  "vendor.auto.global.js": `import * as auto from "./src/addons/auto/mod.ts"; globalThis.VendorAuto = { ...auto };`,
};

/**
 * Builds a script for pages without a bundler: the SDK unless another name is given.
 *
 * @throws {TypeError} For a name that stands for no program.
 */
export function buildScript(file: string = GLOBAL_SCRIPT): GlobalScript {
  const program = PROGRAMS[file];
  if (program === undefined) throw new TypeError(`there is no program for ${file}`);
  const { name, version, license } = SDK.source;
  const hint = file === GLOBAL_SCRIPT ? `${COMPILE_HINT}\n` : "";
  const preamble = `${hint}/*! ${name} ${version}, ${license} */`;
  const { code, map } = buildShortened(program, { file, preamble });
  return { text: code, map, integrity: toIntegrity(code) };
}

/** Builds what the script-tag build has of the client: it without what takes over from the loader. */
export function buildClientPart(): string {
  return buildShortened(INSTALL_CLIENT, { file: GLOBAL_SCRIPT }).code;
}

/** Builds the loader snippet, in lines that fit into a page's source. Browsers since 2019 understand it. */
export function buildLoaderSnippet(): string {
  const [text = ""] = build(INSTALL_LOADER, { target: "es2018" });
  return wrapLines(text.trim(), SNIPPET_LINE_LENGTH);
}

/** Returns the value of the attribute `integrity` for a file. */
export function toIntegrity(text: string): string {
  return `sha384-${createHash("sha384").update(text).digest("base64")}`;
}

/**
 * esbuild bundles and minifies a program, as it does the modules for an application, and shortens what is inside the
 * client alone; terser then gives one short name to variables that don't meet, which compresses better.
 */
function buildShortened(
  contents: string,
  { file, preamble }: { readonly file: string; readonly preamble?: string },
): { readonly code: string; readonly map: string } {
  const [content = "", bundled = ""] = build(contents, {
    target: "es2022",
    sourcemap: "external",
    ...(file === GLOBAL_SCRIPT && { mangleProps: new RegExp(`^(${findInternalNames().join("|")})$`) }),
  });
  const { code, map } = minify_sync(bundled, {
    ecma: 2020,
    compress: { passes: 3 },
    ...(preamble && { format: { preamble } }),
    sourceMap: { content, url: `${file}.map` },
  });
  return { code: `${code}\n`, map: `${map}` };
}

/** Returns the texts that esbuild makes of a program: the source map first, if there is one. */
function build(contents: string, options: Partial<BuildOptions>): readonly string[] {
  const { outputFiles = [] } = buildSync({
    stdin: { contents, resolveDir: REPOSITORY, sourcefile: "src/script_tag/main.ts", loader: "ts" },
    absWorkingDir: REPOSITORY,
    outfile: GLOBAL_SCRIPT,
    bundle: true,
    format: "iife",
    minify: true,
    platform: "browser",
    write: false,
    logLevel: "silent",
    ...options,
  });
  return outputFiles.map(({ text }) => text);
}
