/**
 * Page of a site that has sent nothing yet.
 *
 * @module
 */
import { type Html, html } from "./html.ts";
import { buildLink } from "./links.ts";
import type { Page } from "./page.ts";
import { formatSite } from "./words.ts";

/** Most sites with events that are named. */
const MAX_NAMED_SITES = 3;

/** Says which other sites of the key have events, where some have. */
export function buildBusySites(page: Page): Html | undefined {
  const sites = page.busySites.slice(0, MAX_NAMED_SITES);
  if (sites.length === 0) return undefined;
  const links = sites.map((site, index) =>
    html`${index > 0 && ", "}<a href="${buildLink(page, { site, filters: [] })}"><bdi>${formatSite(site)}</bdi></a>`
  );
  return html`<p>There are events of ${links}.</p>`;
}

/** Says how a site sends its first event. */
export function buildStart(page: Page): Html {
  const { apiKey, endpoint, query: { site } } = page;
  if (site === "") return html`<p>Each event that has arrived is of a site.</p>`;
  const lines = [
    'import { Vendor } from "@vendor/sdk";',
    "",
    "Vendor.init({",
    `  apiKey: ${JSON.stringify(apiKey)},`,
    `  endpoint: ${JSON.stringify(endpoint)}, // the address of this ingest`,
    '  trackPageviews: "auto",',
    '  consent: "pending", // or the choice that the visitor made before',
    "});",
  ];
  return html`
    ${buildBusySites(page)}
    <p>No event of this site has arrived yet. A page of <bdi>${site}</bdi> sends its first with:</p>
    <pre tabindex="0" aria-label="Code for the page"><code>${lines.join("\n")}</code></pre>
  `;
}
