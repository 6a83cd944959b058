import { readMarkdown } from "../../scripts/docs/markdown.ts";
import { prepareApplication } from "./driver/application.ts";
import { runOrThrow } from "./driver/run_or_throw.ts";

/** Guides whose snippets are pasted into applications. */
const GUIDES = [
  "README.md",
  ...["auto", "consent", "consent-platforms", "frameworks", "in-code", "rules", "server", "subdomains"]
    .map((name) => `docs/${name}.md`),
];

/** The templates' own settings, as `npm create` writes them. */
const TEMPLATES = { "create-next-app": "eslint.next.js", "create-vite": "eslint.vite.js" } as const;

/** Writes each block of TypeScript as a file of the application. */
async function writeSnippets(directory: string): Promise<void> {
  await Deno.mkdir(`${directory}/app`, { recursive: true });
  for (const guide of GUIDES) {
    for (const { language, code, line } of readMarkdown(await Deno.readTextFile(guide)).blocks) {
      if (language !== "ts" && language !== "tsx") continue;
      const name = guide.replaceAll(/\W/g, "_");
      await Deno.writeTextFile(`${directory}/app/${name}_${line}.${language}`, code);
    }
  }
}

Deno.test("the snippets of the guides pass the linters of new applications", async (t) => {
  const { directory } = await prepareApplication("snippets");
  await writeSnippets(directory);
  for (const [template, config] of Object.entries(TEMPLATES)) {
    await t.step(template, async () => {
      const args = ["eslint", "--config", config, "app"];
      await runOrThrow("npx", { args, cwd: directory, timeoutMs: 240_000 });
    });
  }
});
