/**
 * `deno task contract`: writes the JSON Schemas of the bodies and the OpenAPI document, from the schemas that the
 * ingest checks with. With `--check` it compares them with what is committed.
 *
 * @module
 */
import { buildOpenApi } from "./contract/build_openapi.ts";
import { buildAggregateSchema, buildEventRequestSchema } from "./contract/build_schemas.ts";
import { readPackageSource } from "./npm_package/manifest.ts";

const DIRECTORY = "src/ingest/contract";

const FILES: Readonly<Record<string, unknown>> = {
  "event_request.schema.json": buildEventRequestSchema(),
  "aggregate_pageviews.schema.json": buildAggregateSchema(),
  "openapi.json": buildOpenApi(readPackageSource().version),
};

const isCheck = Deno.args.includes("--check");
const stale: string[] = [];

for (const [name, content] of Object.entries(FILES)) {
  const path = `${DIRECTORY}/${name}`;
  const text = `${JSON.stringify(content, null, 2)}\n`;
  if (!isCheck) await Deno.writeTextFile(path, text);
  else if (await Deno.readTextFile(path) !== text) stale.push(path);
}

if (stale.length > 0) {
  console.error(`Not what the schemas say: ${stale.join(", ")}. Run \`deno task contract\`.`);
  Deno.exit(1);
}
console.log(`${Object.keys(FILES).length} files ${isCheck ? "are what the schemas say" : `written to ${DIRECTORY}`}`);
