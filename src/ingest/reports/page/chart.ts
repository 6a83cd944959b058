import { type Html, html } from "./html.ts";
import { formatCount } from "./words.ts";

/** A bar of a chart. */
export interface Bar {
  /** Below, the part with consent. */
  readonly full: number;
  /** On top, the part before consent. */
  readonly aggregate: number;
  /** Where the line of the period before is; absent where it has ended. */
  readonly before?: number;
  /** Its text in one line, or in two: shown while the pointer is over it. */
  readonly figures: readonly string[];
  /** Name below it; absent for most. */
  readonly tick?: string;
  /** Whether a note of something that changed then marks it. */
  readonly isMarked?: boolean;
  /** Whether it is of a part that isn't over, or isn't whole: it is drawn lighter. */
  readonly isPartial?: boolean;
}

/** The data of a chart. */
export interface Chart {
  /** The bars. */
  readonly bars: readonly Bar[];
  /** Its description for readers who can't see it. */
  readonly description: string;
  /** Where the scale ends, and what follows its numbers; by default it ends at the highest bar or line. */
  readonly scale?: { readonly top: number; readonly unit: string };
}

/** Height of the bars, in the SVG's own units and in CSS pixels. */
const PLOT_HEIGHT = 220;

/** Space above the bars for the figures of one of them, in CSS pixels. */
const PLOT_TOP = 38;

/** Baselines of the figures, in CSS pixels. */
const FIGURES_Y: readonly number[] = [12, 28];

/** Height of the chart with the names of the bars, in CSS pixels. */
const HEIGHT: number = PLOT_TOP + PLOT_HEIGHT + 26;

/** Width of a digit of the scale, in CSS pixels. */
const DIGIT_WIDTH = 8;

/** Most lines across a chart, the base line not counted. */
const MAX_LINES = 5;

/** Most names below a chart: what fits on a phone. */
const MAX_TICKS = 5;

/** Distances between two lines, times a power of ten. */
const STEPS = [1, 2, 5, 10] as const;

/**
 * Draws stacked bars and the line of the period before. Everything across is in percent, everything up and down in pixels:
 * the chart fills its card, and the text isn't stretched with it.
 */
export function buildChart({ bars, description, scale }: Chart): Html {
  if (bars.length === 0) return html``;
  // The scale ends at the highest bar: no part of the card is empty.
  const top = scale?.top ?? Math.max(1, ...bars.map((bar) => Math.max(bar.full + bar.aggregate, bar.before ?? 0)));
  const lines = listLines(top);
  return html`<div class="chart" role="img" aria-label="${description}">
${buildScale(lines, scale?.unit ?? "")}
<svg class="plot" width="100%" height="${HEIGHT}">
${
    lines.map(({ y, value }) =>
      html`
        <line class="${value === 0 ? "base" : "grid"}" x2="100%" y1="${y}" y2="${y}" />
      `
    )
  }
<svg y="${PLOT_TOP}" width="100%" height="${PLOT_HEIGHT}" viewBox="0 0 ${bars.length} ${PLOT_HEIGHT}" preserveAspectRatio="none">
${
    [false, true].map((isPartial) =>
      html`${buildBars(bars, { kind: "full", isPartial, top })}${
        buildBars(bars, { kind: "aggregate", isPartial, top })
      }`
    )
  }${buildBefore(bars, top)}
</svg>
${
    chooseTicks(bars).map(({ index, label }) =>
      html`<text x="${toPercent(index, bars.length)}" y="${PLOT_TOP + PLOT_HEIGHT + 18}">${label}</text>`
    )
  }
${bars.flatMap((bar, index) => bar.isMarked ? buildMark({ index, count: bars.length }) : [])}${
    bars.map((bar, index) => buildColumn(bar, { index, count: bars.length }))
  }
</svg>
</div>`;
}

/** A line across the chart. */
interface Line {
  /** The value that it stands for. */
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

function buildScale(lines: readonly Line[], unit: string): Html {
  const texts = lines.map(({ value, y }) => ({ text: formatCount(value) + unit, y }));
  const width = Math.max(...texts.map(({ text }) => text.length)) * DIGIT_WIDTH + 8;
  return html`<svg class="scale" width="${width}" height="${HEIGHT}">${
    texts.map(({ text, y }) => html`<text x="${width - 8}" y="${y + 4}">${text}</text>`)
  }</svg>`;
}

interface Bars {
  readonly kind: "full" | "aggregate";
  /** Of which parts. */
  readonly isPartial: boolean;
  /** Where the scale ends. */
  readonly top: number;
}

/** Draws the bars of one kind as one path: an element for each takes a browser noticeably longer. */
function buildBars(bars: readonly Bar[], { kind, isPartial, top }: Bars): Html | undefined {
  const paths = bars.map((bar, index) => {
    if (bar[kind] === 0 || (bar.isPartial === true) !== isPartial) return "";
    const height = round(bar[kind] / top * PLOT_HEIGHT);
    const base = kind === "full" ? 0 : bar.full / top * PLOT_HEIGHT;
    return `M${round(index + 0.12)} ${round(PLOT_HEIGHT - base)}v-${height}h0.76v${height}z`;
  });
  const path = paths.join("");
  if (path === "") return undefined;
  return html`
    <path class="${kind}${isPartial && " partial"}" d="${path}" />
  `;
}

/** Draws the line of the period before, through the middles of the bars. */
function buildBefore(bars: readonly Bar[], top: number): Html | undefined {
  const points = bars.flatMap(({ before }, index) =>
    before === undefined ? [] : [`${round(index + 0.5)} ${round(PLOT_HEIGHT * (1 - before / top))}`]
  );
  return points.length > 1 && bars.some(({ before = 0 }) => before > 0)
    ? html`
      <path class="before" d="M${points.join("L")}" vector-effect="non-scaling-stroke" />
    `
    : undefined;
}

/** Draws a line through a bar, with a point on top. */
function buildMark({ index, count }: { readonly index: number; readonly count: number }): Html {
  const x = toPercent(index + 0.5, count);
  return html`
    <line class="mark" x1="${x}" x2="${x}" y1="${PLOT_TOP}" y2="${PLOT_TOP + PLOT_HEIGHT}" />
    <circle class="mark" cx="${x}" cy="${PLOT_TOP}" r="4" />
  `;
}

// A bar's figures appear while the pointer is over its column; without a script, the column holds them.
function buildColumn({ figures }: Bar, { index, count }: { index: number; count: number }): Html {
  return html`
    <g class="column">
      <rect x="${toPercent(index, count)}" y="${PLOT_TOP}" width="${toPercent(1, count)}" height="${PLOT_HEIGHT}" />
      ${figures.map((text, line) => html`<text y="${FIGURES_Y[line] ?? 0}">${text}</text>`)}
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
  /** Place of its bar, 0 for the first one. */
  readonly index: number;
  /** The name. */
  readonly label: string;
}

/** Chooses names that fit. */
function chooseTicks(bars: readonly Bar[]): readonly Tick[] {
  const named = bars.flatMap(({ tick }, index) => tick === undefined ? [] : [{ index, label: tick }]);
  const every = Math.ceil(named.length / MAX_TICKS);
  return named.filter((_, place) => place % every === 0);
}
