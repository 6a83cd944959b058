import { formatClock } from "../../query/zones.ts";
import { toPartTable } from "../../view/part_table.ts";
import type { View } from "../../view/view.ts";
import { isQuiet, type LiveView, readLive } from "./object.ts";
import { buildLive } from "./page.ts";
import { LIVE_PARAMETERS, type LiveQuery } from "./query.ts";
import { LIVE_SCHEMAS } from "./schema.ts";

export type { LiveView } from "./object.ts";

/** The last 30 minutes. */
export const live: View<LiveQuery, LiveView> = {
  name: "live",
  title: "Live",
  description: "Counts the last 30 minutes: pages, sources and steps.",
  span: "minutes",
  subject: "site",
  hasBefore: false,
  parameters: LIVE_PARAMETERS,
  schemas: LIVE_SCHEMAS,
  isQuiet,
  nameSpan: ({ query: { zone } }, { current }) =>
    `The last 30 minutes, until ${formatClock(zone, Date.parse(current.end))}`,
  read: readLive,
  build: buildLive,
  toTable: toPartTable,
};
