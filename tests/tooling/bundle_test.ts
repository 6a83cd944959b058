import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { bundle, bundleAndMeasure } from "../../scripts/support/bundle.ts";

const ENTRY = "src/client/base/version.ts";

Deno.test("bundle() makes an ES module and leaves no process behind", () => {
  const text = bundle({ entry: ENTRY, format: "esm", minify: true });

  assertStringIncludes(text, `"@vendor/sdk"`);
  assertStringIncludes(text, "as SDK_NAME");
});

Deno.test("bundle() makes a script that assigns a global variable", () => {
  const text = bundle({ entry: ENTRY, format: "iife", minify: false, globalName: "Version" });

  const exports = new Function(`${text}; return Version;`)();

  assertEquals(exports.SDK_NAME, "@vendor/sdk");
});

Deno.test("bundleAndMeasure() says how much of the text each module is", () => {
  const { text, modules } = bundleAndMeasure({ entry: "mod.ts", format: "esm", minify: true });

  assertEquals(text.length - [...modules.values()].reduce((sum, bytes) => sum + bytes) < 100, true); // the exports
  assertEquals([modules.get("src/client/base/version.ts"), modules.has("src/script_tag/loader.ts")], [32, false]);
});

Deno.test("bundle() rejects where a module is missing", () => {
  assertThrows(
    () => bundle({ entry: "src/no_such_file.ts", format: "esm", minify: true }),
    Error,
    "no_such_file",
  );
});
