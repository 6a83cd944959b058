import type { View } from "../../view/view.ts";
import { toOverviewTable } from "./file.ts";
import { type OverviewView, readOverview } from "./object.ts";
import { buildAllowance, buildOverview, describeShift } from "./page.ts";
import { OVERVIEW_SCHEMAS } from "./schema.ts";

export type { OverviewView } from "./object.ts";

/** Visitors, pageviews and sessions, beside the period before. */
export const overview: View<object, OverviewView> = {
  name: "overview",
  title: "Overview",
  description:
    "Counts visitors, pageviews with consent and before it, sessions, bounces and their length, by day, beside the period before.",
  span: "days",
  subject: "site",
  hasBefore: true,
  parameters: {},
  schemas: OVERVIEW_SCHEMAS,
  isEmpty: () => true,
  findTotals: ({ current }) => current,
  describeLead: describeShift,
  buildBelow: ({ allowance }) => buildAllowance(allowance),
  read: readOverview,
  build: buildOverview,
  toTable: toOverviewTable,
};
