import type { ViolationKind } from "../../plan/plan_check.ts";
import { buildChart } from "./chart.ts";
import { addDays, countDays, formatDay, formatMonth, formatRange, formatWeekday } from "./days.ts";
import { buildDocument } from "./document.ts";
import { type Html, html } from "./html.ts";
import { TABLES } from "./query.ts";
import {
  buildLink,
  formatChange,
  formatCount,
  formatCountOf,
  formatLabel,
  formatOrigin,
  formatPath,
  formatShare,
  type View,
} from "./view.ts";
import { countSteps } from "./summary.ts";
import { PAGEVIEW_NAME } from "../events/stored_event.ts";
import type { AllowanceUse, PageviewCounts, ReportTotals } from "../ports/reader.ts";

/** Most rows of each list. */
export const PAGE_ROWS = 10;

const PRESETS = [
  { days: 7, label: "7 days" },
  { days: 30, label: "30 days" },
  { days: 90, label: "90 days" },
  { days: 365, label: "12 months" },
] as const;

const LEGEND: Html = {
  markup:
    `<p class="legend"><span><svg width="12" height="12" aria-hidden="true"><rect class="full" width="12" height="12" rx="3"/></svg> With consent</span><span><svg width="12" height="12" aria-hidden="true"><rect class="aggregate" width="12" height="12" rx="3"/></svg> Before consent</span></p>`,
};

const VIEW_HEADS: Html = { markup: `<th scope="col">Views</th><th scope="col">With consent</th>` };

/** Builds the page of a report. */
export function buildPage(view: View): Html {
  const { site, from, to, report, path } = view;
  const isEmpty = report.totals.events === 0;
  const body = path === undefined ? isEmpty ? buildEmpty(view) : buildWhole(view) : buildOnePath(view, path);
  const title = `Reports: ${site}, ${formatRange(from, to)}`;
  return buildDocument(title, html`${buildHeader(view)}<main id="main">${body}</main>${buildFooter(view)}`);
}

