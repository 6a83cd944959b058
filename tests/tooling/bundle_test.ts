import { assertEquals, assertStringIncludes, assertThrows } from "@std/assert";
import { bundle, bundleWithReport } from "../../scripts/bundle.ts";
import { measure } from "../../scripts/size.ts";

const ENTRY = "src/version.ts";

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

Deno.test("bundleWithReport() says what each module adds", () => {
  const { modules } = bundleWithReport({ entry: ENTRY, format: "esm", minify: false });

  assertEquals(modules.map(([path]) => path), [ENTRY]);
});

Deno.test("bundle() rejects where a module is missing", () => {
  assertThrows(
    () => bundle({ entry: "src/no_such_file.ts", format: "esm", minify: true }),
    Error,
    "no_such_file",
  );
});

Deno.test("measure() counts bytes, not characters, and what compression leaves", () => {
  assertEquals(measure("é").minified, 2);
  const { minified, gzip, brotli } = measure("analytics ".repeat(1_000));
  assertEquals([minified, gzip < 200, brotli < gzip], [10_000, true, true]);
});
