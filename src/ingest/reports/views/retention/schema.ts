import type { Schema } from "../../query/parameter.ts";
import { COUNT, DAY, listOf, objectOf, TEXT, viewOf } from "../../view/schema.ts";
import { UNITS } from "./query.ts";

/** Schemas of the view, by their names in the OpenAPI document. */
export const RETENTION_SCHEMAS: Readonly<Record<string, Schema>> = {
  RetentionView: viewOf("retention", {
    unit: { enum: UNITS },
    cohorts: listOf(objectOf({ from: DAY, size: COUNT, returned: listOf(COUNT) })),
    isRunning: { type: "boolean", description: "Whether the last period isn't over." },
  }, { event: TEXT }),
};
