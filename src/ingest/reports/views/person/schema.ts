import { type ColumnType, SENT_COLUMNS } from "../../../events/columns.ts";
import type { Schema } from "../../query/parameter.ts";
import { DAMAGED, listOf, objectOf, SCOPE, TEXT } from "../../view/schema.ts";

const { site: SITE } = SCOPE;

const INTEGER: Schema = { type: "integer" };

const TYPES: Readonly<Record<ColumnType, Schema>> = {
  text: TEXT,
  label: TEXT,
  time: { type: "string", format: "date-time" },
  number: { type: "number" },
  json: { type: "object" },
  long: INTEGER,
  int: INTEGER,
  boolean: { type: "boolean" },
};

/** Builds the schema of a stored event, or of a part of one, of the columns that hold its fields. */
function buildEventSchema(required: readonly string[], { part = "", more = {} }: {
  readonly part?: string;
  readonly more?: Schema;
} = {}): Schema {
  const fields = SENT_COLUMNS.flatMap(({ type, field = "", about, isNullable = false }) => {
    const name = field.slice(part.length);
    if (name === "" || !field.startsWith(part) || name.includes(".")) return [];
    const nullable = isNullable && required.includes(name);
    const schema = nullable ? { type: [TYPES[type]["type"], "null"] } : TYPES[type];
    return [[name, { ...schema, description: about }]];
  });
  return {
    type: "object",
    properties: { ...Object.fromEntries(fields), ...more },
    required,
    additionalProperties: false,
  };
}

/** Schemas of the view, by their names in the OpenAPI document. */
export const PERSON_SCHEMAS: Readonly<Record<string, Schema>> = {
  PersonView: objectOf({
    view: { const: "person" },
    site: SITE,
    of: { oneOf: [objectOf({ anonymousId: TEXT }), objectOf({ userId: TEXT })] },
    events: listOf({
      ...buildEventSchema(["id", "name", "collection", "timestamp", "receivedAt"], {
        more: {
          identity: buildEventSchema(["userId"], { part: "identity." }),
          context: buildEventSchema(["sdkName", "sdkVersion"], { part: "context.", more: { sdkName: TEXT } }),
          dimensions: buildEventSchema([], { part: "dimensions." }),
          site: { ...TEXT, description: "the key's only site where the event names no page" },
        },
      }),
      description: "An event as it is stored.",
    }),
    eraseCommand: { ...TEXT, description: "Erases what is stored of them under the key." },
  }, DAMAGED),
};
