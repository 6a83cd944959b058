import { formatWeekday } from "./days.ts";
import { type Html, html } from "./html.ts";
import type { PageviewCounts } from "./report.ts";
import { buildLink, formatCount, formatLabel, formatOrigin, formatPath, type View } from "./view.ts";

/** Builds the table of pages. */
export function buildPaths(view: View): Html {
  const { paths, totals } = view.report;
  return buildCard(
    { title: "Pages", shown: paths.length, all: totals.paths, noun: "pages" },
    html`
      <table>
        <caption>Pageviews by path</caption>
        <thead>
          <tr><th scope="col">Path</th>${COUNT_HEADS}</tr>
        </thead>
        <tbody>${paths.map((row) => {
          const link = html`<a href="${buildLink(view, { path: row.path })}"><bdi>${
            formatLabel(formatPath(row.path))
          }</bdi></a>`;
          return html`<tr>${buildLabel(link, row, paths[0])}${buildCounts(row)}</tr>`;
        })}</tbody>
      </table>
    `,
  );
}

/** Builds the table of referrers. */
export function buildReferrers({ report: { referrers, totals } }: View): Html {
  return buildCard(
    { title: "Referrers", shown: referrers.length, all: totals.referrers, noun: "referrers" },
    html`
      <table>
        <caption>Pageviews that came from elsewhere, by the origin they came from</caption>
        <thead>
          <tr><th scope="col">Referrer</th>${COUNT_HEADS}</tr>
        </thead>
        <tbody>${referrers.map((row) => {
          const label = row.referrer === null
            ? html`<i>none named</i>`
            : html`<bdi>${formatOrigin(row.referrer)}</bdi>`;
          return html`<tr>${buildLabel(label, row, referrers[0])}${buildCounts(row)}</tr>`;
        })}</tbody>
      </table>
    `,
  );
}

/** Builds the table of event names. */
export function buildEvents({ report: { events, totals } }: View): Html {
  const counts = events.map(({ count }) => ({ full: count, aggregate: 0, total: count }));
  return buildCard(
    { title: "Events", shown: events.length, all: totals.names, noun: "names" },
    html`
      <table>
        <caption>Events by name</caption>
        <thead>
          <tr>
            <th scope="col">Name</th>
            <th scope="col">Events</th>
          </tr>
        </thead>
        <tbody>${events.map(({ name, count }, index) => {
          const row = counts[index] ?? { full: count, aggregate: 0, total: count };
          return html`<tr>${buildLabel(html`<bdi>${formatLabel(name)}</bdi>`, row, counts[0])}<td>${
            formatCount(count)
          }</td></tr>`;
        })}</tbody>
      </table>
    `,
  );
}

/** Builds the table of days, folded away: the chart's figures for those who can't see or hover it. */
export function buildDays({ days, path }: View): Html {
  const hasSessions = path === undefined;
  return html`
    <details>
      <summary>Figures per day</summary>
      <table class="days">
        <caption>Pageviews by UTC day</caption>
        <thead>
          <tr><th scope="col">Day</th>${COUNT_HEADS}${hasSessions && html`<th scope="col">Sessions</th>`}</tr>
        </thead>
        <tbody>${days.map((row) =>
          html`<tr><th scope="row">${formatWeekday(row.day)}</th>${buildCounts(row)}${
            hasSessions && html`<td>${formatCount(row.sessions)}</td>`
          }</tr>`
        )}</tbody>
      </table>
    </details>
  `;
}

const COUNT_HEADS: Html = {
  markup: `<th scope="col">All</th><th scope="col">Full</th><th scope="col"><abbr title="Aggregate">Aggr.</abbr></th>`,
};

interface Card {
  readonly title: string;
  readonly shown: number;
  readonly all: number;
  readonly noun: string;
}

function buildCard({ title, shown, all, noun }: Card, table: Html): Html {
  if (shown === 0) {
    return html`
      <section class="card">
        <h2>${title}</h2>
        <p class="note">None in these days.</p>
      </section>
    `;
  }
  const rest = shown < all &&
    html`<p class="note">${shown} of ${formatCount(all)} ${noun}; the files below have all.</p>`;
  return html`<section class="card"><h2>${title}</h2>${table}${rest}</section>`;
}

function buildCounts({ full, aggregate, total }: PageviewCounts): Html {
  return html`
    <td>${formatCount(total)}</td>
    <td>${formatCount(full)}</td>
    <td>${formatCount(aggregate)}</td>
  `;
}

/** A row's name above a bar that is as long as its share of the first row. */
function buildLabel(label: Html, row: PageviewCounts, first: PageviewCounts | undefined): Html {
  const most = Math.max(1, first?.total ?? 0);
  const full = (row.full / most * 100).toFixed(1);
  const aggregate = (row.aggregate / most * 100).toFixed(1);
  return html`
    <th
      scope="row"><span class="label">${label}</span><svg class="share" aria-hidden="true" width="100%" height="4"><rect class="full" width="${full}%" height="4"/><rect class="aggregate" x="${full}%" width="${aggregate}%" height="4"/></svg></th>
  `;
}
