import type { Schema } from "../../query/parameter.ts";
import { DAMAGED, listOf, objectOf, SCOPE, TEXT } from "../../view/schema.ts";

const { site: SITE } = SCOPE;

/** Schemas of the view, by their names in the OpenAPI document. */
export const PERSON_SCHEMAS: Readonly<Record<string, Schema>> = {
  PersonView: objectOf({
    view: { const: "person" },
    site: SITE,
    of: { oneOf: [objectOf({ anonymousId: TEXT }), objectOf({ userId: TEXT })] },
    events: listOf({
      type: "object",
      required: ["id", "name", "collection", "timestamp", "receivedAt"],
      description: "An event as it is stored.",
    }),
    eraseCommand: { ...TEXT, description: "Erases what is stored of them under the key." },
  }, DAMAGED),
};
