import { assertEquals } from "@std/assert";
import { readPackageSource } from "../../scripts/package/manifest.ts";

Deno.test("what editors show of the public API needs no specification beside it", async () => {
  const entries = Object.values(readPackageSource().exports);
  const { success, stdout } = await new Deno.Command(Deno.execPath(), { args: ["doc", "--json", ...entries] }).output();
  const text = new TextDecoder().decode(stdout);

  assertEquals([success, text.includes("Starts collection.")], [true, true]);
  assertEquals(text.match(/[^"\\]*SPEC \d[^"\\]*/g), null);
});
