import { runProcess } from "../process.ts";
import type { PackageSource } from "./manifest.ts";

// Not a literal, so that the type check doesn't need JSR.
const DNT: string = "@deno/dnt";
const PROBE_LIMIT_MS = 8_000;

interface Dnt {
  readonly build: (options: Readonly<Record<string, unknown>>) => Promise<void>;
}

/** Whether dnt can be loaded, which is on JSR only. */
export async function canUseDnt(): Promise<boolean> {
  const { code } = await runProcess(Deno.execPath(), {
    args: ["eval", `await import(${JSON.stringify(DNT)})`],
    isQuiet: true,
    timeoutMs: PROBE_LIMIT_MS,
  });
  return code === 0;
}

/** Compiles the package with dnt, the usual way from Deno to npm. */
export async function compileWithDnt(source: PackageSource, outDirectory: string): Promise<void> {
  const { build }: Dnt = await import(DNT);
  await build({
    entryPoints: Object.entries(source.exports).map(([name, path]) => ({ name, path })),
    outDir: `./${outDirectory}`,
    shims: {},
    test: false,
    typeCheck: "both",
    declaration: "inline",
    scriptModule: "cjs",
    skipSourceOutput: true,
    skipNpmInstall: true,
    compilerOptions: { target: "ES2022", lib: ["ESNext", "DOM", "DOM.Iterable"] },
    package: { name: source.name, version: source.version },
  });
}
