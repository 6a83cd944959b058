import { formatMonth, formatRange, formatShortDay, formatWeekday, isMonday, listDays } from "./days.ts";
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

/** Most lines across a chart, the base line not counted. */
const MAX_LINES = 5;

/** Most names of days below a chart: what fits on a phone. */
const MAX_TICKS = 5;

/** From how many days on the names are those of Mondays, and of months. */
const [WEEKLY_DAYS, MONTHLY_DAYS] = [15, 120] as const;

/** Distances between two lines, times a power of ten. */
const STEPS = [1, 2, 5, 10] as const;

/**
 * Draws the pageviews of days as stacked bars, full ones below and aggregate ones on top. Everything across is in
 * percent, everything up and down in pixels: the chart fills its card, and the text isn't stretched with it.
 */
export function buildChart(days: readonly DayRow[]): Html {
  const [first, last] = [days.at(0), days.at(-1)];
  if (!first || !last) return html``;
  // The scale ends at the highest bar: no part of the card is empty.
  const top = Math.max(1, ...days.map(({ total }) => total));
  const lines = listLines(top);
  return html`<div class="chart" role="img" aria-label="${describe(days, formatRange(first.day, last.day))}">
${buildScale(lines)}
<svg class="plot" width="100%" height="${HEIGHT}">
${
    lines.map(({ y, value }) =>
      html`
        <line class="${value === 0 ? "base" : "grid"}" x2="100%" y1="${y}" y2="${y}" />
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

/** A line across the chart. */
interface Line {
  /** The pageviews that it stands for. */
  readonly value: number;
  /** Its place, in CSS pixels. */
  readonly y: number;
}

/** Lists the lines of a scale from 0 to its top: round numbers, the base line first. */
function listLines(top: number): readonly Line[] {
  const magnitude = 10 ** Math.max(0, Math.floor(Math.log10(top)) - 1);
  const steps = [...STEPS, ...STEPS.map((step) => step * 10)].map((step) => step * magnitude);
  const step = steps.find((one) => Math.floor(top / one) <= MAX_LINES) ?? top;
  return Array.from({ length: Math.floor(top / step) + 1 }, (_, index) => {
    const value = index * step;
    return { value, y: round(PLOT_TOP + PLOT_HEIGHT * (1 - value / top)) };
  });
}

function buildScale(lines: readonly Line[]): Html {
  const texts = lines.map(({ value, y }) => ({ text: formatCount(value), y }));
  const width = Math.max(...texts.map(({ text }) => text.length)) * DIGIT_WIDTH + 8;
  return html`<svg class="scale" width="${width}" height="${HEIGHT}">${
    texts.map(({ text, y }) => html`<text x="${width - 8}" y="${y + 4}">${text}</text>`)
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
  const figures = `${formatWeekday(day)}: ${formatCount(total)} (${formatCount(full)} with consent, ${
    formatCount(aggregate)
  } before it)`;
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

/** Chooses the days of a range that are named: each day, the Mondays, or the first of the months. */
function chooseTicks(from: string, to: string): readonly Tick[] {
  const days = listDays(from, to).map((day, index) => ({ day, index }));
  const isMonthly = days.length >= MONTHLY_DAYS;
  const isWeekly = days.length >= WEEKLY_DAYS;
  const candidates = isMonthly
    ? days.filter(({ day }) => day.endsWith("-01"))
    : days.filter(({ day }) => !isWeekly || isMonday(day));
  const every = Math.ceil(candidates.length / MAX_TICKS);
  return candidates.filter((_, place) => place % every === 0)
    .map(({ day, index }) => ({ index, label: isMonthly ? formatMonth(day) : formatShortDay(day) }));
}
