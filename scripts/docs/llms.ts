import { SDK } from "../package/packages.ts";

/** The list of guides for language models, all of it generated (https://llmstxt.org). */
export const LLMS_FILE = "docs/llms.txt";

const ROW = /^\| \[(?<title>[^\]]+)\]\((?<path>[^)]+)\) +\| (?<about>.*?) +\|$/;

/** Builds the list from the tables of the guides' README. Its links are relative, as the guides lie beside it. */
export function buildLlms(guides: string): string {
  const lines = guides.split("\n").flatMap((line) => {
    const { title, path, about } = ROW.exec(line)?.groups ?? {};
    if (title !== undefined) return [`- [${title}](${path}): ${about}`];
    return line.startsWith("## ") ? ["", line, ""] : [];
  });
  const start =
    "Start with [For agents](agents.md), which sets the SDK up step by step, and the [README](../README.md).";
  return [`# ${SDK.source.name}`, "", `> ${SDK.source.description}`, "", start, ...lines, ""].join("\n");
}
