/**
 * The top of the page: the site, its days, the choice of others, and the sections.
 *
 * @module
 */
import { FIRST_ROWS } from "../query/list_query.ts";
import { addDays, addMonth, countDays, countDaysOfMonth, countDaysOfWeek, type WeekStart } from "../query/days.ts";
import { countShift } from "../query/periods.ts";
import { NO_SITE, type Range } from "../query/query.ts";
import { type Comparison, COMPARISONS } from "../query/view_query.ts";
import { buildFilterField } from "./filter_field.ts";
import { type Html, html } from "./html.ts";
import { buildLink } from "./links.ts";
import { REFRESH_OFF, REFRESH_S } from "./refresh.ts";
import type { Page, Section } from "./page.ts";
import { capitalize, formatSite, nameBeside } from "./words.ts";

/** A range that a link leads to. */
interface Preset {
  readonly label: string;
  /** Finds its days, of the current one. */
  readonly find: (today: string, weekStart: WeekStart | undefined) => Range;
  /** Period beside it: of a week or a month that runs, as many days before would be others. */
  readonly beside?: "weeks" | "month";
}

const PRESETS: readonly Preset[] = [
  { label: "Today", find: (today) => ({ from: today, to: today }) },
  { label: "Yesterday", find: (today) => ({ from: addDays(today, -1), to: addDays(today, -1) }) },
  {
    label: "This week",
    find: (today, weekStart) => ({ from: toWeekStart(today, weekStart), to: today }),
    beside: "weeks",
  },
  {
    label: "Last week",
    find: (today, weekStart) => toWeek(addDays(toWeekStart(today, weekStart), -7)),
    beside: "weeks",
  },
  { label: "7 days", find: (today) => toLast(7, today) },
  { label: "30 days", find: (today) => toLast(30, today) },
  { label: "This month", find: (today) => ({ from: toFirst(today), to: today }), beside: "month" },
  { label: "Last month", find: (today) => toMonth(addDays(toFirst(today), -1)), beside: "month" },
  { label: "90 days", find: (today) => toLast(90, today) },
  { label: "12 months", find: (today) => toLast(365, today) },
];

function toLast(days: number, today: string): Range {
  return { from: addDays(today, 1 - days), to: today };
}

function toWeekStart(day: string, weekStart: WeekStart | undefined): string {
  return addDays(day, -countDaysOfWeek(day, weekStart));
}

function toWeek(from: string): Range {
  return { from, to: addDays(from, 6) };
}

function toFirst(day: string): string {
  return `${day.slice(0, "2026-01".length)}-01`;
}

function toMonth(lastDay: string): Range {
  return { from: toFirst(lastDay), to: lastDay };
}

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

/** Builds the top of the page, of this span of time. */
export function buildHeader(page: Page, span: string): Html {
  const { query: { site, zone }, section } = page;
  return html`
    <header>
      <p class="kicker">Reports</p>
      <h1>${section.subject === "sites" ? section.title : html`<bdi>${formatSite(site)}</bdi>`}</h1>
      <details class="choice">
        <summary><span class="range">${span}</span><span class="note"> · ${zone.name}${section.hasBefore &&
          html`<span class="then"> · beside ${
            nameBefore(page)
          }</span>`}</span> <span class="change">Change</span></summary>
        ${buildForm(page)}
      </details>
      ${section.span === "days" ? buildRanges(page) : section.span === "minutes" && buildRefresh(page)}
      ${section.span === "days" &&
        (section.hasBefore ? buildBeside(page) : html`<p class="beside">This view compares no periods.</p>`)}
      ${section.subject !== "person" && buildFilterField(page)}
      <nav aria-label="Sections">
        <ul class="sections">${page.sections.map((one) => buildSection(one, page))}</ul>
      </nav>
    </header>
  `;
}

function buildRanges(page: Page): Html {
  return html`
    <nav aria-label="Ranges">
      <ul class="presets">
    ${PRESETS.map((preset) => buildPreset(preset, page))}
    ${buildStep("Earlier", page, -1)}
    ${page.query.to < page.today && buildStep("Later", page, 1)}
      </ul>
    </nav>
  `;
}

function buildRefresh(page: Page): Html {
  return html`
    <nav aria-label="Refresh">
      <ul class="presets">
        <li><a href="${buildLink(page)}${!page.isRefreshing && `&${REFRESH_OFF}`}">Refresh</a></li>
        <li><a href="${buildLink(page)}${page.isRefreshing && `&${REFRESH_OFF}`}">${page.isRefreshing
          ? `Stop refreshing each ${REFRESH_S} seconds`
          : `Refresh each ${REFRESH_S} seconds`}</a></li>
      </ul>
    </nav>
  `;
}

