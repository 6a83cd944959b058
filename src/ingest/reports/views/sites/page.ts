import { type Html, html } from "../../page/html.ts";
import { buildLink } from "../../page/links.ts";
import { buildList, buildRowLink } from "../../page/list.ts";
import type { Page } from "../../page/page.ts";
import { formatCount, formatRatio, formatSite, nameBeside, nameThen } from "../../page/words.ts";
import type { SiteCounts, SitesView } from "./object.ts";

/** Builds the table of all sites. */
export function buildSites(page: Page, { compare, rows, count }: SitesView): Html {
  const then = nameThen(page.query);
  return buildList({
    title: "All sites",
    caption: `By pageviews; a site leads to its overview. Below each figure stands the one ${
      compare === "before" ? "of the period before" : `of ${nameBeside(page.query)}`
    }`,
    heads: ["Site", "Visitors", "Views", "Sessions", "With consent"],
    rows: rows.map(({ site, before, ...current }) => {
      const cellsBefore = listFigures(before);
      return {
        label: buildRowLink(buildLink(page, { view: "overview", site }), formatSite(site)),
        bar: current.pageviews,
        cells: listFigures(current).map((figure, index) =>
          html`${figure}<br><span class="note">${cellsBefore[index]}<span class="unseen"> ${then}</span></span>`
        ),
      };
    }),
    count,
    noun: "sites",
    none: "No event of any site has arrived yet.",
  });
}

function listFigures(
  { visitors, pageviews: { full, aggregate }, sessions, consentShare }: SiteCounts,
): readonly string[] {
  return [...[visitors, full + aggregate, sessions].map(formatCount), formatRatio(consentShare)];
}
