import { transformSync } from "../support/esbuild.ts";

/** Returns the code that is left of a TypeScript module at run time, without comments; empty where it's all types. */
export function stripTypes(source: string): string {
  // Tree shaking would drop what nobody calls; only the syntax is of interest here.
  return transformSync(source, { loader: "ts", format: "esm", treeShaking: false, legalComments: "none" }).code
    .replace(/^export \{\s*\};?$/gm, "")
    .trim();
}
