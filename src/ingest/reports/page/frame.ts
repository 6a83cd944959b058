import { addDays, countDays, countDaysSinceMonday, formatDay, formatMonth, formatRange } from "../query/days.ts";
import { buildDocument } from "./document.ts";
import { buildFilters } from "./filters.ts";
import { type Html, html } from "./html.ts";
import { buildConsent } from "../views/consent/page.ts";
import { buildLive, buildSites } from "../views/live/page.ts";
import { buildPages, buildSources, buildSteps } from "./lists.ts";
import { buildOverview } from "../views/overview/page.ts";
import { buildGoals } from "../views/goals/page.ts";
import { buildPerson } from "../views/person/page.ts";
import { buildFunnel, buildRetention } from "../views/funnel/page.ts";
import { NO_SITE } from "../query/query.ts";
import { countShift } from "../query/periods.ts";
import { type Comparison, COMPARISONS, type ViewName, VIEWS, writeViewQuery } from "../views/view_query.ts";
import {
  buildLink,
  formatCount,
  formatRatio,
  formatShare,
  formatSite,
  hasBefore,
  hasDays,
  isEmpty,
  LEFT_OUT,
  nameThen,
  type Page,
} from "./words.ts";
import type { OverviewView } from "../views/views.ts";
import { formatClock } from "../query/zones.ts";
import { keepsAggregates } from "../../ports/reader.ts";

/** From which change of the share with consent on the page speaks of it, and from how many views on. */
const [MIN_SHIFT, MIN_VIEWS] = [0.03, 30] as const;

const PRESETS = [
  { days: 1, label: "Today" },
  { days: "week", label: "This week" },
  { days: 7, label: "7 days" },
  { days: 30, label: "30 days" },
  { days: 90, label: "90 days" },
  { days: 365, label: "12 months" },
] as const;

const SECTIONS: Readonly<Record<ViewName, string>> = {
  overview: "Overview",
  pages: "Pages",
  sources: "Sources",
  steps: "Steps",
  goals: "Goals",
  funnel: "Funnel",
  retention: "Retention",
  consent: "Consent",
  live: "Live",
  sites: "All sites",
  person: "One person",
};

/** Zones that the form proposes; it takes any. */
const ZONES = [
  ...["UTC", "Africa/Johannesburg", "Africa/Lagos", "Africa/Nairobi", "America/Bogota", "America/Chicago"],
  ...["America/Denver", "America/Los_Angeles", "America/Mexico_City", "America/New_York", "America/Sao_Paulo"],
  ...["America/Toronto", "Asia/Bangkok", "Asia/Dubai", "Asia/Hong_Kong", "Asia/Jakarta", "Asia/Kolkata", "Asia/Manila"],
  ...["Asia/Seoul", "Asia/Shanghai", "Asia/Singapore", "Asia/Tokyo", "Australia/Sydney", "Europe/Amsterdam"],
  ...["Europe/Athens", "Europe/Berlin", "Europe/Dublin", "Europe/Helsinki", "Europe/Istanbul", "Europe/London"],
  ...["Europe/Madrid", "Europe/Paris", "Europe/Prague", "Europe/Rome", "Europe/Stockholm", "Europe/Vienna"],
  ...["Europe/Warsaw", "Europe/Zurich", "Pacific/Auckland"],
] as const;

/** Builds the page of a report. */
export function buildPage(page: Page): Html {
  const { site, from, to, view } = page.query;
  const title = [
    view === "sites" ? SECTIONS[view] : `${SECTIONS[view]}: ${site || formatSite(site)}`,
    ...hasDays(view) ? [formatRange(from, to)] : [],
  ].join(", ");
  const body = html`${buildProgress(page)}${
    isEmpty(page) ? buildEmpty(page) : html`${buildLead(page)}${buildView(page)}`
  }`;
  return buildDocument(
    title,
    html`${buildHeader(page)}<main id="main">${view !== "person" && buildFilters(page)}${body}</main>${
      buildFooter(page)
    }`,
  );
}

