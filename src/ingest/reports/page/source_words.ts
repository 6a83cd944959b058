import { MIDWAY_CHANNEL } from "../../events/channels.ts";
import type { FilterName, SourceGrouping } from "../../ports/report_query.ts";
import { formatFilterValue } from "./filters.ts";
import type { Html } from "./html.ts";
import { buildFilterLink } from "./links.ts";
import { buildRowLink } from "./list.ts";
import type { Linked } from "./page.ts";

/** Builds the link of a source to the sessions from there. */
export function buildSourceLink(page: Linked, by: SourceGrouping, label: string | null): Html {
  return buildRowLink(buildFilterLink(page, { name: toFilterName(by), values: [label ?? ""] }), nameSource(by, label));
}

/** Names where sessions came from. */
export function nameSource(by: SourceGrouping, label: string | null): string {
  if (label !== null) return formatFilterValue(toFilterName(by), label);
  return by === "landing" ? MIDWAY_CHANNEL : `no ${by}`;
}

/** Names the filter that chooses what is grouped by this. */
export function toFilterName(by: SourceGrouping): FilterName {
  return by === "landing" ? "entry" : by;
}
