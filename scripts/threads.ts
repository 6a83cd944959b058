/**
 * `deno task threads`: writes the programs that the ingest runs in threads of their own, as texts. With `--check` it
 * compares them with what is committed.
 *
 * @module
 */
import { bundle } from "./bundle.ts";

interface Program {
  /** The module that the thread runs, relative to the repository. */
  readonly entry: string;
  /** The module that holds its text. */
  readonly path: string;
  /** Its export. */
  readonly name: string;
}

const PROGRAMS: readonly Program[] = [
  {
    entry: "src/ingest/sinks/sqlite/sink_worker.ts",
    path: "src/ingest/sinks/sqlite/sink_program.ts",
    name: "SINK_PROGRAM",
  },
  {
    entry: "src/ingest/reports/reader_worker.ts",
    path: "src/ingest/reports/reader_program.ts",
    name: "READER_PROGRAM",
  },
];

function build({ entry, name }: Program): string {
  const [, file = entry] = /([^/]+)$/.exec(entry) ?? [];
  const text = bundle({ entry, format: "esm", minify: false }).replace(/[\\`]|\$\{/g, "\\$&");
  return `/** The program of ${file}. \`deno task threads\` writes it: change the sources. */
export const ${name}: string = \`
${text}\`;
`;
}

const isCheck = Deno.args.includes("--check");
const stale: string[] = [];

for (const program of PROGRAMS) {
  const text = build(program);
  if (!isCheck) await Deno.writeTextFile(program.path, text);
  else if (await Deno.readTextFile(program.path).catch(() => "") !== text) stale.push(program.path);
}

if (stale.length > 0) {
  console.error(`Not what the sources say: ${stale.join(", ")}. Run \`deno task threads\`.`);
  Deno.exit(1);
}
console.log(`${PROGRAMS.length} programs ${isCheck ? "are what the sources say" : "written"}`);
