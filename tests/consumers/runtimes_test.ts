import { assertEquals, assertMatch } from "@std/assert";
import { runProcess } from "../../scripts/support/process.ts";
import { stripTypes } from "../../scripts/checks/strip_types.ts";
import { assertInert } from "../support/headless_report.ts";
import { type Application, prepareApplication } from "./driver/application.ts";
import { runOrThrow } from "./driver/run_or_throw.ts";

const PROGRAM = "tests/support/headless_program.ts";
const IMPORT = `import("../../mod.ts")`;
const LIMIT_MS = 30_000;

/** Writes the program that looks at what the SDK does, with the installed package in place of the sources. */
async function writePrograms({ directory }: Application): Promise<void> {
  const program = stripTypes(await Deno.readTextFile(PROGRAM));
  assertEquals(program.split(IMPORT).length, 2, "the program has another import");
  const imports = program.replace(IMPORT, `import("@vendor/sdk")`);
  await Deno.writeTextFile(`${directory}/import.mjs`, imports);
  await Deno.writeTextFile(
    `${directory}/require.cjs`,
    `(async () => {\n${program.replace(IMPORT, `require("@vendor/sdk")`)}\n})();`,
  );
  await Deno.writeTextFile(`${directory}/worker.js`, `export default {\nasync test() {\n${imports}\n}\n};`);
}

Deno.test("the package is inert in every runtime without a page, and lets the process end", async (t) => {
  const application = await prepareApplication("runtimes");
  const { directory } = application;
  await writePrograms(application);
  const run = (command: string, ...args: string[]) =>
    runProcess(command, { args, cwd: directory, env: { NO_COLOR: "1" }, isQuiet: true, timeoutMs: LIMIT_MS });

  await t.step("Node: import", async () => assertInert(await run("node", "import.mjs")));
  await t.step("Node: require", async () => assertInert(await run("node", "require.cjs")));
  await t.step("Deno without permissions", async () => {
    const args = ["run", "--no-prompt", "--no-lock", "--quiet", "--no-check", "import.mjs"];
    assertInert(await run(Deno.execPath(), ...args));
  });
  await t.step("Bun", async () => assertInert(await run("node_modules/.bin/bun", "run", "import.mjs")));
  await t.step("Bun: require", async () => assertInert(await run("node_modules/.bin/bun", "run", "require.cjs")));
  const runWorker = async (entry: string) => {
    const args = [entry, "--bundle", "--format=esm", "--target=es2022", "--outfile=bundle.js"];
    await runOrThrow("node_modules/.bin/esbuild", { args, cwd: directory });
    const { code, output } = await run("node_modules/.bin/workerd", "test", "workerd.capnp");
    assertMatch(output, /PASS/);
    return { code, output };
  };
  await t.step("workerd", async () => {
    const { code, output } = await runWorker("worker.js");
    assertInert({ code, output: output.split("\n").find((line) => line.startsWith("{")) ?? output });
  });
  await t.step("workerd: the ingest, bundled where nobody has the client of NATS", async () => {
    assertMatch((await runWorker("ingest.js")).output, /preflight: 204/);
  });
});
