import type { Schema } from "../../query/parameter.ts";
import { COMPARE, LISTED_PAGES, viewOf } from "../../view/schema.ts";

/** Schemas of the view, by their names in the OpenAPI document. */
export const PAGES_SCHEMAS: Readonly<Record<string, Schema>> = {
  PagesView: viewOf("pages", {
    ...COMPARE,
    ...LISTED_PAGES,
  }),
};
