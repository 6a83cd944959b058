import { buildChart } from "./chart.ts";
import { formatDay, formatRange } from "./days.ts";
import { buildDocument } from "./document.ts";
import { type Html, html } from "./html.ts";
import { buildHeader } from "./page_header.ts";
import { buildAllowanceAlone, buildSummary } from "./page_summary.ts";
import { buildDays, buildEvents, buildPaths, buildReferrers } from "./page_tables.ts";
import { TABLES } from "./query.ts";
import { buildLink, formatLabel, formatPath, type View } from "./view.ts";

/** Builds the page of a report. */
export function buildPage(view: View): Html {
  const { site, from, to, report, path } = view;
  const isEmpty = report.totals.events === 0;
  const body = path === undefined ? isEmpty ? buildEmpty(view) : buildWhole(view) : buildOnePath(view, path);
  const title = `Reports: ${site}, ${formatRange(from, to)}`;
  return buildDocument(title, html`${buildHeader(view)}<main id="main">${body}</main>${buildFooter(view)}`);
}

function buildWhole(view: View): Html {
  return html`${buildSummary(view)}
<section class="card"><h2>Pageviews per day</h2>${LEGEND}${buildChart(view.days)}${buildDays(view)}</section>
<div class="columns">${buildPaths(view)}${buildReferrers(view)}${buildEvents(view)}</div>`;
}

function buildOnePath(view: View, path: string): Html {
  const isEmpty = view.days.every(({ total }) => total === 0);
  return html`<section class="card"><h2>Pageviews of <bdi>${formatLabel(formatPath(path))}</bdi> per day</h2>
<p><a href="${buildLink(view)}">All pages</a></p>
${
    isEmpty
      ? html`<p class="empty">No pageviews of this page in these days.</p>`
      : html`${LEGEND}${buildChart(view.days)}${buildDays(view)}`
  }
</section>`;
}

function buildEmpty(view: View): Html {
  return html`
    ${buildAllowanceAlone(view)}<section class="card empty">
      <h2>Nothing in these days</h2>
      <p>There are no events of <bdi>${view.site}</bdi> from ${formatDay(view.from)} to ${formatDay(view.to)}.</p>
      <p
        class="note">Choose other days above, or look whether the site's <code>endpoint</code> and <code>apiKey</code> are the ones of this ingest.</p>
    </section>
  `;
}

function buildFooter(view: View): Html {
  const files = TABLES.map((table) =>
    html`<li><a href="${buildLink(view, { format: "csv", table })}" download>${table}.csv</a></li>`
  );
  return html`
    <footer>
      <nav aria-label="Files">
        <ul class="presets"><li><a href="${buildLink(view, {
          format: "json",
        })}" download>report.json</a></li>${files}</ul>
      </nav>
      <p>A day is a day in UTC, by the clock of the visitor's device. <b>Full</b> pageviews were recorded with consent; <b>aggregate</b> ones before it, without visitor or session. A session is counted once in a range and once in each of its days.</p>
    </footer>
  `;
}

const LEGEND: Html = {
  markup:
    `<p class="legend"><span><svg width="12" height="12" aria-hidden="true"><rect class="full" width="12" height="12" rx="3"/></svg> Full</span><span><svg width="12" height="12" aria-hidden="true"><rect class="aggregate" width="12" height="12" rx="3"/></svg> Aggregate</span></p>`,
};
