/**
 * The page around a view.
 *
 * @module
 */
import { keepsAggregates } from "../../ports/report_query.ts";
import { addDays, countDays, formatDay, formatRange } from "../query/days.ts";
import { buildDocument } from "./document.ts";
import { buildFilters } from "./filters.ts";
import { buildFooter } from "./footer.ts";
import { buildHeader } from "./header.ts";
import { type Html, html } from "./html.ts";
import { buildLink } from "./links.ts";
import type { Page } from "./page.ts";
import { buildStart } from "./start.ts";
import { formatSite, LEFT_OUT } from "./words.ts";

/** The parts that a view gives to its page. */
export interface PageContent {
  /** Its part of the page; undefined where there is nothing in the days. */
  readonly body: Html | undefined;
  /** The part below it, or below the note that there is nothing. */
  readonly below: Html | undefined;
  /** Says what can't be read; undefined where all can. */
  readonly damage: string | undefined;
  /** A remark on the share with consent. */
  readonly lead: string | undefined;
  /** The time that it is of, where that isn't the days. */
  readonly span: string | undefined;
}

/** Builds the page of a report. */
export function buildPage(page: Page, { body, below, damage, lead, span }: PageContent): Html {
  const { query: { site, from, to }, section } = page;
  const title = [
    section.subject === "sites" ? section.title : `${section.title}: ${site || formatSite(site)}`,
    ...section.span === "days" ? [formatRange(from, to)] : [],
  ].join(", ");
  const content = html`${damage !== undefined && html`<p class="lead"><strong>${damage}</strong></p>`}${
    body === undefined ? buildEmpty(page, below) : html`${buildLead(page, lead)}${body}${below}`
  }`;
  return buildDocument(
    title,
    html`${buildHeader(page, span ?? formatRange(from, to))}<main id="main">${
      section.subject !== "person" && buildFilters(page)
    }${content}</main>${buildFooter(page)}`,
  );
}

/** Says whose figures they are. */
function buildLead({ query, totals }: Page, lead: string | undefined): Html | undefined {
  if (totals === undefined) return undefined;
  const { full, aggregate } = totals.pageviews;
  if (!keepsAggregates(query.filters)) {
    return html`<p class="lead">Views before consent are left out: these filters can't choose among them.</p>`;
  }
  // Of crawlers and own visits it says nothing about a site that they all are with consent.
  if (full + aggregate === 0 || (aggregate === 0 && query.traffic !== "people")) return undefined;
  if (aggregate === 0) {
    return html`
      <p
        class="lead">All views below are with consent. Views before it are counted with <code>trackPageviews: "auto"</code>.</p>
    `;
  }
  return html`
    <p
      class="lead">${describeShare(full, aggregate)} Visitors, sessions and what they do are theirs alone.${lead}</p>
  `;
}

/** Says the share of those who agreed, of a hundred views: a shopkeeper reads it once. */
function describeShare(full: number, aggregate: number): string {
  const share = Math.round(100 * full / (full + aggregate));
  if (full === 0) return "No page view comes from somebody who agreed.";
  if (share === 0) return "Fewer than 1 of 100 page views comes from somebody who agreed.";
  if (share === 100) return "Nearly all page views come from people who agreed.";
  return `Of 100 page views, ${share} ${share === 1 ? "comes from somebody" : "come from people"} who agreed.`;
}

function buildEmpty(page: Page, below: Html | undefined): Html {
  const { query: { site, from, to, filters, traffic }, lastDay } = page;
  const isLeftOut = lastDay !== undefined && from <= lastDay && lastDay <= to;
  const what = filters.length > 0
    ? html`<p>Nothing of <bdi>${site}</bdi> from ${formatDay(from)} to ${formatDay(to)} fits these filters.</p>
<p><a href="${buildLink(page, { filters: [] })}">Remove all filters</a></p>`
    : traffic !== "people"
    ? html`<p>There are no ${LEFT_OUT[traffic]} of <bdi>${site}</bdi> from ${formatDay(from)} to ${formatDay(to)}.</p>`
    : isLeftOut
    ? buildWayToFlagged(page)
    : lastDay === undefined
    ? buildStart(page)
    : html`<p>There are no events of <bdi>${site || "no site"}</bdi> from ${formatDay(from)} to ${formatDay(to)}.</p>
${buildWayToLast(page, lastDay)}`;
  return html`
    <section class="card empty">
      <h2>Nothing in these days</h2>
      ${what}
    </section>
    ${below}
  `;
}

/** Leads to what there is in the days, and no figure of people counts. */
function buildWayToFlagged(page: Page): Html {
  const link = (traffic: keyof typeof LEFT_OUT): Html =>
    html`<a href="${buildLink(page, { traffic })}">${LEFT_OUT[traffic]}</a>`;
  return html`<p>What there is in these days is of ${link("bots")} or ${link("own")}, which are left out.</p>`;
}

/** Leads to as many days that end with the newest event. */
function buildWayToLast(page: Page, lastDay: string): Html {
  const { from, to } = page.query;
  const link = buildLink(page, { from: addDays(lastDay, 1 - countDays(from, to)), to: lastDay });
  return html`<p>Its newest event is from <a href="${link}">${formatDay(lastDay)}</a>.</p>`;
}
