import { keepsAggregates } from "../../../ports/report_query.ts";
import { buildChart } from "../../page/chart.ts";
import { type Html, html } from "../../page/html.ts";
import { KEY_AGGREGATE, KEY_FULL } from "../../page/legend.ts";
import { buildLink } from "../../page/links.ts";
import { buildNotes } from "../../page/note_list.ts";
import type { Page } from "../../page/page.ts";
import { namePart } from "../../page/parts.ts";
import {
  capitalize,
  formatBefore,
  formatChange,
  formatCount,
  formatCountOf,
  formatDuration,
  formatNumber,
  formatRatio,
  formatShare,
  listLeftOut,
  nameBeside,
  nameThen,
} from "../../page/words.ts";
import { formatMonth, formatRange } from "../../query/days.ts";
import { buildViewBars, findBefore, findMost } from "./bars.ts";
import { buildLists } from "./lists.ts";
import type { OverviewView, PeriodCounts } from "./object.ts";

/** Builds the figures, the chart and its table. */
export function buildOverview(page: Page, view: OverviewView): Html {
  return html`
    ${buildFigures(page, view)}${buildLeftOut(page, view)}
    <section
      class="card"><h2>Pageviews per ${view.unit}</h2>${buildLegend(page, view)}${buildChart({
        bars: buildViewBars(view, page),
        description: describe(view),
      })}${buildNotes(page)}${buildParts(page, view)}</section>${buildLists(page, view)}
  `;
}

/** Says how many views the figures leave out, and leads to them. */
function buildLeftOut(page: Page, { flagged }: OverviewView): Html | undefined {
  const links = listLeftOut(flagged).map(({ traffic, label }, index) =>
    html`${index > 0 && ", "}<a href="${buildLink(page, { traffic })}">${label}</a>`
  );
  if (page.query.traffic !== "people" || links.length === 0) return undefined;
  return html`<p class="note">Left out, with or without filters: ${links}</p>`;
}

/** A figure at the top. */
interface Figure {
  readonly name: string;
  readonly value: string;
  /** The same of the period before. */
  readonly before: string;
  /** Its change; empty for most figures that aren't counts. */
  readonly change?: string;
  /** A remark on it. */
  readonly note?: string | undefined;
}

function buildFigures({ query }: Page, { current, before }: OverviewView): Html {
  const [views, viewsBefore] = [countViews(current), countViews(before)];
  const midway = current.sessions - current.landings;
  const joined = midway === 0
    ? undefined
    : `of ${formatCountOf(current.landings, "session")} from their first page on; ${formatCount(midway)} joined midway`;
  const figures: readonly Figure[] = [
    compare("Visitors", current.visitors, before.visitors),
    compare("Pageviews", views, viewsBefore),
    ...keepsAggregates(query.filters) ? [compareConsent(current, before)] : [],
    {
      ...compare("Sessions", current.sessions, before.sessions),
      note: current.instantSessions === 0
        ? undefined
        : `${formatCount(current.instantSessions)} lasted 0 s, without a sign of life`,
    },
    {
      name: "Views per session",
      value: formatNumber(current.viewsPerSession),
      before: formatNumber(before.viewsPerSession),
      note: joined,
    },
    {
      name: "Bounce rate",
      value: formatRatio(current.bounceRate),
      before: formatRatio(before.bounceRate),
      note: joined,
    },
    {
      name: "Session length",
      value: formatDuration(current.medianSessionMs),
      before: formatDuration(before.medianSessionMs),
      note: current.medianSessionMs === null ? undefined : "median of sessions with two events or more",
    },
    ...query.filters.some(({ name }) => name === "page") && current.engagedMsPerView !== null
      ? [{
        name: "Time per view",
        value: formatDuration(current.engagedMsPerView),
        before: formatDuration(before.engagedMsPerView),
      }]
      : [],
    ...current.users + before.users > 0 ? [compare("Users signed in", current.users, before.users)] : [],
  ];
  // Where nothing stands beside the days, "0 before" eight times says less than nothing.
  const then = viewsBefore + before.visitors + before.users > 0 ? nameThen(query) : undefined;
  return html`<dl class="figures four">${figures.map((figure) => buildFigure(figure, then))}</dl>`;
}

