import { GOAL_PARAMETERS, listGoal } from "../../query/goal_query.ts";
import { PAGE_COLUMNS } from "../../../ports/reader.ts";
import { listParametersWith } from "../../query/list_query.ts";
import type { View } from "../../view/view.ts";
import { toPagesTable } from "./file.ts";
import { type PagesQuery, type PagesView, readPages } from "./object.ts";
import { buildPages } from "./page.ts";
import { PAGES_SCHEMAS } from "./schema.ts";

export type { PagesView } from "./object.ts";

/** The pages. */
export const pages: View<PagesQuery, PagesView> = {
  name: "pages",
  title: "Pages",
  description:
    "Lists pages, the most viewed first, with visitors, landings, exits, bounce rate and the share with consent, beside the period before.",
  span: "days",
  subject: "site",
  hasBefore: true,
  parameters: { ...listParametersWith(PAGE_COLUMNS), ...GOAL_PARAMETERS },
  listGoals: listGoal,
  columns: PAGE_COLUMNS,
  schemas: PAGES_SCHEMAS,
  isEmpty: ({ rows }) => rows.length === 0,
  read: readPages,
  build: buildPages,
  toTable: toPagesTable,
};
