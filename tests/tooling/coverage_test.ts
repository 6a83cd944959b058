import { assertEquals, assertRejects } from "@std/assert";
import { removeCut } from "../../scripts/checks/coverage.ts";

/** Writes files, and returns the names of those that are left. */
async function leave(files: Readonly<Record<string, string>>, remove: (directory: string) => Promise<unknown>) {
  const directory = await Deno.makeTempDir();
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${directory}/${name}`, text);
  await remove(directory);
  const left = (await Array.fromAsync(Deno.readDir(directory))).map(({ name }) => name).toSorted();
  await Deno.remove(directory, { recursive: true });
  return left;
}

Deno.test("removeCut() removes what a killed process left, and says how much", async () => {
  const files = { "whole.json": '{"url":"file:///mod.ts"}\n', "cut.json": '{"url":"file:', "empty.json": "" };

  assertEquals(await leave(files, async (directory) => assertEquals(await removeCut(directory), 2)), ["whole.json"]);
});

Deno.test("removeCut() takes more than a few for a failure, and removes none", async () => {
  const files = Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`${index}.json`, ""]));
  const left = await leave(files, async (directory) => {
    await assertRejects(() => removeCut(directory), Error, "11 files of");
  });

  assertEquals(left.length, 11);
});
