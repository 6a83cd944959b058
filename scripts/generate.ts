/**
 * `deno task generate`: writes what is made from the sources and committed: the JSON Schemas and the OpenAPI document of
 * the ingest's contract, and the programs that it runs in threads of their own, as texts. With `--check` it compares.
 *
 * @module
 */
import { bundle } from "./bundle.ts";
import { buildOpenApi } from "./contract/build_openapi.ts";
import { buildAggregateSchema, buildEventRequestSchema } from "./contract/build_schemas.ts";
import { readPackageSource } from "./npm_package/manifest.ts";

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

const CONTRACT = "src/ingest/contract";

function buildProgram({ entry, name }: Program): string {
  const [, file = entry] = /([^/]+)$/.exec(entry) ?? [];
  const text = bundle({ entry, format: "esm", minify: false }).replace(/[\\`]|\$\{/g, "\\$&");
  return `/** The program of ${file}. \`deno task generate\` writes it: change the sources. */
export const ${name}: string = \`
${text}\`;
`;
}

function toJson(content: unknown): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

const files: ReadonlyMap<string, string> = new Map([
  [`${CONTRACT}/event_request.schema.json`, toJson(buildEventRequestSchema())],
  [`${CONTRACT}/aggregate_pageviews.schema.json`, toJson(buildAggregateSchema())],
  [`${CONTRACT}/openapi.json`, toJson(buildOpenApi(readPackageSource().version))],
  ...PROGRAMS.map((program) => [program.path, buildProgram(program)] as const),
]);
const isCheck = Deno.args.includes("--check");
const stale = [...files].filter(([path, text]) => readText(path) !== text);

if (!isCheck) stale.forEach(([path, text]) => Deno.writeTextFileSync(path, text));
else if (stale.length > 0) {
  console.error(`Not what the sources say: ${stale.map(([path]) => path).join(", ")}. Run \`deno task generate\`.`);
  Deno.exit(1);
}
console.log(
  isCheck ? `${files.size} files are what the sources say` : `${stale.length} of ${files.size} files written`,
);

function readText(path: string): string {
  try {
    return Deno.readTextFileSync(path);
  } catch {
    return ""; // not written yet
  }
}
