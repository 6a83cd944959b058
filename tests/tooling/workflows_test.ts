import { assertEquals, assertStringIncludes } from "@std/assert";

const WORKFLOWS = ".github/workflows";

Deno.test("every action of the workflows is pinned by its commit", () => {
  const texts = [...Deno.readDirSync(WORKFLOWS)].map(({ name }) => Deno.readTextFileSync(`${WORKFLOWS}/${name}`));
  const uses = texts.flatMap((text) => text.split("\n")).filter((line) => line.includes("uses:"));

  assertEquals(uses.length > 0, true);
  assertEquals(uses.filter((line) => !/uses: [\w./-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/.test(line)), []);
});

Deno.test("CI runs the command that the README gives for the tests", () => {
  assertStringIncludes(Deno.readTextFileSync(".ci/run"), "npx -y deno@2.9.6 task test \\\n");
});
