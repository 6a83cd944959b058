import { assertEquals } from "@std/assert";
import { findRecipes, isPartOf } from "../../scripts/readme_recipes.ts";

const FIXTURES = "tests/consumers/fixtures";

Deno.test("every recipe of the guides is part of the application that it names", () => {
  const recipes = findRecipes(
    ["frameworks", "testing"].map((name) => Deno.readTextFileSync(`docs/${name}.md`)).join("\n"),
  );
  const wrong = recipes.flatMap(({ code, files }) =>
    files.filter((file) => !isPartOf(code, Deno.readTextFileSync(`${FIXTURES}/${file}`)))
  );

  assertEquals(wrong, []);
  assertEquals([...new Set(recipes.flatMap(({ files }) => files.map((file) => file.split("/")[0])))].sort(), [
    "angular",
    "astro",
    "next_app",
    "nuxt",
    "react_router",
    "sveltekit",
    "vite_react",
    "vite_vue",
    "vitest_happy_dom",
  ]);
});

Deno.test("findRecipes() takes the block that follows the comment", () => {
  const markdown = "<!-- recipe: a/b.ts, c.ts -->\n\n```ts\nlet a;\n```\n\n```ts\nlet b;\n```\n";

  assertEquals(findRecipes(markdown), [{ code: "let a;\n", files: ["a/b.ts", "c.ts"] }]);
});

Deno.test("isPartOf() compares whole lines, indented as a whole", () => {
  const file = "<head>\n  <script>\n    run();\n  </script>\n</head>\n";

  assertEquals(isPartOf("<script>\n  run();\n</script>\n", file), true);
  assertEquals(isPartOf("<script>\nrun();\n</script>\n", file), false);
  assertEquals(isPartOf("run();\n", file), true);
  assertEquals(isPartOf("un();\n", file), false);
  assertEquals(isPartOf("<script>\n  stop();\n", file), false);
});
