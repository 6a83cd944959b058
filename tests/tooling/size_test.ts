import { assertEquals } from "@std/assert";
import { bundleAndMeasure } from "../../scripts/support/bundle.ts";
import { measure } from "../../scripts/checks/size.ts";
import { PURPOSES } from "../../scripts/checks/size_purposes.ts";

Deno.test("measure() counts bytes, not characters, and what compression leaves", () => {
  assertEquals(measure("é").minified, 2);
  const { minified, gzip, brotli } = measure("analytics ".repeat(1_000));
  assertEquals([minified, gzip < 200, brotli < gzip], [10_000, true, true]);
});

Deno.test("the size report knows what every module of the client is for", () => {
  const { modules } = bundleAndMeasure({ entry: "mod.ts", format: "esm", minify: true });

  assertEquals(Object.keys(PURPOSES).sort(), [...modules.keys()].sort());
});
