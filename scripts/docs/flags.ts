import { type Command, type Flag, toVariable } from "../../src/ingest/server/cli/flags.ts";
import { buildTable } from "./table.ts";

/** The guide that tells the flags, all of it generated. */
export const FLAGS_GUIDE = "docs/flags.md";

const INTRODUCTION = `# Flags

<!-- \`deno task generate\` writes this page: change the tables of flags in src/ingest/server/cli. -->

All flags of the program, as \`--help\` of each command shows them. The guides say more: [Ingest](ingest.md),
[ClickHouse](clickhouse.md), [Data](data.md), [Reports](reports.md) and [Operations](operations.md).

A flag is set on the command line, by its variable, or, for the server and \`load\`, in the config file, where
\`--nats-token\` is \`natsToken\`. The command line wins over the environment, and the environment over the file. Several
keys are \`INGEST_KEYS\`, split by spaces, and the list \`keys\` of the file. A flag without a variable is for the command
line alone. Other users of the machine can read a command line: put secrets into the environment or the file.

White space, a byte order mark and quotes around a value are taken off, but not those of an ID, a key or a name of
\`data\` and \`keys\`. A secret within quotes, and a key with several colons, belong in the config file.
`;

const HEAD = ["Flag", "Variable", "Default", "What it sets"];

/** Returns the text of the guide. */
export function buildFlagsGuide(commands: readonly Command[]): string {
  return [INTRODUCTION, ...commands.map(buildSection)].join("\n");
}

function buildSection({ name, usage, flags }: Command): string {
  const [calls = ""] = usage.replace("Usage: ", "").replaceAll(/^ {7}/gm, "").split("\n\n");
  const rows = Object.entries(flags).map(([name, flag]) => buildRow(name, flag));
  const title = `## \`${`vendor-ingest ${name}`.trim()}\`\n\n\`\`\`text\n${calls}\n\`\`\`\n`;
  return rows.length === 0 ? title : `${title}\n${buildTable([HEAD, ...rows])}`;
}

function buildRow(name: string, flag: Flag): readonly string[] {
  // What isn't known before the program runs is said by the help text alone.
  const [, help = flag.help, preset = ""] = /^(.+) \(default: (.+)\)$/.exec(flag.help) ?? [];
  return [
    code(`--${name}${flag.value ? ` ${flag.value}` : ""}`),
    code(toVariable(name, flag)),
    flag.isRequired ? "required" : code(flag.default) || preset,
    (flag.actions ? `${flag.actions.map(code).join(", ")}: ` : "") + help +
    (flag.isRepeatable ? "; may be given several times" : "") + (flag.isSecret ? "; a secret" : ""),
  ];
}

function code(text: string | undefined): string {
  // Of a table, a bar ends the cell, also within code.
  return text === undefined ? "" : `\`${text.replaceAll("|", "\\|")}\``;
}
