import { assert, assertEquals } from "@std/assert";
import { bundleWithMap } from "../../scripts/bundle.ts";
import { splitByModule } from "../../scripts/module_texts.ts";
import { measure, measureModules } from "../../scripts/size.ts";
import { PURPOSES } from "../../scripts/size_purposes.ts";

const CLIENT = bundleWithMap({ entry: "mod.ts", format: "esm", minify: true });

Deno.test("measure() counts bytes, not characters, and what compression leaves", () => {
  assertEquals(measure("é").minified, 2);
  const { minified, gzip, brotli } = measure("analytics ".repeat(1_000));
  assertEquals([minified, gzip < 200, brotli < gzip], [10_000, true, true]);
});

Deno.test("splitByModule() cuts the client into pieces that are the client together", () => {
  const pieces = splitByModule(CLIENT);

  assertEquals(pieces.map(({ text }) => text).join(""), CLIENT.text);
  const version = pieces.filter(({ path }) => path === "src/version.ts").map(({ text }) => text).join("");
  assert(version.includes('"@vendor/sdk"') && version.length < 60, version);
});

Deno.test("measureModules() shares out every byte of the client", () => {
  const modules = measureModules(CLIENT);

  const sum = (key: "minified" | "share"): number => modules.reduce((total, module) => total + module[key], 0);
  const { minified, brotli } = measure(CLIENT.text);
  assertEquals(sum("minified"), minified);
  assert(Math.abs(sum("share") - brotli) <= modules.length, "but for rounding");
});

Deno.test("the size report knows what every module of the client is for", () => {
  const paths = new Set(splitByModule(CLIENT).map(({ path }) => path));

  assertEquals([...paths].filter((path) => !PURPOSES[path]), []);
});
