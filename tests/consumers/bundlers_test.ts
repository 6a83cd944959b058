import { assertEquals, assertLessOrEqual } from "@std/assert";
import { bundle } from "../../scripts/support/bundle.ts";
import { measure } from "../../scripts/checks/size.ts";
import { type Application, prepareApplication } from "./driver/application.ts";
import { countLoad } from "./driver/count_load.ts";
import { runOrThrow } from "./driver/run_or_throw.ts";

/** Share of our own figure by which the client may differ in a bundle. */
const MAX_DIFFERENCE = 0.05;

const ownBytes = measure(bundle({ entry: "mod.ts", format: "esm", minify: true })).brotli;

/** Returns what the SDK adds to a bundle, in bytes compressed with brotli. */
async function measureShare({ directory }: Application, bundler: string): Promise<number> {
  const read = (name: string): Promise<string> => Deno.readTextFile(`${directory}/dist/${bundler}/${name}.js`);
  return measure(await read("with_sdk")).brotli - measure(await read("without_sdk")).brotli;
}

Deno.test("the client takes in every bundler's output what `deno task size` says, and works", async (t) => {
  const application = await prepareApplication("bundlers");
  for (const bundler of ["vite", "webpack", "esbuild", "rollup"]) {
    await t.step(`${bundler}: within 5 %`, async () => {
      const bytes = await measureShare(application, bundler);
      const difference = bytes / ownBytes - 1;
      const figures = `${bundler}: ${bytes} bytes of brotli, ${(100 * difference).toFixed(1)} % from ${ownBytes}`;
      console.log(figures);
      assertLessOrEqual(Math.abs(difference), MAX_DIFFERENCE, figures);
    });
    // The other two would share a chunk between their entries, and the figure above miss it.
    if (bundler === "webpack" || bundler === "esbuild") {
      await t.step(`${bundler}: a dependency that requires the SDK shares the application's`, async () => {
        const program = `import("./dist/${bundler}/two_ways.js").then(() => console.log(globalThis.isOne))`;
        const args = ["--input-type=module", "--eval", program];
        assertEquals(await runOrThrow("node", { args, cwd: application.directory }), "true\n");
      });
    }
    await t.step(`${bundler}: a load is counted`, () => countLoad(`${application.directory}/dist/${bundler}`));
  }
});
