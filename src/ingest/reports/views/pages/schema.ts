import type { Schema } from "../../query/parameter.ts";
import { COUNT, otherOf, PAGE_ROWS, PAGE_SUMS, viewOf } from "../../view/schema.ts";

/** Schemas of the view, by their names in the OpenAPI document. */
export const PAGES_SCHEMAS: Readonly<Record<string, Schema>> = {
  PagesView: viewOf("pages", {
    rows: PAGE_ROWS,
    count: COUNT,
    other: otherOf(PAGE_SUMS),
  }),
};
