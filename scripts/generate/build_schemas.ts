import { type JsonSchema, toJsonSchemaDefs } from "@valibot/to-json-schema";
import {
  AGGREGATE_BODY,
  AGGREGATE_CONTEXT,
  AGGREGATE_PAGEVIEW,
  FORBIDDEN_NAMES,
} from "../../src/ingest/contract/aggregate_body.ts";
import { CONTEXT, FULL_BODY, IDENTITY, STEP_EVENT } from "../../src/ingest/contract/full_body.ts";
import { RECORD } from "../../src/ingest/contract/values.ts";

/** Schemas by the name of what they describe. */
export type Definitions = Readonly<Record<string, JsonSchema>>;

const FULL_PARTS = { Identity: IDENTITY, EventContext: CONTEXT, StepEvent: STEP_EVENT };

const AGGREGATE_PARTS = { AggregateContext: AGGREGATE_CONTEXT, AggregatePageview: AGGREGATE_PAGEVIEW };

/** Descends into every value: an aggregate body holds nothing personal anywhere, unknown fields included. */
const ANONYMOUS: JsonSchema = {
  description: "A value that holds no identity and no session, at any depth.",
  properties: Object.fromEntries(FORBIDDEN_NAMES.map((name) => [name, false])),
  additionalProperties: { $ref: "#/$defs/Anonymous" },
  items: { $ref: "#/$defs/Anonymous" },
};

/** Builds the schemas of both bodies and their parts, which refer to each other as `#/$defs/…`. */
export function buildDefinitions(): Definitions {
  const bodies = { EventRequestPayload: FULL_BODY, AggregatePageviewPayload: AGGREGATE_BODY };
  const definitions = toJsonSchemaDefs({ ...FULL_PARTS, ...AGGREGATE_PARTS, ...bodies }, {
    target: "draft-2020-12",
    // What comes before the last schema of a pipe says that an array is no object: JSON Schema knows that.
    typeMode: "output",
    // Each check that JSON Schema has words for has them in the metadata beside it.
    ignoreActions: ["check", "finite", "transform"],
    overrideSchema: ({ valibotSchema }) => valibotSchema === RECORD ? { type: "object" } : undefined,
  });
  return { ...definitions, Anonymous: ANONYMOUS };
}

/** Builds the schema of a full body, to stand alone. */
export function buildEventRequestSchema(): JsonSchema {
  return standAlone("EventRequestPayload", Object.keys(FULL_PARTS));
}

/** Builds the schema of an aggregate body, to stand alone. */
export function buildAggregateSchema(): JsonSchema {
  return standAlone("AggregatePageviewPayload", [...Object.keys(AGGREGATE_PARTS), "Anonymous"]);
}

function standAlone(title: string, parts: readonly string[]): JsonSchema {
  const definitions = buildDefinitions();
  const { $schema: _, ...body } = definitions[title] ?? {};
  const used = Object.entries(definitions).filter(([name]) => parts.includes(name));
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title,
    ...body,
    $defs: Object.fromEntries(used),
  };
}
