/**
 * What the README tells to paste.
 *
 * @module
 */
import { assertStringIncludes } from "@std/assert";
import { startIngest } from "./ingest_process.ts";
import { DIRECTORY, testBothWithSqlite } from "./program.ts";

/** Reads the shell commands of "Your own ingest": the one that starts it, and those that use it. */
function readCommands(): readonly [start: string, use: string] {
  const readme = Deno.readTextFileSync(new URL("../../README.md", import.meta.url));
  const [, section = ""] = /^## Your own ingest\n([\s\S]*?)^## /m.exec(readme) ?? [];
  const [start = "", use = ""] = [...section.matchAll(/^```sh\n([\s\S]*?)^```/gm)].map(([, text = ""]) => text);
  return [start, use];
}

testBothWithSqlite("stores and reports the event of the README's commands", async (options) => {
  const [start, use] = readCommands();
  const [, flags = ""] = /^npx @vendor\/ingest (.+)\n$/.exec(start) ?? [];
  const database = `${DIRECTORY}/readme_${crypto.randomUUID()}.db`;
  const args = flags.replace("events.db", database).split(" ");
  const ingest = await startIngest(args, options);
  const script = use.replaceAll("http://localhost:8080", ingest.origin).replaceAll("events.db", database);
  const { stdout } = await new Deno.Command("bash", { args: ["-ec", script] }).output();
  await ingest.end();

  const output = new TextDecoder().decode(stdout);
  assertStringIncludes(output, '{"accepted":1,"duplicates":0}');
  const head = '"path","full","aggregate","consentShare","visitors","entries","exits","bounceRate","engagedMsPerView"';
  assertStringIncludes(output, `${head}\r\n"/teas",0,1,0,0,0,0,,\r\n`);
});
