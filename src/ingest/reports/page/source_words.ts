import type { FilterName, SourceGrouping } from "../../ports/report_query.ts";
import { formatFilterValue } from "./filters.ts";
import { type Html, html } from "./html.ts";
import { buildFilterLink } from "./links.ts";
import { buildRowLink } from "./list.ts";
import type { Linked } from "./page.ts";

/** Builds the link of a source to the sessions from there. */
export function buildSourceLink(page: Linked, by: SourceGrouping, label: string | null): Html {
  const name = toFilterName(by);
  // No filter chooses the sessions that joined midway.
  if (name === "entry" && label === null) return html`${nameSource(by, label)}`;
  return buildRowLink(buildFilterLink(page, { name, values: [label ?? ""] }), nameSource(by, label));
}

/** Names where sessions came from. */
export function nameSource(by: SourceGrouping, label: string | null): string {
  if (label !== null) return formatFilterValue(toFilterName(by), label);
  return by === "landing" ? "joined midway" : `no ${by}`;
}

/** Names the filter that chooses what is grouped by this. */
export function toFilterName(by: SourceGrouping): FilterName {
  return by === "landing" ? "entry" : by;
}
