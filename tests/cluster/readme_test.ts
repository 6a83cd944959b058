/**
 * What the ingest's README tells to paste.
 *
 * @module
 */
import { assertStringIncludes } from "@std/assert";
import { startIngest } from "./ingest_process.ts";
import { DIRECTORY, testOnce } from "./program.ts";

/** Reads the shell commands of "Quick start": the one that starts it, and those that use it, in order. */
function readCommands(): readonly string[] {
  const readme = Deno.readTextFileSync(new URL("../../src/ingest/README.md", import.meta.url));
  const [, section = ""] = /^## Quick start\n([\s\S]*?)^## /m.exec(readme) ?? [];
  return [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text);
}

testOnce("stores and reports the event of the commands of the ingest's README", async (options) => {
  const [start = "", ...use] = readCommands();
  const [, flags = ""] = /^npx @vendor\/ingest (.+)\n$/.exec(start) ?? [];
  const cwd = await Deno.makeTempDir({ dir: DIRECTORY });
  const ingest = await startIngest([...flags.split(" "), "--sink", `file:${cwd}/events`], options);
  const script = use.join("").replaceAll("http://localhost:8080", ingest.origin);
  const { stdout } = await new Deno.Command("bash", { args: ["-ec", script], cwd }).output();
  await ingest.end();

  const output = new TextDecoder().decode(stdout);
  assertStringIncludes(output, '{"accepted":1,"duplicates":0}');
  const heads =
    "Path|Views with consent|Views before consent|With consent|Visitors|Landings|Exits|Exit rate|Bounce rate|" +
    "Time per view, ms|Views with consent, period before|Views before consent, period before|Visitors, period before";
  const head = heads.split("|").map((name) => `"${name}"`).join(",");
  assertStringIncludes(output, `${head}\r\n"/teas",0,1,0,0,0,0,,,,0,0,0\r\n`);
});
