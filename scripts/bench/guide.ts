import { runProcess } from "../support/process.ts";

const GUIDE = "docs/benchmarks.md";

/** Puts a Markdown text into the guide, between `<!-- bench NAME -->` and the next `<!-- end -->`. */
export async function writeSection(name: string, markdown: string): Promise<void> {
  const guide = await Deno.readTextFile(GUIDE);
  const start = `<!-- bench ${name} -->`;
  const from = guide.indexOf(start);
  const to = guide.indexOf("<!-- end -->", from);
  if (from < 0 || to < 0) throw new Error(`${GUIDE} has no ${start} with an end`);
  await Deno.writeTextFile(GUIDE, `${guide.slice(0, from + start.length)}\n\n${markdown.trim()}\n\n${guide.slice(to)}`);
  await runProcess(Deno.execPath(), { args: ["fmt", "--quiet", GUIDE] });
}

/** Returns when and of what commit a figure was measured, as a sentence's end: "on 2026-11-28 at a1b2c3d". */
export async function describeMoment(): Promise<string> {
  const { output } = await runProcess("git", { args: ["describe", "--always", "--dirty"], isQuiet: true });
  return `on ${new Date().toISOString().slice(0, 10)} at ${output.trim()}`;
}