/** Names what stands beside the days. */
function nameBefore(page: Page): string {
  const until = nameUntil(page);
  return until === undefined ? nameBeside(page.query) : `${nameBeside(page.query)}, ${until}`;
}

/** Says where it ends, while the days that were asked for aren't over. */
function nameUntil({ query, clock, today }: Page): string | undefined {
  // A month before that has no such day stands beside to its end.
  const hasToday = query.compare !== "month" || query.from === today || addMonth(addMonth(today, -1), 1) === today;
  return clock === undefined || !hasToday ? undefined : `up to the same time, ${clock}`;
}

/** Leads to the same days beside other ones. */
function buildBeside(page: Page): Html {
  const { query } = page;
  const until = nameUntil(page);
  const links = COMPARISONS.filter((compare) => compare === query.compare || isApart(query, compare)).map((compare) =>
    html`<li><a href="${buildLink(page, { compare })}"${
      compare === query.compare && html`
        aria-current="true"
      `
    }>${nameBeside({ ...query, compare })}</a></li>`
  );
  return html`
    <nav aria-label="Beside">
      <ul class="beside"><li>Beside</li>${links}</ul>
      ${until !== undefined && html`<p class="beside">${capitalize(until)}</p>`}
    </nav>
  `;
}

/** Returns whether days and those beside them have none in common; a year may have one, a day more than its 52 weeks. */
function isApart({ from, to }: Range, compare: Comparison): boolean {
  if (compare === "month") return addMonth(to, -1) < from;
  return compare !== "year" || countDays(from, to) <= countShift({ from, to, compare }) + 1;
}

function buildForm(page: Page): Html {
  const { query: { zone, compare, from, to }, section } = page;
  const hasDays = section.span === "days";
  const hasSites = page.sites.length > 1 && section.subject !== "sites";
  const fields = [
    ...hasSites ? ["site"] : [],
    ...hasDays ? ["from", "to"] : [],
    ...section.hasBefore ? ["compare"] : [],
    "zone",
  ];
  // What has no field of its own goes with the form as it is.
  const others = [...page.write(page.query)].filter(([name]) => !fields.includes(name) && !(name in FIRST_ROWS));
  return html`
    <form method="get" aria-label="${hasDays ? "Site, days and zone" : "Site and zone"}">
    ${hasSites && buildSiteField(page)}
    ${hasDays &&
      html`
        <label>From <input type="date" name="from" value="${from}" required></label>
        <label>To <input type="date" name="to" value="${to}" required></label>
      `}
    <label>Time zone <input name="zone" value="${zone
      .name}" list="zones" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
    <datalist id="zones">${ZONES.map((name) => html`<option value="${name}"></option>`)}</datalist>
    ${section.hasBefore &&
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
  month: "the same days a month before",
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

function buildPreset({ label, find, beside }: Preset, page: Page): Html {
  const { today, query } = page;
  const { from, to } = find(today, query.weekStart);
  // What stands beside a week or a month is no choice for other ranges.
  const chosen = query.compare === "weeks" || query.compare === "month" ? query.compare : undefined;
  const isCurrent = from === query.from && to === query.to && beside === chosen;
  const compare = beside ?? (chosen === undefined ? query.compare : "before");
  return buildRangeLink(page, { label, isCurrent, from, to, compare });
}

function buildStep(label: string, page: Page, by: -1 | 1): Html {
  return buildRangeLink(page, { label, isCurrent: false, ...findStep(page.query, by) });
}

/** Finds the range before or after another one: months go to months, from their first day to their last. */
function findStep({ from, to, compare }: Page["query"], by: -1 | 1): Range {
  if (compare !== "month") {
    const days = by * (compare === "weeks" ? countShift({ from, to, compare }) : countDays(from, to));
    return { from: addDays(from, days), to: addDays(to, days) };
  }
  const isWhole = from === toFirst(from) && addDays(to, 1) === toFirst(addDays(to, 1));
  const next = addMonth(to, by);
  return { from: addMonth(from, by), to: isWhole ? addDays(toFirst(next), countDaysOfMonth(next) - 1) : next };
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

function buildSection({ name, title }: Section, page: Page): Html {
  const isCurrent = name === page.section.name;
  return html`<li><a href="${buildLink(page, { view: name })}"${
    isCurrent && html`
      aria-current="page"
    `
  }>${title}</a></li>`;
}
