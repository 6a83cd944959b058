import { transformSync } from "../support/esbuild.ts";
import { type InstalledPackage, listFiles } from "./installed_package.ts";

/** What would ask a content security policy for `unsafe-eval`. */
const EVALUATION = /\beval\s*\(|\bnew\s+Function\b|\bFunction\s*\(|\bset(?:Timeout|Interval)\s*\(\s*["'`]/;

/** Checks that no file of the package evaluates text as code. */
export async function checkCode({ directory }: InstalledPackage): Promise<void> {
  const scripts = (await listFiles(directory)).filter((path) => /\.m?js$/.test(path));
  for (const path of scripts) {
    const found = findEvaluation(await Deno.readTextFile(`${directory}/${path}`));
    if (found) throw new Error(`${path} evaluates text as code: ${found}`);
  }
  console.log(`code: ${scripts.length} scripts without eval`);
}

/** Returns the first place of a script that evaluates text as code; comments don't count. */
export function findEvaluation(code: string): string | undefined {
  return EVALUATION.exec(transformSync(code, { minifyWhitespace: true, legalComments: "none" }).code)?.[0];
}
