import { assertEquals, assertMatch, assertThrows } from "@std/assert";
import { checkLinks } from "../../scripts/docs/check_links.ts";
import { buildFlagsGuide } from "../../scripts/docs/flags.ts";
import { findUnmarkedFigures, updateFigures } from "../../scripts/docs/figures.ts";
import { readMarkdown } from "../../scripts/docs/markdown.ts";
import { isPartOf } from "../../scripts/docs/recipes.ts";
import { updateScriptTags } from "../../scripts/docs/script_tags.ts";
import { buildLoaderSnippet } from "../../scripts/package/global_script.ts";
import { COMMANDS } from "../../src/ingest/server/cli/run.ts";

Deno.test("readMarkdown() finds blocks of code, where they stand, and the files that they are part of", () => {
  const { blocks } = readMarkdown([
    "# Title",
    "<!-- recipe: a/b.ts, c.ts -->",
    "",
    "```ts",
    "const a = 1;",
    "```",
    "",
    "```sh title",
    "npm install",
    "```",
    "- item:",
    "  ```tsx",
    "  <A />",
    "  ```",
  ].join("\n"));

  assertEquals(blocks, [
    { language: "ts", line: 5, code: "const a = 1;\n", recipe: ["a/b.ts", "c.ts"] },
    { language: "sh", line: 9, code: "npm install\n", recipe: [] },
    { language: "tsx", line: 12, code: "<A />\n", recipe: [] },
  ]);
});

Deno.test("readMarkdown() gives headings the anchors of GitHub", () => {
  const { anchors } = readMarkdown("# `init()` & [Co](x.md)\n\n## Who waits?\n\n## Who waits?\n\n```md\n# none\n```\n");

  assertEquals([...anchors], ["init--co", "who-waits", "who-waits-1"]);
});

Deno.test("checkLinks() names links that lead to no file and to no heading", () => {
  const main = "https://github.com/vendor/sdk/blob/main";
  const documents = new Map(
    Object.entries({
      "README.md": `[a](docs/a.md#top) [b](docs/b.md) [c](${main}/docs/a.md) [d](#e) [f](https://f.example)\n\n# E`,
      "docs/a.md":
        "# Top\n\n- [a](#top) [b](../README.md#e)\n- [c](#no) [d](b.md#no)\n\n[e](../../x) ![f](f.png) `[g](g)`",
      "docs/b.md": '[a][1] <img src="a.md">\n\n[1]: ../LICENSE#l1',
    }).map(([path, text]) => [path, readMarkdown(text)]),
  );
  const exists = (path: string): boolean => path === "LICENSE" || documents.has(path);

  assertEquals(checkLinks({ documents, exists }), [
    "README.md:1: https://github.com/vendor/sdk/blob/main/docs/a.md has to be relative",
    "docs/a.md:4: #no leads to no heading",
    "docs/a.md:4: b.md#no leads to no heading",
    "docs/a.md:6: ../../x leads to no file",
    "docs/a.md:6: f.png leads to no file",
    "docs/b.md:1: ../LICENSE#l1 has an anchor in a file without headings",
  ]);
});

Deno.test("isPartOf() compares whole lines, indented as a whole", () => {
  const file = "<head>\n  <script>\n    run();\n  </script>\n</head>\n";

  assertEquals(isPartOf("<script>\n  run();\n</script>\n", file), true);
  assertEquals(isPartOf("<script>\nrun();\n</script>\n", file), false);
  assertEquals(isPartOf("run();\n", file), true);
  assertEquals(isPartOf("un();\n", file), false);
  assertEquals(isPartOf("<script>\n  stop();\n", file), false);
});

Deno.test("updateScriptTags() puts in the loader and the version", () => {
  const { version } = JSON.parse(Deno.readTextFileSync("deno.json"));
  const tags = (loader: string, version: string): string =>
    `<script>\n${loader}\n</script>\n<script src="https://unpkg.com/@vendor/sdk@${version}/vendor.global.js"></script>`;

  assertEquals(updateScriptTags(tags("(()=>{old()})();", "0.0.0-a")), tags(buildLoaderSnippet(), version));
});

Deno.test("updateFigures() writes limits and sizes as people read them, and refuses a name that is none", () => {
  const text = "In <!-- TIMEOUT_MS -->1 day. <!-- MAX_OUTBOX_BYTES -->7 bytes, <!-- CLIENT_KB -->1.0 kB";

  assertMatch(
    updateFigures(text),
    /^In <!-- TIMEOUT_MS -->30 seconds\. <!-- MAX_OUTBOX_BYTES -->1 MiB, .*[789]\.\d kB$/,
  );
  assertThrows(() => updateFigures("<!-- MAX_PATIENCE_MS -->1 day"), Error, "MAX_PATIENCE_MS");
});

Deno.test("findUnmarkedFigures() finds the lines that repeat a size or a limit on their own", () => {
  const text = [
    "8 kB (brotli)",
    "<!-- CLIENT_KB -->8.2 kB (brotli)",
    "in chunks of 500",
    "an event of 1 kB",
    "7.9 kB with brotli",
  ];

  assertEquals(findUnmarkedFigures(text.join("\n")), [1, 3, 5]);
});

Deno.test("buildFlagsGuide() has a row for each flag of each command", () => {
  const [, ...sections] = buildFlagsGuide(COMMANDS).split("\n## ");

  for (const [index, { name, flags }] of COMMANDS.entries()) {
    const [title, ...lines] = sections[index]?.split("\n") ?? [];
    const rows = lines.filter((line) => line.startsWith("| `--"));
    assertEquals(title, `\`${`vendor-ingest ${name}`.trim()}\``);
    assertEquals(rows.filter((row) => row.split(/(?<!\\)\|/).slice(1, -1).length !== 4), []);
    assertEquals(rows.map((row) => /[a-z][\w-]*/.exec(row)?.[0]), Object.keys(flags));
  }
});
