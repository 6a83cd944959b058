import type { Html } from "../../page/html.ts";
import { buildFilterLink } from "../../page/links.ts";
import { buildList, buildRowLink, NO_VISITORS } from "../../page/list.ts";
import type { Page } from "../../page/page.ts";
import { formatCount, formatDuration, formatLabel, formatPath, formatRatio } from "../../page/words.ts";
import type { PagesView } from "./object.ts";

/** Builds the list of pages. */
export function buildPages(page: Page, { rows, count, other }: PagesView): Html {
  const hasEngagement = rows.some(({ engagedMsPerView }) => engagedMsPerView !== null);
  return buildList({
    title: "Pages",
    caption:
      "By pageviews; a page leads to its overview. Entries and bounces are of sessions from their first page on.",
    heads: [
      ...["Path", "Views", "Visitors", "With consent", "Entries", "Exits", "Bounce rate"],
      ...(hasEngagement ? ["Time per view"] : []),
    ],
    rows: rows.map(({ path, views, visitors, consentShare, entries, exits, bounceRate, engagedMsPerView }) => ({
      label: buildRowLink(buildFilterLink(page, { name: "page", values: [path] }), formatLabel(formatPath(path))),
      bar: views,
      cells: [
        ...[views.full + views.aggregate, visitors].map(formatCount),
        formatRatio(consentShare),
        ...[entries, exits].map(formatCount),
        formatRatio(bounceRate),
        ...(hasEngagement ? [formatDuration(engagedMsPerView)] : []),
      ],
    })),
    count,
    other: other && [
      formatCount(other.views.full + other.views.aggregate),
      NO_VISITORS,
      formatRatio(other.consentShare),
      ...[other.entries, other.exits].map(formatCount),
      formatRatio(other.bounceRate),
      ...(hasEngagement ? [formatDuration(other.engagedMsPerView)] : []),
    ],
    noun: "pages",
  });
}
