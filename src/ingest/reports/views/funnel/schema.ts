import type { Schema } from "../../query/parameter.ts";
import { COUNT, listOf, objectOf, RATIO, SHARE, TEXT, viewOf } from "../../view/schema.ts";
import { ORDERS, WITHINS } from "./query.ts";

/** Schemas of the view, by their names in the OpenAPI document. */
export const FUNNEL_SCHEMAS: Readonly<Record<string, Schema>> = {
  FunnelView: viewOf("funnel", {
    within: { enum: WITHINS },
    order: { enum: ORDERS },
    stages: listOf(objectOf({
      stage: { ...TEXT, description: "As in the query." },
      visitors: COUNT,
      share: { ...SHARE, description: "Of those who passed the first stage; null without any." },
      medianMs: {
        ...RATIO,
        description: "Since the stage before; null for the first, and where nobody came that far.",
      },
    })),
  }),
};
