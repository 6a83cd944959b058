import { dirname, join, normalize } from "node:path/posix";
import { fileURLToPath } from "node:url";
import { buildSync } from "../../support/esbuild.ts";
import { measure } from "../../checks/size.ts";
import { findScript } from "./package_cache.ts";
import { FLOOR_PACKAGE, OWN_PACKAGE, SCRIPT_MARK, type Subject } from "./subjects.ts";

/** An SDK as a bundler hands it to a page. */
export interface SubjectBundle {
  /** Texts of its files by name. */
  readonly files: ReadonlyMap<string, string>;
  /** Files that a page loads at once, the entry first; the rest is loaded on demand, if at all. */
  readonly initial: readonly string[];
  /** Bytes of those, each compressed with brotli. */
  readonly brotliBytes: number;
}

const REPOSITORY = resolveOwn("../../../");
const ENTRY = "entry.js";
const OUTPUT = "bundle";

/** Bundles an SDK, minified and split where it loads parts on demand. */
export function bundleSubject(subject: Subject, directory: string): SubjectBundle {
  const contents = subject.program.replace(SCRIPT_MARK, () => Deno.readTextFileSync(findScript(directory)));
  const { outputFiles, metafile } = buildSync({
    stdin: { contents, resolveDir: directory, sourcefile: ENTRY },
    absWorkingDir: directory,
    outdir: OUTPUT,
    entryNames: "entry",
    bundle: true,
    splitting: true,
    format: "esm",
    minify: true,
    target: "es2022",
    platform: "browser",
    metafile: true,
    write: false,
    legalComments: "none",
    logLevel: "error",
    define: { "process.env.NODE_ENV": '"production"', global: "globalThis" },
    alias: {
      [OWN_PACKAGE]: join(subject.clientFolder ?? REPOSITORY, "mod.ts"),
      [FLOOR_PACKAGE]: resolveOwn("./floor.ts"),
    },
  });
  const root = join(directory, OUTPUT);
  const files = new Map(outputFiles.map(({ path, text }) => [path.slice(root.length + 1), text]));
  const initial = findInitial(metafile.outputs);
  const brotliBytes = initial.reduce((sum, name) => sum + measure(files.get(name) ?? "").brotli, 0);
  return { files, initial, brotliBytes };
}

type Outputs = Readonly<
  Record<string, { readonly imports: readonly { readonly path: string; readonly kind: string }[] }>
>;

function findInitial(outputs: Outputs): string[] {
  const found = new Set([`${OUTPUT}/${ENTRY}`]);
  for (const path of found) {
    for (const { path: imported, kind } of outputs[path]?.imports ?? []) {
      if (kind === "import-statement") found.add(normalize(imported));
    }
  }
  return [...found].map((path) => path.slice(dirname(path).length + 1));
}

function resolveOwn(path: string): string {
  return fileURLToPath(new URL(path, import.meta.url));
}
