import { buildSync } from "../support/esbuild.ts";
import type { InstalledPackage } from "./installed_package.ts";
import { INGEST, type NpmPackage, SDK } from "./packages.ts";

/** Contents of a bundle for browsers. */
interface Bundled {
  readonly text: string;
  /** Files of the package that contribute to it. */
  readonly inputs: readonly string[];
}

const NODE_ONLY = /\bnode:|\brequire\(|\bprocess\.|\bBuffer\b|\b__dirname\b/;

/** Returns programs that add nothing to a bundle: they use types, or nothing of what they import. */
function listFreePrograms({ source: { name, exports } }: NpmPackage): readonly string[] {
  return Object.keys(exports).map((subPath) => name + subPath.slice(1)).flatMap((module) => [
    `import "${module}"; import * as all from "${module}"; export type All = typeof all;`,
    `import { type Name } from "${module}"; export type A = Name;`,
  ]);
}

/** Checks what importing a package costs: a type, or a name that isn't used, adds nothing. */
export function checkTreeShaking(npmPackage: NpmPackage, { projectDirectory }: InstalledPackage): void {
  const bundle = (program: string): Bundled => bundleProgram(program, projectDirectory);
  for (const program of listFreePrograms(npmPackage)) {
    const { text } = bundle(program);
    if (text.trim() !== "") throw new Error(`${program} adds ${text.length} bytes: ${text}`);
  }
  if (npmPackage === SDK) checkPages(bundle);
  if (npmPackage === INGEST) checkStores(bundle);
}

/** Checks that who doesn't use a store needn't have its client: a bundler that met its name would look for it. */
function checkStores(bundle: (program: string) => Bundled): void {
  const { text } = bundle(`export * from "@vendor/ingest";`);
  if (/@nats-io|@clickhouse/.test(text)) throw new Error("A bundle of the ingest names a client of a store");
  console.log("tree shaking: the ingest names no client of a store");
}

/** A part of the SDK for pages, used: a bundle of it has none of these files. */
const PAGE_PROGRAMS: readonly (readonly [program: string, unwanted: RegExp])[] = [
  // The client brings no singleton, and neither of them an addon.
  [
    `import { createClient } from "@vendor/sdk/client"; createClient({ apiKey: "k" });`,
    /\/vendor\.js$|\/esm\/mod\.js$|\/(testing|script_tag|plan|addons)\//,
  ],
  [
    `import { Vendor } from "@vendor/sdk"; Vendor.init({ apiKey: "k" });`,
    /\/client\.js$|\/(testing|script_tag|plan|addons)\//,
  ],
  // An addon works on the client that the page has.
  [
    `import { createAnalytics } from "@vendor/sdk/compat/segment"; console.log(createAnalytics(window.client));`,
    /\/(?!segment|page|zone)\w+\.js$/,
  ],
  [
    `import { withCookie } from "@vendor/sdk/cookie"; console.log(withCookie(window.environment, { domain: "d" }));`,
    /\/(?!mod|cookies|page|environment|limits|keys)\w+\.js$/,
  ],
  [
    `import { inspect } from "@vendor/sdk/inspector"; inspect(window.client);`,
    /\/(vendor|client|instance|capture|consent|queue|delivery|messages|browser)\.js$/,
  ],
  [`import { dropQuery } from "@vendor/sdk/rules"; console.log(dropQuery());`, /\/(?!url_rules)\w+\.js$/],
  // A source of consent that isn't imported isn't there.
  [
    `import { initialConsent } from "@vendor/sdk/consent"; console.log(initialConsent());`,
    /\/(?!initial_consent|page|zone|mod)\w+\.js$/,
  ],
  // Whatever else of the client comes along: it is for a process that has no page.
  [
    `import { createSender } from "@vendor/sdk/server"; console.log(createSender(window.o));`,
    /\/(testing|capture|delivery)\/|\/(vendor|client|instance|consent|browser|storage)\.js$/,
  ],
  [`import { createTestBrowser } from "@vendor/sdk/testing"; createTestBrowser();`, /\/(script_tag|inspector)\//],
];

/** Checks that parts bring only what they use, that types cost nothing, and that nothing of a page needs Node. */
function checkPages(bundle: (program: string) => Bundled): void {
  const use = `analytics.step("signup", { plan: "pro" });`;
  const untyped = bundle(`import { Vendor } from "@vendor/sdk"; const analytics = Vendor; ${use}`);
  const typed = bundle(
    `import { Vendor } from "@vendor/sdk"; import { type Typed } from "@vendor/sdk/typed";
    const analytics: Typed<{ signup: { plan: string } }> = Vendor; ${use}`,
  );
  // Which letters the minifier takes for names depends on the texts that it reads, types included.
  const surplus = typed.text.length - untyped.text.length;
  if (surplus !== 0) throw new Error(`The types of the steps add ${surplus} bytes`);
  for (const [program, unwanted] of PAGE_PROGRAMS) {
    const { text, inputs } = bundle(program);
    const found = inputs.filter((path) => unwanted.test(path));
    if (found.length > 0) throw new Error(`${program} brings what it doesn't use: ${found.join(", ")}`);
    const ofNode = NODE_ONLY.exec(text)?.[0];
    if (ofNode) throw new Error(`A bundle for browsers contains "${ofNode}"`);
  }
  console.log(`tree shaking: types add 0 bytes, ${PAGE_PROGRAMS.length} parts bring nothing that they don't use`);
}

function bundleProgram(contents: string, resolveDir: string): Bundled {
  // A built-in module of Node can't be resolved for the platform "browser", and fails the build.
  const { outputFiles, metafile } = buildSync({
    stdin: { contents, resolveDir, loader: "ts" },
    absWorkingDir: resolveDir,
    // Keeps imports of types as imports of the module: the hardest case.
    tsconfigRaw: { compilerOptions: { verbatimModuleSyntax: true } },
    bundle: true,
    minify: true,
    format: "esm",
    target: "es2022",
    platform: "browser",
    external: [...INGEST.optionalPeers, ...INGEST.optionalDependencies, ...INGEST.dependencies],
    metafile: true,
    write: false,
    logLevel: "silent",
  });
  const inputs = Object.values(metafile.outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([path, { bytesInOutput }]) => bytesInOutput > 0 ? [path] : [])
  );
  return { text: outputFiles.map(({ text }) => text).join(""), inputs };
}
