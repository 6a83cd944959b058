import type { FilterName } from "../../../ports/report_query.ts";
import { type Bar, buildChart } from "../../page/chart.ts";
import { nameFilter } from "../../page/filters.ts";
import { type Html, html } from "../../page/html.ts";
import { LEGEND } from "../../page/legend.ts";
import { buildFilterLink } from "../../page/links.ts";
import { buildList, buildRowLink } from "../../page/list.ts";
import type { Linked, Page } from "../../page/page.ts";
import { buildBusySites } from "../../page/start.ts";
import { buildSourceLink, toFilterName } from "../../page/source_words.ts";
import { formatCount, formatCountOf, formatLabel, formatPath, formatSite } from "../../page/words.ts";
import { formatDay } from "../../query/days.ts";
import { formatClock } from "../../query/zones.ts";
import type { PartCounts } from "../../view/spans.ts";
import { isQuiet, type LiveView } from "./object.ts";

const NONE = "None in these minutes.";

/** Minutes between two names below the chart. */
const TICK_MINUTES = 10;

/** Builds what happened in the last 30 minutes. A link reads it anew: a page that reloads itself moves under its reader. */
export function buildLive(page: Page, view: LiveView): Html {
  const { query } = page;
  const { visitorsNow, current, parts, pages, by, sources, steps, from, to } = view;
  const { visitors, sessions, pageviews: { full, aggregate } } = current;
  const ofDays: Linked = { ...page, query: { ...query, from, to } };
  const linkTo = (name: FilterName, value: string): string => buildFilterLink(ofDays, { name, values: [value] });
  const figures = html`
    <dl class="figures">
      <div>
        <dt>Visitors now</dt>
        <dd>${formatCount(visitorsNow)}</dd>
        <dd class="note">with consent, in the last 5 minutes</dd>
      </div>
      <div>
        <dt>Visitors</dt>
        <dd>${formatCount(visitors)}</dd>
        <dd class="note">with consent, in ${parts.length} minutes</dd>
      </div>
      <div>
        <dt>Pageviews</dt>
        <dd>${formatCount(full + aggregate)}</dd>
        <dd class="note">${formatCount(full)} with consent, ${formatCount(aggregate)} before it</dd>
      </div>
      <div>
        <dt>Sessions</dt>
        <dd>${formatCount(sessions)}</dd>
        <dd class="note">that began in ${parts.length} minutes</dd>
      </div>
    </dl>
  `;
  if (isQuiet(view)) return html`${figures}${buildQuiet(page, view)}`;
  return html`
    ${figures}
    <section class="card"><h2>Pageviews per minute</h2>${LEGEND}${buildChart({
      bars: parts.map((part, index) => buildBar(part, parts.length - index)),
      description: `Bar chart, the last ${parts.length} minutes: ${formatCountOf(full + aggregate, "pageview")}.`,
    })}${buildMinutes(parts)}</section>
    <div class="columns">${buildList({
      title: "Pages",
      caption: "By pageviews; a page leads to its overview of today",
      heads: ["Path", "Views", "Visitors"],
      rows: pages.map(({ path, views, visitors }) => ({
        label: buildRowLink(linkTo("page", path), formatLabel(formatPath(path))),
        bar: views,
        cells: [views.full + views.aggregate, visitors].map(formatCount),
      })),
      count: pages.length,
      noun: "pages",
      none: NONE,
    })}<div class="stack">${buildList({
      title: "Sources",
      caption: "Of the sessions that began, which are with consent; a source leads to its overview of today",
      heads: [nameFilter(toFilterName(by)), "Sessions", "Visitors"],
      rows: sources.map(({ label, sessions, visitors }) => ({
        label: buildSourceLink(ofDays, by, label),
        bar: { full: sessions, aggregate: 0 },
        cells: [sessions, visitors].map(formatCount),
      })),
      count: sources.length,
      noun: "sources",
      none: NONE,
    })}${buildList({
      title: "Steps",
      caption: "By how often they happened; a step leads to the sessions of today that have it",
      heads: ["Name", "Times", "Visitors"],
      rows: steps.map(({ name, count, visitors }) => ({
        label: buildRowLink(linkTo("step", name), formatLabel(name)),
        bar: { full: count, aggregate: 0 },
        cells: [count, visitors].map(formatCount),
      })),
      count: steps.length,
      noun: "names",
      none: NONE,
    })}</div></div>
  `;
}

/** Says that there is nothing, and when the newest event was: a quiet night is no broken page. */
function buildQuiet(page: Page, { parts, current }: LiveView): Html {
  const { query: { zone, site, filters, traffic }, today, lastDay, lastMs } = page;
  const isNarrow = filters.length > 0 || traffic !== "people";
  return html`
    <section class="card">
      <h2>Nothing in the last ${parts.length} minutes</h2>
      <p>${lastDay === undefined || lastMs === undefined
        ? html`No event of <bdi>${formatSite(site)}</bdi> has arrived yet.`
        : html`The ${isNarrow && "site's "}newest event is from ${lastDay !== today && `${formatDay(lastDay)}, `}${
          formatClock(zone, lastMs)
        }${isNarrow && ", with or without what is chosen above"}.${
          !isNarrow && lastMs >= Date.parse(parts[0]?.start ?? "") &&
          (lastMs < Date.parse(current.end)
            ? " It is of a bot or an own visit, which are left out."
            : " The visitor's clock is ahead.")
        }`}</p>
      ${buildBusySites(page)}
    </section>
  `;
}

function buildBar({ pageviews: { full, aggregate } }: PartCounts, minutes: number): Bar {
  return {
    full,
    aggregate,
    figures: [
      `${nameMinute(minutes)}: ${formatCount(full + aggregate)}`,
      `(${formatCount(full)} with consent, ${formatCount(aggregate)} before consent)`,
    ],
    ...(minutes % TICK_MINUTES === 0 && { tick: `${minutes} min ago` }),
  };
}

/** Names a minute by how long ago it began. */
function nameMinute(minutes: number): string {
  return minutes === 1 ? "The last minute" : `${minutes} to ${minutes - 1} minutes ago`;
}

/** Builds the table of the minutes, folded away and the newest first: the chart's figures for those who can't see or hover it. */
function buildMinutes(parts: readonly PartCounts[]): Html {
  const rows = parts.map(({ pageviews: { full, aggregate }, visitors }, index) =>
    html`
      <tr>
        <th scope="row">${nameMinute(parts.length - index)}</th>
        <td>${formatCount(full + aggregate)}</td>
        <td>${formatCount(visitors)}</td>
      </tr>
    `
  );
  return html`
    <details>
      <summary>Figures per minute</summary>
      <table class="days">
        <caption>Pageviews and visitors by minute</caption>
        <thead>
          <tr>
            <th scope="col">Minute</th>
            <th scope="col">Views</th>
            <th scope="col">Visitors</th>
          </tr>
        </thead>
        <tbody>${rows.toReversed()}</tbody>
      </table>
    </details>
  `;
}
