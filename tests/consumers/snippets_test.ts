import { type CodeBlock, readMarkdown } from "../../scripts/docs/markdown.ts";
import { prepareApplication } from "./driver/application.ts";
import { findNode } from "./driver/find_node.ts";
import { runOrThrow } from "./driver/run_or_throw.ts";

/** Guides whose snippets are pasted into applications. */
const GUIDES = [
  "README.md",
  ...["auto", "consent", "consent-platforms", "frameworks", "in-code", "rules", "server", "subdomains"]
    .map((name) => `docs/${name}.md`),
];

/** The templates' own settings, as `npm create` writes them. */
const TEMPLATES = { "create-next-app": "eslint.next.js", "create-vite": "eslint.vite.js" } as const;

/** Applications whose recipes go where they have them; those of other frameworks are built by their own tests. */
const NEXT_RECIPE = /^(?:next_app|ingest_next)\/(.+)$/;

/** What runs where it is started, not where it's imported: a server, a test, a script behind its HTML. */
const ON_ITS_OWN =
  /\bDeno\.|^import .*"(?:@vendor\/ingest|node:|@vendor\/sdk\/testing)|^declare const |document\.querySelector\("#/m;

const LIMIT_MS = 240_000;

interface Snippet extends CodeBlock {
  /** A name that no other snippet has. */
  readonly name: string;
}

async function readSnippets(): Promise<readonly Snippet[]> {
  const guides = await Promise.all(GUIDES.map(async (guide) => {
    const { blocks } = readMarkdown(await Deno.readTextFile(guide));
    return blocks.map((block) => ({ ...block, name: `${guide.replaceAll(/\W/g, "_")}_${block.line}` }));
  }));
  return guides.flat().filter(({ language }) => language === "ts" || language === "tsx");
}

Deno.test("the snippets of the guides pass the linters of new applications", async (t) => {
  const { directory } = await prepareApplication("snippets");
  await Deno.mkdir(`${directory}/app`);
  for (const { name, language, code } of await readSnippets()) {
    await Deno.writeTextFile(`${directory}/app/${name}.${language}`, code);
  }
  for (const [template, config] of Object.entries(TEMPLATES)) {
    await t.step(template, async () => {
      const args = ["eslint", "--config", config, "app"];
      await runOrThrow("npx", { args, cwd: directory, timeoutMs: LIMIT_MS });
    });
  }
});

/** Writes recipes where they say, and each other snippet as a module, with a page or a route that imports it. */
async function writeApplication(directory: string): Promise<void> {
  const write = async (path: string, code: string): Promise<void> => {
    await Deno.mkdir(`${directory}/${path}`.replace(/\/[^/]+$/, ""), { recursive: true });
    await Deno.writeTextFile(`${directory}/${path}`, code);
  };
  for (const { name, language, code, recipe } of await readSnippets()) {
    const paths = recipe.flatMap((file) => NEXT_RECIPE.exec(file)?.[1] ?? []);
    for (const path of paths) await write(path, code);
    if (recipe.length > 0) continue;
    await write(`app/${name}.${language}`, code);
    if (ON_ITS_OWN.test(code)) {
      const answer = `await import("../${name}");\n  return new Response();`;
      await write(`app/${name}/route.ts`, `export async function GET(): Promise<Response> {\n  ${answer}\n}\n`);
    } else {
      const page = "export default function Page() {\n  return null;\n}\n";
      await write(`app/${name}/page.tsx`, `"use client";\nimport "../${name}";\n\n${page}`);
    }
  }
}

Deno.test("the snippets of the guides go through the build of a Next.js application", async () => {
  const { directory } = await prepareApplication("snippets");
  await writeApplication(directory);
  const args = ["node_modules/next/dist/bin/next", "build"];
  const env = { CI: "1", NEXT_TELEMETRY_DISABLED: "1", NODE_ENV: "production" };
  await runOrThrow(await findNode(), { args, cwd: directory, env, timeoutMs: LIMIT_MS });
});