function buildWhole(view: View): Html {
  return html`${buildLead(view.report.totals)}${buildSummary(view)}
<section class="card"><h2>Pageviews per day</h2>${LEGEND}${buildChart(view.days)}${buildDays(view)}</section>
<div class="columns">${buildPaths(view)}${buildReferrers(view)}${buildSteps(view)}${
    view.report.violations.length > 0 && buildViolations(view)
  }</div>`;
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
      ${view.lastDay === undefined ? buildStart(view) : buildWayToLast(view, view.lastDay)}
    </section>
  `;
}

/** Leads to as many days that end with the newest event. */
function buildWayToLast(view: View, lastDay: string): Html {
  const from = addDays(lastDay, 1 - countDays(view.from, view.to));
  return html`<p>Its newest event is of <a href="${buildLink(view, { from, to: lastDay })}">${
    formatDay(lastDay)
  }</a>.</p>`;
}

/** Says how a site sends its first event. */
function buildStart({ apiKey, site }: View): Html {
  const lines = [
    'import { Vendor } from "@vendor/sdk";',
    "",
    "Vendor.init({",
    `  apiKey: ${JSON.stringify(apiKey)},`,
    '  endpoint: "https://ingest.example.com/v1/events", // the address of this ingest',
    '  trackPageviews: "auto",',
    '  consent: "pending", // or the choice that the visitor made before',
    "});",
  ];
  return html`
    <p>No event of this site has arrived yet. A page of <bdi>${site}</bdi> sends its first with:</p>
    <pre tabindex="0" aria-label="Code for the page"><code>${lines.join("\n")}</code></pre>
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
      <p>A day is a day in UTC, by the clock of the visitor's device. Views <b>with consent</b> belong to a visitor and a session; views <b>before consent</b> are counted without either. A visitor is counted once in a range: those of two ranges don't add up. A session is counted once in a range and once in each of its days. In the files, <code>full</code> is with consent, <code>aggregate</code> before it, and <code>events</code> has pageviews and steps.</p>
    </footer>
  `;
}

/** Builds the top of the page: the site, its days, and the choice of others. */
function buildHeader(view: View): Html {
  const { site, from, to, path } = view;
  return html`
    <header>
      <p class="kicker">Reports</p>
      <h1><bdi>${formatOrigin(site)}</bdi></h1>
      <p class="range">${formatRange(from, to)}<span class="note"> · days in UTC</span></p>
      <form method="get" aria-label="Site and days">
    ${buildSiteField(view)}
    <label>From <input type="date" name="from" value="${from}" required></label>
    <label>To <input type="date" name="to" value="${to}" required></label>
    ${path !== undefined && html`<input type="hidden" name="path" value="${path}">`}
    <button type="submit">Show</button>
      </form>
      <nav aria-label="Ranges">
        <ul class="presets">
    ${PRESETS.map((preset) => buildPreset(preset, view))}
    ${buildStep("Earlier", view, -countDays(from, to))}
    ${to < view.today && buildStep("Later", view, countDays(from, to))}
        </ul>
      </nav>
    </header>
  `;
}

function buildSiteField({ site, sites }: View): Html {
  if (sites.length < 2) return html`<input type="hidden" name="site" value="${site}">`;
  const options = sites.map((one) =>
    html`
      <option value="${one}" ${one === site && html`
        selected
      `}>${one}</option>
    `
  );
  return html`<label class="site">Site <select name="site">${options}</select></label>`;
}

function buildPreset({ days, label }: typeof PRESETS[number], view: View): Html {
  const range = { from: addDays(view.today, 1 - days), to: view.today };
  const isCurrent = range.from === view.from && range.to === view.to;
  return buildRangeLink(view, { label, isCurrent, ...range });
}

function buildStep(label: string, view: View, days: number): Html {
  return buildRangeLink(view, { label, isCurrent: false, from: addDays(view.from, days), to: addDays(view.to, days) });
}

interface RangeLink {
  readonly label: string;
  readonly isCurrent: boolean;
  readonly from: string;
  readonly to: string;
}

function buildRangeLink(view: View, { label, isCurrent, from, to }: RangeLink): Html {
  const link = buildLink(view, { from, to, ...(view.path !== undefined && { path: view.path }) });
  return html`<li><a href="${link}"${
    isCurrent && html`
      aria-current="true"
    `
  }>${label}</a></li>`;
}

/** Says whom the figures are of. */
function buildLead({ pageviews: { full, aggregate, total } }: ReportTotals): Html | undefined {
  if (total === 0) return undefined;
  if (aggregate === 0) {
    return html`<p class="lead">All views are with consent. Views before it are counted with <code>trackPageviews: "auto"</code>.</p>`;
  }
  return html`<p class="lead">The visitors, sessions and steps below are of the ${
    formatShare(full, total)
  } of views with consent.</p>`;
}

/** Builds the figures at the top, each beside the period before. */
function buildSummary(view: View): Html {
  const { report: { totals }, before, allowance } = view;
  const { pageviews: { full, aggregate, total }, visitors, users, sessions } = totals;
  const days = countDays(view.from, view.to);
  const period = days === 1 ? "the day before" : `the ${days} days before`;
  const compare = (count: number, earlier: number): string => {
    const change = formatChange(count, earlier);
    return `${earlier === 0 ? "none" : formatCount(earlier)} in ${period}${change && `, ${change}`}`;
  };
  return html`<dl class="figures">
<div><dt>Visitors</dt><dd>${formatCount(visitors)}</dd>
<dd class="note">${compare(visitors, before.visitors)}${
    users > 0 && html`; ${formatCountOf(users, "user")} signed in`
  }</dd></div>
<div><dt>Pageviews</dt><dd>${formatCount(total)}</dd>
<dd class="note">${compare(total, before.pageviews.total)}</dd></div>
<div><dt>With consent</dt><dd>${total === 0 ? "–" : formatShare(full, total)}</dd>
<dd class="note">${formatCountOf(full, "view")} with consent, ${formatCount(aggregate)} before it</dd></div>
<div><dt>Sessions</dt><dd>${formatCount(sessions)}</dd>
<dd class="note">${compare(sessions, before.sessions)}</dd></div>
<div><dt>Steps</dt><dd>${formatCount(countSteps(totals))}</dd>
<dd class="note">${compare(countSteps(totals), countSteps(before))}</dd></div>
${buildAllowance(allowance)}
</dl>`;
}

/** Builds the figures of a report without events: the allowance is the key's, and other sites may use it. */
function buildAllowanceAlone({ allowance }: View): Html | undefined {
  const figure = buildAllowance(allowance);
  return figure && html`<dl class="figures">${figure}</dl>`;
}

function buildAllowance({ used, limit, month }: AllowanceUse): Html | undefined {
  if (limit === null) return undefined;
  const name = `${formatMonth(`${month}-01`)} ${month.slice(0, 4)}`;
  const isOver = used > limit;
  return html`<div class="${isOver ? "over" : "within"}"><dt>Allowance used</dt><dd>${formatShare(used, limit)}</dd>
${buildMeter(used, limit)}
<dd class="note">${formatCount(used)} of ${formatCount(limit)} pageviews of all sites in ${name}${
    isOver && ", over the limit"
  }</dd></div>`;
}

function buildMeter(used: number, limit: number): Html {
  const percent = Math.min(100, limit === 0 ? 100 : used / limit * 100).toFixed(1);
  return html`
    <dd class="meter" aria-hidden="true">
      <svg width="100%" height="6">
        <rect class="track" width="100%" height="6" rx="3" />
        <rect class="full" width="${percent}%" height="6" rx="3" />
      </svg>
    </dd>
  `;
}

function buildPaths(view: View): Html {
  const { paths, totals } = view.report;
  const rows = paths.slice(0, PAGE_ROWS).map((row) => {
    const link = html`<a href="${buildLink(view, { path: row.path })}"><bdi>${
      formatLabel(formatPath(row.path))
    }</bdi></a>`;
    return html`<tr>${buildLabel(link, row, paths[0])}${buildViews(row)}</tr>`;
  });
  return buildCard({
    title: "Pages",
    caption: "Pageviews by path",
    heads: html`<th scope="col">Path</th>${VIEW_HEADS}`,
    rows,
    all: totals.paths,
    noun: "pages",
  });
}

function buildReferrers({ report: { referrers, totals } }: View): Html {
  const rows = referrers.slice(0, PAGE_ROWS).map((row) => {
    const label = row.referrer === null ? html`<i>none named</i>` : html`<bdi>${formatOrigin(row.referrer)}</bdi>`;
    return html`<tr>${buildLabel(label, row, referrers[0])}${buildViews(row)}</tr>`;
  });
  return buildCard({
    title: "Referrers",
    caption: "Pageviews that came from elsewhere, by the origin they came from",
    heads: html`<th scope="col">Referrer</th>${VIEW_HEADS}`,
    rows,
    all: totals.referrers,
    noun: "referrers",
  });
}

/** Builds the list of steps. Pageviews aren't among them: their bar would flatten all others. */
function buildSteps({ report: { events, totals } }: View): Html {
  const counts = events.filter(({ name }) => name !== PAGEVIEW_NAME).slice(0, PAGE_ROWS)
    .map(({ name, count }) => ({ name, full: count, aggregate: 0, total: count }));
  const rows = counts.map((row) => {
    const label = buildLabel(html`<bdi>${formatLabel(row.name)}</bdi>`, row, counts[0]);
    return html`<tr>${label}<td>${formatCount(row.total)}</td></tr>`;
  });
  return buildCard({
    title: "Steps",
    caption: "Steps by name",
    heads: html`
      <th scope="col">Name</th>
      <th scope="col">Times</th>
    `,
    rows,
    all: totals.names - (totals.pageviews.total > 0 ? 1 : 0),
    noun: "names",
  });
}

/** What is wrong with an event that breaks the plan, for people. */
const VIOLATION_LABELS: Readonly<Record<ViolationKind, string>> = {
  unknown: "unknown name",
  missing: "missing property",
  invalid: "wrong property",
};

function buildViolations({ report: { violations, totals } }: View): Html {
  const counts = violations.slice(0, PAGE_ROWS).map((row) => ({
    ...row,
    full: row.count,
    aggregate: 0,
    total: row.count,
  }));
  const rows = counts.map((row) => {
    const label = buildLabel(html`<bdi>${formatLabel(row.name)}</bdi>`, row, counts[0]);
    return html`<tr>${label}<td>${VIOLATION_LABELS[row.kind]}</td><td>${formatCount(row.total)}</td></tr>`;
  });
  return buildCard({
    title: "Off the plan",
    caption: "Events that break the plan, by name and fault",
    heads: html`
      <th scope="col">Name</th>
      <th scope="col">Fault</th>
      <th scope="col">Events</th>
    `,
    rows,
    all: totals.violations,
    noun: "faults",
  });
}

/** Builds the table of days, folded away: the chart's figures for those who can't see or hover it. */
function buildDays({ days, path }: View): Html {
  const hasSessions = path === undefined;
  return html`
    <details>
      <summary>Figures per day</summary>
      <table class="days">
        <caption>Pageviews by UTC day</caption>
        <thead>
          <tr><th scope="col">Day</th>${VIEW_HEADS}${hasSessions && html`<th scope="col">Sessions</th>`}</tr>
        </thead>
        <tbody>${days.map((row) =>
          html`<tr><th scope="row">${formatWeekday(row.day)}</th>${buildViews(row)}${
            hasSessions && html`<td>${formatCount(row.sessions)}</td>`
          }</tr>`
        )}</tbody>
      </table>
    </details>
  `;
}

interface Card {
  readonly title: string;
  readonly caption: string;
  /** Cells of the table's head. */
  readonly heads: Html;
  /** The rows that are shown. */
  readonly rows: readonly Html[];
  /** How many there are. */
  readonly all: number;
  readonly noun: string;
}

function buildCard({ title, caption, heads, rows, all, noun }: Card): Html {
  if (rows.length === 0) {
    return html`
      <section class="card">
        <h2>${title}</h2>
        <p class="note">None in these days.</p>
      </section>
    `;
  }
  const rest = rows.length < all &&
    html`<p class="note">${rows.length} of ${formatCount(all)} ${noun}; the files below have all.</p>`;
  return html`<section class="card"><h2>${title}</h2><table><caption>${caption}</caption>
<thead><tr>${heads}</tr></thead><tbody>${rows}</tbody></table>${rest}</section>`;
}

/** Builds the cells of how many pageviews there were, and which share of them with consent. */
function buildViews({ full, total }: PageviewCounts): Html {
  return html`
    <td>${formatCount(total)}</td>
    <td>${total === 0 ? "–" : formatShare(full, total)}</td>
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
