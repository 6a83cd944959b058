import { type InstalledPackage, run } from "./installed_package.ts";

/**
 * Checks that each sub-path loads in Node both ways, brings the same names, and lets the process end: an import that
 * armed a timer wouldn't.
 */
export async function checkNode({ projectDirectory, specifiers }: InstalledPackage): Promise<void> {
  const program = `(async () => {
    const namesOf = (module) => Object.keys(module).filter((key) => !["default", "module.exports"].includes(key)).sort();
    for (const specifier of ${JSON.stringify(specifiers)}) {
      const [required, imported] = [namesOf(require(specifier)), namesOf(await import(specifier))];
      require("node:assert").deepStrictEqual(required, imported);
      console.log(specifier + ": " + imported.join(", "));
    }
  })()`;
  const args = ["--unhandled-rejections=strict", "-e", program];
  console.log((await run("node", { args, cwd: projectDirectory })).trim());
}
