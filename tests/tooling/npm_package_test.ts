import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { buildContents } from "../../scripts/package/check_contents.ts";
import { findEvaluation, findFolder } from "../../scripts/package/check_files.ts";
import { buildDocument } from "../../scripts/package/documents.ts";
import { buildLoaderSnippet, buildScript, toIntegrity } from "../../scripts/package/global_script.ts";
import { SDK } from "../../scripts/package/packages.ts";
import { wrapLines } from "../../scripts/package/wrap_lines.ts";

Deno.test("buildContents() wants of a module its code with one source map, if it has some, and its declarations where they are named", () => {
  const contents = buildContents(SDK, {
    modules: ["src/client/client.ts", "src/client/client_queue.ts", "src/client/client_types.ts"],
    typeOnly: ["src/client/client_types.ts"],
    declared: ["src/client/client.ts", "src/client/client_types.ts"],
  });

  assertEquals(contents.filter((path) => path.includes("client")), [
    "esm/src/client/client.d.ts",
    "esm/src/client/client.js",
    "esm/src/client/client.js.map",
    "esm/src/client/client_queue.js",
    "esm/src/client/client_queue.js.map",
    "esm/src/client/client_types.d.ts",
    "script/src/client/client.d.ts",
    "script/src/client/client.js",
    "script/src/client/client_queue.js",
    "script/src/client/client_types.d.ts",
  ]);
});

Deno.test("buildDocument() fills in the integrity, and links to the repository", () => {
  const links = "[a](docs/delivery.md#x) [b](../LICENSE) [c](#d) [e](https://e.example)";

  assertEquals(
    buildDocument(`sha384-INTEGRITY ${links}`, { folder: "src/", integrity: "sha384-abc" }),
    "sha384-abc [a](https://github.com/vendor/sdk/blob/main/src/docs/delivery.md#x) " +
      "[b](https://github.com/vendor/sdk/blob/main/LICENSE) [c](#d) [e](https://e.example)",
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
  const [first, second] = [buildScript(), buildScript()];

  assertEquals(first.integrity, second.integrity);
  assertEquals(first.integrity, toIntegrity(first.text));
  assertMatch(first.integrity, /^sha384-[\w+/]{64}$/);
});

Deno.test("every script of the package has a program, and no other name has one", () => {
  assertEquals(SDK.scripts.filter((name) => buildScript(name).text.length < 1_000), []);
  assertThrows(() => buildScript("vendor.cookie.global.js"), TypeError, "there is no program for");
});

Deno.test("the script-tag build has V8 compile it ahead of its calls, which takes the first line", () => {
  assertEquals(buildScript().text.split("\n")[0], "//# allFunctionsCalledOnLoad");
});

Deno.test("the script-tag build names neither this machine nor a module of it", () => {
  const { text, map } = buildScript();

  assertEquals(JSON.parse(map).sources.filter((path: string) => !/^(src|mod)/.test(path)), []);
  assertEquals(text.includes(Deno.cwd()), false);
});