function buildView(page: Page): Html {
  const { view } = page;
  switch (view.view) {
    case "overview":
      return html`${buildOverview(page, view)}${buildAllowance(view.allowance)}`;
    case "pages":
      return buildPages(page, view);
    case "sources":
      return buildSources(page, view);
    case "steps":
      return buildSteps(page, view);
    case "goals":
      return buildGoals(page, view);
    case "funnel":
      return buildFunnel(page, view);
    case "retention":
      return buildRetention(page, view);
    case "consent":
      return buildConsent(page, view);
    case "live":
      return buildLive(page, view);
    case "sites":
      return buildSites(page, view);
    case "person":
      return buildPerson(page, view);
  }
}

/** Says how much is counted, where that isn't all. */
function buildProgress({ view: { counted } }: Page): Html | undefined {
  if (counted >= 1) return undefined;
  return html`<p class="lead">Counted so far: ${
    Math.floor(counted * 100)
  }% of what is stored. The figures grow until it is all.</p>`;
}

/** Says whom the figures are of. */
function buildLead({ query, totals, view }: Page): Html | undefined {
  if (totals === undefined) return undefined;
  const { full, aggregate } = totals.pageviews;
  if (!keepsAggregates(query.filters)) {
    return html`<p class="lead">The visitors below consented: these filters choose nothing of the views before consent.</p>`;
  }
  // Of crawlers and own visits it says nothing about a site that they all are with consent.
  if (full + aggregate === 0 || (aggregate === 0 && query.traffic !== "people")) return undefined;
  if (aggregate === 0) {
    return html`
      <p
        class="lead">All views below are with consent. Views before it are counted with <code>trackPageviews: "auto"</code>.</p>
    `;
  }
  return html`<p class="lead">The visitors below are the ${formatShare(full, full + aggregate)} of views with consent.${
    view.view === "overview" && describeShift(view)
  }</p>`;
}

/** Says that visitors changed with consent, where that changed enough to show; undefined otherwise. */
function describeShift({ current, before }: OverviewView): string | undefined {
  const change = (current.consentShare ?? NaN) - (before.consentShare ?? NaN);
  const isFew = [current, before].some(({ pageviews: { full, aggregate } }) => full + aggregate < MIN_VIEWS);
  if (isFew || !(Math.abs(change) >= MIN_SHIFT)) return undefined;
  return ` Before, it was ${formatRatio(before.consentShare)}: that alone changes the number of visitors.`;
}

