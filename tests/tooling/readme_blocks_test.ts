import { assertEquals } from "@std/assert";
import { findCodeBlocks } from "../../scripts/readme_blocks.ts";

Deno.test("findCodeBlocks() finds TypeScript and JavaScript, and where they stand", () => {
  const markdown = [
    "# Title",
    "",
    "```ts",
    "const a = 1;",
    "```",
    "",
    "```sh",
    "npm install",
    "```",
    "- item:",
    "  ```tsx title",
    "  <A />",
    "  ```",
  ].join("\n");

  assertEquals(findCodeBlocks(markdown), [
    { extension: "ts", line: 4, code: "const a = 1;\n" },
    { extension: "tsx", line: 12, code: "<A />\n" },
  ]);
});
