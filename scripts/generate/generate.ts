/**
 * `deno task generate`: writes what is made from the sources and committed: the JSON Schemas and the OpenAPI document of
 * the ingest's contract, the guide to the flags, the list for language models, and what other guides repeat of the sources: the loader, the version,
 * limits, sizes, and the tables of columns, filters and figures. With `--check` it compares.
 *
 * @module
 */
import { buildOpenApi } from "./build_openapi.ts";
import { buildAggregateSchema, buildEventRequestSchema } from "./build_schemas.ts";
import { COMMANDS } from "../../src/ingest/server/cli/run.ts";
import { buildFlagsGuide, FLAGS_GUIDE } from "../docs/flags.ts";
import { listDocuments } from "../docs/documents.ts";
import { updateFigures } from "../docs/figures.ts";
import { buildLlms, LLMS_FILE } from "../docs/llms.ts";
import { SCRIPT_TAG_GUIDE, updateScriptTags } from "../docs/script_tags.ts";
import { updateSourceTables } from "../docs/source_tables.ts";
import { SDK } from "../package/packages.ts";

const CONTRACT = "src/ingest/contract/generated";

function toJson(content: unknown): string {
  return `${JSON.stringify(content, null, 2)}\n`;
}

/** Returns a document with what it repeats of the sources. */
function updateDocument(path: string): string {
  const text = updateSourceTables(path, updateFigures(Deno.readTextFileSync(path)));
  return path === SCRIPT_TAG_GUIDE ? updateScriptTags(text) : text;
}

const FILES: Readonly<Record<string, string>> = {
  [`${CONTRACT}/event_request.schema.json`]: toJson(buildEventRequestSchema()),
  [`${CONTRACT}/aggregate_pageviews.schema.json`]: toJson(buildAggregateSchema()),
  [`${CONTRACT}/openapi.json`]: toJson(buildOpenApi(SDK.source.version)),
  [FLAGS_GUIDE]: buildFlagsGuide(COMMANDS),
  [LLMS_FILE]: buildLlms(Deno.readTextFileSync("docs/README.md")),
  ...Object.fromEntries(
    listDocuments().filter((path) => path !== FLAGS_GUIDE).map((path) => [path, updateDocument(path)]),
  ),
};

const count = Object.keys(FILES).length;
const stale = Object.entries(FILES).filter(([path, text]) => Deno.readTextFileSync(path) !== text);
if (!Deno.args.includes("--check")) {
  for (const [path, text] of stale) Deno.writeTextFileSync(path, text);
  console.log(`${stale.length} of ${count} files written`);
} else if (stale.length === 0) {
  console.log(`${count} files are what the sources say`);
} else {
  console.error(`Not what the sources say: ${stale.map(([path]) => path).join(", ")}. Run \`deno task generate\`.`);
  Deno.exit(1);
}
