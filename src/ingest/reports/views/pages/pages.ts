import type { View } from "../../view/view.ts";
import { toPagesTable } from "./file.ts";
import { type PagesView, readPages } from "./object.ts";
import { buildPages } from "./page.ts";
import { PAGES_SCHEMAS } from "./schema.ts";

export type { PagesView } from "./object.ts";

/** The pages. */
export const pages: View<object, PagesView> = {
  name: "pages",
  title: "Pages",
  description:
    "Lists pages, the most viewed first, with visitors, entries, exits, bounce rate and the share with consent.",
  span: "days",
  subject: "site",
  hasBefore: false,
  parameters: {},
  schemas: PAGES_SCHEMAS,
  isEmpty: ({ rows }) => rows.length === 0,
  read: readPages,
  build: buildPages,
  toTable: toPagesTable,
};