function buildFigure({ name, value, before, change = "", note }: Figure, then: string | undefined): Html {
  return html`<div><dt>${name}</dt><dd>${value}</dd>
${then && html`<dd class="note">${formatBefore(before, then)}${change !== "" && html`, <b>${change}</b>`}</dd>`}${
    note !== undefined && html`<dd class="note">${note}</dd>`
  }</div>`;
}

function compareConsent({ consentShare, pageviews: { full, aggregate } }: PeriodCounts, before: PeriodCounts): Figure {
  return {
    name: "With consent",
    value: formatRatio(consentShare),
    before: formatRatio(before.consentShare),
    note: `${formatCount(full)} with consent, ${formatCount(aggregate)} before it`,
  };
}

function compare(name: string, count: number, before: number): Figure {
  return { name, value: formatCount(count), before: formatCount(before), change: formatChange(count, before) };
}

function countViews({ pageviews: { full, aggregate } }: Pick<PeriodCounts, "pageviews">): number {
  return full + aggregate;
}

function buildLegend({ query, query: { filters } }: Page, { partsBefore }: OverviewView): Html {
  const before = capitalize(nameBeside(query));
  const line =
    html`<span><svg width="16" height="12" aria-hidden="true"><path class="before" d="M0 6h16"/></svg> ${before}</span>`;
  return html`
    <p class="legend">${KEY_FULL}${keepsAggregates(filters) &&
      KEY_AGGREGATE}${partsBefore.some((part) => countViews(part) > 0) && line}</p>
  `;
}

function describe({ parts, unit, current }: OverviewView): string {
  const { from, to } = current;
  const most = findMost(parts);
  const views = parts[most];
  const range = `Bar chart, ${formatRange(from, to)}: ${formatCountOf(countViews(current), "pageview")}`;
  if (views === undefined) return `${range}.`;
  return `${range}, most of them, ${formatCount(countViews(views))}, in the ${unit} ${
    namePart({ unit, parts, to }, most)
  }. The table below has the figures of each ${unit}.`;
}

/** Builds the table of the parts, folded away: the chart's figures for those who can't see or hover it. */
function buildParts({ query }: Page, { unit, parts, partsBefore, current: { to } }: OverviewView): Html {
  const then = query.compare === "before" ? "Period before" : capitalize(nameThen(query));
  const befores = findBefore({ unit, parts, partsBefore });
  return html`
    <details>
      <summary>Figures per ${unit}</summary>
      <div class="scroll" tabindex="0" role="group" aria-label="Figures per ${unit}">
        <table class="days">
          <caption>Pageviews, visitors and sessions by ${unit}</caption>
          <thead>
            <tr>
              <th scope="col">${capitalize(unit)}</th>
              <th scope="col">Views</th>
              <th scope="col">${then}</th>
              <th scope="col">With consent</th>
              <th scope="col">Visitors</th>
              <th scope="col">Sessions</th>
            </tr>
          </thead>
          <tbody>${parts.map((part, index) => {
            const before = befores[index];
            return html`
              <tr>
                <th scope="row">${namePart({ unit, parts, to }, index)}</th>
                <td>${formatCount(countViews(part))}</td>
                <td>${before === undefined ? "–" : formatCount(countViews(before))}</td>
                <td>${formatRatio(part.consentShare)}</td>
                <td>${formatCount(part.visitors)}</td>
                <td>${formatCount(part.sessions)}</td>
              </tr>
            `;
          })}</tbody>
        </table>
      </div>
    </details>
  `;
}

/** From which change of the share with consent on the page speaks of it, and from how many views on. */
const [MIN_SHIFT, MIN_VIEWS] = [0.03, 30] as const;

/** Says that visitors changed with consent, where that changed enough to show; undefined otherwise. */
export function describeShift({ current, before }: OverviewView): string | undefined {
  const change = (current.consentShare ?? NaN) - (before.consentShare ?? NaN);
  const isFew = [current, before].some(({ pageviews: { full, aggregate } }) => full + aggregate < MIN_VIEWS);
  if (isFew || !(Math.abs(change) >= MIN_SHIFT)) return undefined;
  return ` The share was ${formatRatio(before.consentShare)} before: that alone changes the number of visitors.`;
}

/** Says how much of the key's allowance is used. */
export function buildAllowance({ used, limit, month }: OverviewView["allowance"]): Html | undefined {
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