function buildEmpty(page: Page): Html {
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
    ${page.view.view === "overview" && buildAllowance(page.view.allowance)}
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

/** Says how a site sends its first event. */
function buildStart({ apiKey, query: { site } }: Page): Html {
  if (site === "") return html`<p>Each event that has arrived is of a site.</p>`;
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

/** Builds the top of the page: the site, its days, the choice of others, and the sections. */
function buildHeader(page: Page): Html {
  const { site, zone, view } = page.query;
  return html`
    <header>
      <p class="kicker">Reports</p>
      <h1>${view === "sites" ? SECTIONS[view] : html`<bdi>${formatSite(site)}</bdi>`}</h1>
      <details class="choice">
        <summary><span class="range">${nameRange(page)}</span><span class="note"> · ${zone.name}${hasBefore(view) &&
          ` · beside ${nameBefore(page)}`}</span> <span class="change">Change</span></summary>
        ${buildForm(page)}
      </details>
      ${hasDays(view) ? buildRanges(page) : view === "live" && buildRefresh(page)}
      <nav aria-label="Sections">
        <ul class="sections">${VIEWS.filter((view) => view !== "person" || page.mayReadPeople).map((view) =>
          buildSection(view, page)
        )}</ul>
      </nav>
    </header>
  `;
}

/** Names the time that the figures are of. */
function nameRange({ query: { from, to, zone }, view }: Page): string {
  if (view.view === "live") return `The last 30 minutes, until ${formatClock(zone, Date.parse(view.current.end))}`;
  return view.view === "person" ? "All that is kept" : formatRange(from, to);
}

function buildRanges(page: Page): Html {
  const { from, to, compare } = page.query;
  const days = compare === "weeks" ? countShift({ from, to, compare }) : countDays(from, to);
  return html`
    <nav aria-label="Ranges">
      <ul class="presets">
    ${PRESETS.map((preset) => buildPreset(preset, page))}
    ${buildStep("Earlier", page, -days)}
    ${to < page.today && buildStep("Later", page, days)}
      </ul>
    </nav>
  `;
}

function buildRefresh(page: Page): Html {
  return html`
    <nav aria-label="Refresh">
      <ul class="presets">
        <li><a href="${buildLink(page)}">Refresh</a></li>
      </ul>
    </nav>
  `;
}

/** Names what stands beside the days. */
function nameBefore({ query: { from, to, compare }, clock }: Page): string {
  const days = countDays(from, to);
  const name = compare === "year"
    ? "the same weekdays a year ago"
    : compare === "weeks"
    ? `the same ${from === to ? "weekday" : "weekdays"} ${nameThen({ from, to, compare })}`
    : days === 1
    ? "the day before"
    : `the ${days} days before`;
  return clock === undefined ? name : `${name}, up to the same time, ${clock}`;
}

function buildForm(page: Page): Html {
  const { zone, compare, from, to, view } = page.query;
  const hasSites = page.sites.length > 1 && view !== "sites";
  const fields = [
    ...hasSites ? ["site"] : [],
    ...hasDays(view) ? ["from", "to"] : [],
    ...hasBefore(view) ? ["compare"] : [],
    "zone",
  ];
  // What has no field of its own goes with the form as it is.
  const others = [...writeViewQuery(page.query)].filter(([name]) => !fields.includes(name));
  return html`
    <form method="get" aria-label="${hasDays(view) ? "Site, days and zone" : "Site and zone"}">
    ${hasSites && buildSiteField(page)}
    ${hasDays(view) &&
      html`
        <label>From <input type="date" name="from" value="${from}" required></label>
        <label>To <input type="date" name="to" value="${to}" required></label>
      `}
    <label>Time zone <input name="zone" value="${zone
      .name}" list="zones" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
    <datalist id="zones">${ZONES.map((name) => html`<option value="${name}"></option>`)}</datalist>
    ${hasBefore(view) &&
      html`<label>Beside <select name="compare">${
        COMPARISONS.map((one) => buildOption(one, { label: COMPARED[one], isChosen: one === compare }))
      }</select></label>`}
    ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
    <button type="submit">Show</button>
    </form>
  `;
}

const COMPARED: Readonly<Record<typeof COMPARISONS[number], string>> = {
  before: "as many days before",
  weeks: "the same weekdays before",
  year: "the same weekdays a year ago",
};

function buildSiteField({ query: { site }, sites }: Page): Html {
  const options = sites.map((one) =>
    buildOption(one || NO_SITE, { label: one || formatSite(one), isChosen: one === site })
  );
  return html`<label class="site">Site <select name="site">${options}</select></label>`;
}

function buildOption(value: string, { label, isChosen }: { readonly label: string; readonly isChosen: boolean }): Html {
  return html`
    <option value="${value}" ${isChosen && html`
      selected
    `}>${label}</option>
  `;
}

function buildPreset({ days, label }: typeof PRESETS[number], page: Page): Html {
  const { today: to, query } = page;
  const isWeek = days === "week";
  const from = isWeek ? addDays(to, -countDaysSinceMonday(to)) : addDays(to, 1 - days);
  const isCurrent = from === query.from && to === query.to && isWeek === (query.compare === "weeks");
  // What stands beside a week is no choice for other ranges.
  const compare = isWeek ? "weeks" : query.compare === "weeks" ? "before" : query.compare;
  return buildRangeLink(page, { label, isCurrent, from, to, compare });
}

function buildStep(label: string, page: Page, days: number): Html {
  const { from, to } = page.query;
  return buildRangeLink(page, { label, isCurrent: false, from: addDays(from, days), to: addDays(to, days) });
}

interface RangeLink {
  readonly label: string;
  readonly isCurrent: boolean;
  readonly from: string;
  readonly to: string;
  readonly compare?: Comparison;
}

function buildRangeLink(page: Page, { label, isCurrent, ...range }: RangeLink): Html {
  return html`<li><a href="${buildLink(page, range)}"${
    isCurrent && html`
      aria-current="true"
    `
  }>${label}</a></li>`;
}

function buildSection(view: ViewName, page: Page): Html {
  const isCurrent = view === page.query.view;
  return html`<li><a href="${buildLink(page, { view })}"${
    isCurrent && html`
      aria-current="page"
    `
  }>${SECTIONS[view]}</a></li>`;
}

function buildAllowance({ used, limit, month }: OverviewView["allowance"]): Html | undefined {
  if (limit === null) return undefined;
  const name = `${formatMonth(`${month}-01`)} ${month.slice(0, 4)}`;
  const isOver = used > limit;
  return html`
    <dl class="figures">
      <div class="${isOver ? "over" : "within"}"><dt>Allowance used</dt><dd>${formatShare(used, limit)}</dd>
    ${buildMeter(used, limit)}
    <dd class="note">${formatCount(used)} of ${formatCount(limit)} pageviews of all sites in ${name}${isOver &&
      ", over the limit"}</dd></div>
    </dl>
  `;
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

/** What the figures mean, for those who know no code. */
const DEFINITIONS: Html = html`
  <details>
    <summary>What these figures mean</summary>
    <dl class="definitions">
      <dt>Pageviews</dt>
      <dd>Views of both kinds. <b>With consent</b> a view belongs to a visitor and a session; <b>before consent</b> it is counted without either, and tells no source but the site it came from.</dd>
      <dt>Visitors</dt>
      <dd>People with consent, each counted once in the whole range: by an ID in their browser, so that a second browser is a second visitor.</dd>
      <dt>Sessions</dt>
      <dd>Visits with consent. One ends after 30 minutes without an event, and after a day.</dd>
      <dt>Bounce rate</dt>
      <dd>Of the sessions that came to a page from elsewhere, the share that saw one page, did nothing that your site records with <code>step()</code>, and had less than 10 seconds of engagement, which <code>auto()</code> measures. A page's rate is that of the sessions that came to it.</dd>
      <dt>Session length</dt>
      <dd>From the first to the last event, half of the sessions longer and half shorter. A session with a single event has none.</dd>
      <dt>Steps and goals</dt>
      <dd>Steps are what your site records beside pageviews. A goal's conversion rate is the share of all visitors who reached it.</dd>
      <dt>Users signed in</dt>
      <dd>Users whom your site named in an event of these days.</dd>
    </dl>
  </details>
`;

function buildFooter(page: Page): Html {
  const { view } = page.query;
  const files = (["csv", "json"] as const).map((format) =>
    html`<li><a href="${buildLink(page, { format })}" download>${view}.${format}</a></li>`
  );
  return html`
    <footer>
      ${view !== "person" && html`
        <nav aria-label="Files">
          <ul class="presets">${files}</ul>
        </nav>
      `}
      ${view !== "person" && DEFINITIONS}
      <p>Days are those of ${page.query.zone.name}, by the visitor's clock unless that is wrong.${view !== "person" &&
        html`
          A visitor counts once in the whole range and once in each of its parts and pages, so that visitors of two of them don't add up. A session counts where it began.
        `}</p>
    </footer>
  `;
}
