/**
 * `deno task threads`: writes the program that the ingest runs in threads of their own, as a text. With `--check` it
 * compares it with what is committed.
 *
 * @module
 */
import { bundle } from "./bundle.ts";

const ENTRY = "src/ingest/threads/worker.ts";

const PATH = "src/ingest/threads/program.ts";

const text = bundle({ entry: ENTRY, format: "esm", minify: false }).replace(/[\\`]|\$\{/g, "\\$&");

const module = `/** The program of worker.ts. \`deno task threads\` writes it: change the sources. */
export const PROGRAM: string = \`
${text}\`;
`;

if (!Deno.args.includes("--check")) await Deno.writeTextFile(PATH, module);
else if (await Deno.readTextFile(PATH).catch(() => "") !== module) {
  console.error(`${PATH} isn't what the sources say. Run \`deno task threads\`.`);
  Deno.exit(1);
}
console.log(`${PATH} is what the sources say`);
