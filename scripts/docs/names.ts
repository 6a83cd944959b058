import { readPackageSource } from "../package/manifest.ts";
import { buildTable } from "./table.ts";

/** The guide that tells the public names, all of it generated. */
export const NAMES_GUIDE = "docs/names.md";

const INTRODUCTION = `# Names

<!-- \`deno task generate\` writes this page: change the doc comments in src. -->

All functions, types and values of the package, each with the entry point that has it. What a type has and a function
takes is shown by your editor.
`;

/** What \`deno doc\` says, as far as it's used. */
interface Documentation {
  readonly nodes: Readonly<Record<string, { readonly symbols: readonly Symbol[] }>>;
}

interface Symbol {
  readonly name: string;
  readonly declarations: readonly { readonly jsDoc?: { readonly doc?: string } }[];
}

/** Returns the text of the guide. */
export async function buildNamesGuide(): Promise<string> {
  const { name, exports } = readPackageSource();
  const args = ["doc", "--json", ...Object.values(exports)];
  const { stdout } = await new Deno.Command(Deno.execPath(), { args }).output();
  const { nodes }: Documentation = JSON.parse(new TextDecoder().decode(stdout));
  const sections = Object.entries(exports).map(([subPath, path]) => {
    const [, { symbols } = { symbols: [] }] = Object.entries(nodes).find(([url]) =>
      url.endsWith(`/${path.slice(2)}`)
    ) ?? [];
    const rows = symbols.map(({ name, declarations }) => [`\`${name}\``, toSentence(declarations[0]?.jsDoc?.doc)]);
    return `## \`${name}${subPath.slice(1)}\`\n\n${buildTable([["Name", "What it is"], ...rows])}`;
  });
  return [INTRODUCTION, ...sections].join("\n");
}

/** Returns the first sentence of a doc comment. */
function toSentence(doc = ""): string {
  const [sentence = ""] = /^.+?\.(?=\s|$)/.exec(doc.replaceAll(/\s+/g, " ")) ?? [];
  return sentence.replaceAll(/\{@linkcode ([^}]+)\}/g, "`$1`").replaceAll("|", "\\|");
}
