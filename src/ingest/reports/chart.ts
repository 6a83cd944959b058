import { countDays, formatMonth, formatRange, formatShortDay, formatWeekday, listDays } from "./days.ts";
import { type Html, html } from "./html.ts";
import type { DayRow } from "../ports/reader.ts";
import { formatCount, formatCountOf } from "./view.ts";

/** Height of the bars, in the SVG's own units and in CSS pixels. */
const PLOT_HEIGHT = 220;

/** Space above the bars for the figures of a day, in CSS pixels. */
const PLOT_TOP = 30;

/** Height of the chart with the names of the days, in CSS pixels. */
const HEIGHT: number = PLOT_TOP + PLOT_HEIGHT + 26;

/** Width of a digit of the scale, in CSS pixels. */
const DIGIT_WIDTH = 8;

/** From how many days on the bars stand side by side without a gap. */
const DENSE_DAYS = 120;

/** Lines across a chart, the base line not counted. */
const GRID_LINES = 4;

/** Most names of days below a chart: what fits on a phone. */
const MAX_TICKS = 5;

/** From how many days on the names are those of months. */
const MONTHLY_DAYS = 120;

/** First digits of a round top whose quarters are round as well. */
const TOPS = [1, 2, 4, 6, 8, 10] as const;

/**
 * Draws the pageviews of days as stacked bars, full ones below and aggregate ones on top. Everything across is in
 * percent, everything up and down in pixels: the chart fills its card, and the text isn't stretched with it.
 */
export function buildChart(days: readonly DayRow[]): Html {
  const [first, last] = [days.at(0), days.at(-1)];
  if (!first || !last) return html``;
  const top = findTop(Math.max(...days.map(({ total }) => total)));
  return html`<div class="chart" role="img" aria-label="${describe(days, formatRange(first.day, last.day))}">
${buildScale(top)}
<svg class="plot" width="100%" height="${HEIGHT}">
${
    listLines().map(({ y, index }) =>
      html`
        <line class="${index === 0 ? "base" : "grid"}" x2="100%" y1="${y}" y2="${y}" />
      `
    )
  }
<svg y="${PLOT_TOP}" width="100%" height="${PLOT_HEIGHT}" viewBox="0 0 ${days.length} ${PLOT_HEIGHT}" preserveAspectRatio="none">
${buildBars(days, { kind: "full", top })}${buildBars(days, { kind: "aggregate", top })}
</svg>
${
    chooseTicks(first.day, last.day).map(({ index, label }) =>
      html`<text x="${toPercent(index, days.length)}" y="${PLOT_TOP + PLOT_HEIGHT + 18}">${label}</text>`
    )
  }
${days.map((day, index) => buildColumn(day, { index, count: days.length }))}
</svg>
</div>`;
}

function describe(days: readonly DayRow[], range: string): string {
  const total = days.reduce((sum, day) => sum + day.total, 0);
  const most = days.reduce((one, other) => other.total > one.total ? other : one);
  return `Bar chart, ${range}: ${formatCountOf(total, "pageview")}, most of them, ${formatCount(most.total)}, on ` +
    `${formatWeekday(most.day)}. The table below has the figures of each day.`;
}

function listLines(): readonly { readonly index: number; readonly y: number }[] {
  return Array.from({ length: GRID_LINES + 1 }, (_, index) => {
    return { index, y: PLOT_TOP + PLOT_HEIGHT * (1 - index / GRID_LINES) };
  });
}

function buildScale(top: number): Html {
  const width = formatCount(top).length * DIGIT_WIDTH + 8;
  return html`<svg class="scale" width="${width}" height="${HEIGHT}">${
    listLines().map(({ index, y }) =>
      html`<text x="${width - 8}" y="${y + 4}">${formatCount(top * index / GRID_LINES)}</text>`
    )
  }</svg>`;
}

interface Bars {
  readonly kind: "full" | "aggregate";
  /** Where the scale ends. */
  readonly top: number;
}

/** Draws the bars of one kind as one path, for a year of elements of their own takes a browser noticeably longer. */
function buildBars(days: readonly DayRow[], { kind, top }: Bars): Html {
  const isDense = days.length >= DENSE_DAYS;
  const width = isDense ? 1 : 0.76;
  const bars = days.map((day, index) => {
    if (day[kind] === 0) return "";
    const height = round(day[kind] / top * PLOT_HEIGHT);
    const base = kind === "full" ? 0 : day.full / top * PLOT_HEIGHT;
    return `M${isDense ? index : round(index + 0.12)} ${round(PLOT_HEIGHT - base)}v-${height}h${width}v${height}z`;
  });
  return html`
    <path class="${kind}" d="${bars.join("")}" />
  `;
}

// A day's figures appear while the pointer is over its column; without a script, the column holds them.
function buildColumn(
  { day, full, aggregate, total }: DayRow,
  { index, count }: { index: number; count: number },
): Html {
  const figures = `${formatWeekday(day)}: ${formatCount(total)} (${formatCount(full)} full, ${
    formatCount(aggregate)
  } aggregate)`;
  return html`
    <g class="column">
      <rect x="${toPercent(index, count)}" y="${PLOT_TOP}" width="${toPercent(1, count)}" height="${PLOT_HEIGHT}" />
      <text y="14">${figures}</text>
    </g>
  `;
}

function toPercent(part: number, whole: number): string {
  return `${round(part / whole * 100)}%`;
}

function round(value: number): number {
  return Math.round(value * 1000) / 1000;
}

/** A name below the chart. */
interface Tick {
  /** Place of its day, 0 for the first one. */
  readonly index: number;
  /** The name. */
  readonly label: string;
}

/** Finds the round number that a scale from 0 ends at. Its quarters are whole numbers. */
function findTop(most: number): number {
  const magnitude = 10 ** Math.max(0, Math.floor(Math.log10(Math.max(1, most))));
  const top = magnitude * (TOPS.find((one) => one * magnitude >= most) ?? 10);
  return Math.ceil(top / GRID_LINES) * GRID_LINES;
}

/** Chooses the days of a range that are named. */
function chooseTicks(from: string, to: string): readonly Tick[] {
  const days = listDays(from, to).map((day, index) => ({ day, index }));
  const isMonthly = countDays(from, to) >= MONTHLY_DAYS;
  const candidates = isMonthly ? days.filter(({ day }) => day.endsWith("-01")) : days;
  const every = Math.ceil(candidates.length / MAX_TICKS);
  return candidates.filter((_, place) => place % every === 0)
    .map(({ day, index }) => ({ index, label: isMonthly ? formatMonth(day) : formatShortDay(day) }));
}
