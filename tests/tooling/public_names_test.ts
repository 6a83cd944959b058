import { assertEquals } from "@std/assert";
import { NAMES_GUIDE } from "../../scripts/docs/names.ts";
import { readPackageSource } from "../../scripts/package/manifest.ts";

/** Most names that users may have to know: of functions, types and values, in all entry points together. */
const MAX_NAMES = 190;

Deno.test("what editors show of the public API needs no specification beside it", async () => {
  const entries = Object.values(readPackageSource().exports);
  const { success, stdout } = await new Deno.Command(Deno.execPath(), { args: ["doc", "--json", ...entries] }).output();
  const text = new TextDecoder().decode(stdout);

  assertEquals([success, text.includes("Starts collection.")], [true, true]);
  assertEquals(text.match(/[^"\\]*SPEC \d[^"\\]*/g), null);
});

Deno.test("the public API has few names, each from one entry point", () => {
  const names = Array.from(Deno.readTextFileSync(NAMES_GUIDE).matchAll(/^\| `(\w+)`/gm), ([, name]) => name);

  assertEquals(names.filter((name, index) => names.indexOf(name) !== index), []);
  assertEquals([names.includes("Vendor"), names.length <= MAX_NAMES], [true, true], `${names.length} names`);
});
