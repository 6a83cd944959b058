/** Where a build takes the key from, as a row of the table in docs/frameworks.md has it. */
export interface KeySource {
  /** The variable of the environment. */
  readonly variable: string;
  /** What the row says beside it, such as a flag of the build; empty without. */
  readonly setting: string;
  /** What stands in place of the key. */
  readonly expression: string;
  /** What stands at the top of the file; empty without. */
  readonly top: string;
}

/** Returns the row of a framework or bundler. */
export function readKeySource(name: string): KeySource {
  const guide = Deno.readTextFileSync(new URL("../../../docs/frameworks.md", import.meta.url));
  const rows = guide.slice(guide.indexOf("## The key from the environment")).split("\n").map((line) =>
    line.split(" | ")
  );
  const row = rows.find(([names = ""]) => names.replace("|", "").trim().split(", ").includes(name));
  const [[variable = "", setting = ""] = [], [expression = "", top = ""] = []] = (row ?? []).slice(1).map(readCode);
  if (!expression) throw new Error(`no row for ${name} in docs/frameworks.md`);
  return { variable, setting, expression, top };
}

function readCode(cell: string): readonly string[] {
  return [...cell.matchAll(/`(.+?)`/g)].map(([, code = ""]) => code);
}
