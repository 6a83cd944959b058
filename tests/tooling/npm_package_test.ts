import { assertEquals, assertMatch } from "@std/assert";
import { buildContents } from "../../scripts/package/check_contents.ts";
import { findEvaluation, findFolder } from "../../scripts/package/check_files.ts";
import { buildDocument } from "../../scripts/package/documents.ts";
import { buildGlobalScript, buildLoaderSnippet, toIntegrity } from "../../scripts/package/global_script.ts";
import { wrapLines } from "../../scripts/package/wrap_lines.ts";

Deno.test("buildContents() wants each guide, and code, declarations and a source map of each module, in both formats", () => {
  const contents = buildContents(["src/client.ts"], ["docs/client.md"]);

  assertEquals(contents.filter((path) => path.includes("client")), [
    "docs/client.md",
    "esm/src/client.d.ts",
    "esm/src/client.js",
    "esm/src/client.js.map",
    "script/src/client.d.ts",
    "script/src/client.js",
    "script/src/client.js.map",
  ]);
});

Deno.test("buildDocument() fills in the integrity, and links to what the package lacks", () => {
  const links = "[a](delivery.md) [b](../src/limits.ts) [c](decisions/README.md#x)";

  assertEquals(
    buildDocument(`integrity="sha384-INTEGRITY" ${links}`, "sha384-abc"),
    `integrity="sha384-abc" [a](delivery.md) [b](https://github.com/vendor/sdk/blob/main/src/limits.ts) ` +
      "[c](https://github.com/vendor/sdk/blob/main/docs/decisions/README.md#x)",
  );
});

Deno.test("findEvaluation() finds what a content security policy would refuse", () => {
  assertEquals(findEvaluation(`eval("1")`), "eval(");
  assertEquals(findEvaluation(`const f = new Function("a", "return a");`), "new Function");
  assertEquals(findEvaluation(`Function ("return this")()`), "Function(");
  assertEquals(findEvaluation(`setTimeout("run()", 1)`), `setTimeout("`);
});

Deno.test("findEvaluation() passes comments, and names that only look like it", () => {
  assertEquals(findEvaluation(`/* eval("1") */ retrieval(1); isFunction(2); setTimeout(run, 1);`), undefined);
});

Deno.test("findFolder() finds a folder of the builder in a text", () => {
  const folders = ["/srv/sdk", "/", "/people/ann"];

  assertEquals(findFolder("// file:///people/ann/.cache/deno/npm/a.js", folders), "/people/ann");
  assertEquals(findFolder(`{"sources":["/srv/sdk/mod.ts"]}`, folders), "/srv/sdk");
  assertEquals(findFolder("// ../srv/sdk2/a.js, /people/anna/", folders), undefined);
});

Deno.test("wrapLines() breaks after punctuation, and never in a string", () => {
  assertEquals(wrapLines(`f("a,b;c{d",1,2);g()`, 13), `f("a,b;c{d",\n1,2);g()`);
});

Deno.test("the loader snippet fits into a page: short lines, no end of a script element, one statement", () => {
  const snippet = buildLoaderSnippet();

  assertEquals(snippet.split("\n").filter((line) => line.length > 120), []);
  assertEquals(/<\/script|<!--/i.test(snippet), false);
  assertMatch(snippet, /^\(\(\)=>\{[\s\S]*\}\)\(\);$/);
});

Deno.test("the loader snippet reads no title, storage, cookie or screen, and asks for nothing", () => {
  const reads = /title|storage|cookie|screen|navigator|language|referrer|history|document|fetch|XMLHttp|sendBeacon/i;

  assertEquals(reads.exec(buildLoaderSnippet())?.[0], undefined);
});

Deno.test("the script-tag build is the same each time, and its integrity is that of its text", () => {
  const [first, second] = [buildGlobalScript(), buildGlobalScript()];

  assertEquals(first.integrity, second.integrity);
  assertEquals(first.integrity, toIntegrity(first.text));
  assertMatch(first.integrity, /^sha384-[\w+/]{64}$/);
});

Deno.test("the script-tag build has V8 compile it ahead of its calls, which takes the first line", () => {
  assertEquals(buildGlobalScript().text.split("\n")[0], "//# allFunctionsCalledOnLoad");
});

Deno.test("the script-tag build names neither this machine nor a module of it", () => {
  const { text, map } = buildGlobalScript();

  assertEquals(JSON.parse(map).sources.filter((path: string) => !/^(src|mod)/.test(path)), []);
  assertEquals(text.includes(Deno.cwd()), false);
});
