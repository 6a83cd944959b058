import { MAX_TOLD_SOURCES, UNTOLD_CHANNEL } from "../../events/channels.ts";
import type { ViolationKind } from "@vendor/sdk/contract";
import {
  type FilterName,
  SOURCE_GROUPINGS,
  type SourceGrouping,
  type ValueCounts,
  type ViewCounts,
} from "../../ports/reader.ts";
import { buildStepChart } from "../views/steps/chart.ts";
import { describeOtherPages, formatFilterValue, nameFilter } from "./filters.ts";
import { type Html, html } from "./html.ts";
import {
  buildFilterLink,
  buildLink,
  formatCount,
  formatCountOf,
  formatDuration,
  formatLabel,
  formatNumber,
  formatPath,
  formatRatio,
  type Page,
} from "./words.ts";
import { SOURCES_OF } from "../views/view_query.ts";
import type { PagesView, SourcesView, StepsView, StepValuesView, TargetsView } from "../views/views.ts";

/** Most rows of each list. */
export const PAGE_ROWS = 25;

/** A list. */
export interface List {
  readonly title: string;
  readonly caption: string;
  /** Names of its columns. */
  readonly heads: readonly string[];
  /** Its rows. */
  readonly rows: readonly ListRow[];
  /** How many there are. */
  readonly count: number;
  /** Cells of what the rows leave out together, behind its name; none where nothing is left out. */
  readonly other?: readonly string[] | null | undefined;
  /** What is counted, in the plural. */
  readonly noun: string;
  /** What stands in its place where it has no rows; "None in these days." by default. */
  readonly none?: string;
  /** What stands above and below it. */
  readonly before?: Html;
  readonly after?: Html | undefined;
}

/** Stands for the visitors of several rows, who don't add up. */
const NO_VISITORS = "–";

/** A row of a list. */
export interface ListRow {
  /** Its name, with the link that it leads to. */
  readonly label: Html;
  /** How long its bar is, beside those of other rows. */
  readonly bar: ViewCounts;
  /** The other cells. */
  readonly cells: readonly (string | Html)[];
}

/** Builds a card with a list. */
export function buildList(
  { title, caption, heads, rows, count, noun, none = "None in these days.", before, after, other }: List,
): Html {
  if (rows.length === 0) {
    return html`<section class="card"><h2>${title}</h2>${before}<p class="note">${none}</p>${after}</section>`;
  }
  const most = Math.max(1, ...rows.map(({ bar: { full, aggregate } }) => full + aggregate));
  const rest = rows.length < count &&
    html`<p class="note">${formatCount(rows.length)} of ${formatCount(count)} ${noun}; the file below has more.</p>`;
  return html`<section class="card"><h2>${title}</h2>${before}<p class="caption">${caption}</p>
<div class="scroll"${
    heads.length > 4 && html`
      tabindex="0" role="group" aria-label="${title}"
    `
  }>
<table${
    heads.length > 4 && html`
      class="wide"
    `
  }><caption class="unseen">${title}</caption>
<thead><tr>${heads.map((head) => html`<th scope="col">${head}</th>`)}</tr></thead>
<tbody>${
    rows.map(({ label, bar, cells }) =>
      html`<tr><th scope="row"><span class="label">${label}</span>${buildBar(bar, most)}</th>${
        cells.map((cell) => html`<td>${cell}</td>`)
      }</tr>`
    )
  }${
    other
      ? html`<tr class="other"><th scope="row"><span class="label">Other</span></th>${
        other.map((cell) => html`<td>${cell}</td>`)
      }</tr>`
      : ""
  }</tbody></table></div>${rest}${after}</section>`;
}

function buildBar({ full, aggregate }: ViewCounts, most: number): Html {
  const [first, second] = [full, aggregate].map((count) => `${(count / most * 100).toFixed(1)}%`);
  return html`
    <svg class="share" aria-hidden="true" width="100%" height="4">
      <rect class="full" width="${first}" height="4" />
      <rect class="aggregate" x="${first}" width="${second}" height="4" />
    </svg>
  `;
}

/** Builds the list of pages. */
export function buildPages(page: Page, { rows, count, other }: PagesView): Html {
  const hasEngagement = rows.some(({ engagedMsPerView }) => engagedMsPerView !== null);
  return buildList({
    title: "Pages",
    caption:
      "By pageviews; a page leads to its overview. Entries and bounces are of sessions from their first page on.",
    heads: [
      ...["Path", "Views", "Visitors", "With consent", "Entries", "Exits", "Bounce rate"],
      ...(hasEngagement ? ["Time per view"] : []),
    ],
    rows: rows.map(({ path, views, visitors, consentShare, entries, exits, bounceRate, engagedMsPerView }) => ({
      label: buildRowLink(buildFilterLink(page, { name: "page", values: [path] }), formatLabel(formatPath(path))),
      bar: views,
      cells: [
        ...[views.full + views.aggregate, visitors].map(formatCount),
        formatRatio(consentShare),
        ...[entries, exits].map(formatCount),
        formatRatio(bounceRate),
        ...(hasEngagement ? [formatDuration(engagedMsPerView)] : []),
      ],
    })),
    count,
    other: other && [
      formatCount(other.views.full + other.views.aggregate),
      NO_VISITORS,
      formatRatio(other.consentShare),
      ...[other.entries, other.exits].map(formatCount),
      formatRatio(other.bounceRate),
      ...(hasEngagement ? [formatDuration(other.engagedMsPerView)] : []),
    ],
    noun: "pages",
  });
}

/** Builds the link of a row, whose text is foreign and stays apart from what surrounds it. */
export function buildRowLink(link: string, label: string): Html {
  return html`<a href="${link}"><bdi>${label}</bdi></a>`;
}

/** What the page calls whose source sessions are listed under. */
const OF_WHOM: Readonly<Record<SourcesView["of"], { readonly label: string; readonly caption: string }>> = {
  session: { label: "Of the session", caption: "sessions, which are with consent" },
  first: {
    label: "Of the visitor's first",
    caption: "each visitor's first session in all that is kept. Views before consent have no visitor, and are left out",
  },
};

/** Builds the list of sources. */
export function buildSources(page: Page, { by, of, rows, count, other }: SourcesView): Html {
  const isTagged = by !== "channel" && by !== "referrer" && by !== "source" && by !== "landing";
  const isUntold = by === "channel" && rows.some(({ label }) => label === UNTOLD_CHANNEL);
  return buildList({
    title: "Sources",
    caption: `By the ${isTagged ? "utm_" : ""}${by}${by === "landing" ? " page" : ""} of ${OF_WHOM[of].caption}${
      isUntold
        ? `. Of so many sources the ${
          formatCount(MAX_TOLD_SOURCES)
        } most frequent are told, the rest is ${UNTOLD_CHANNEL}`
        : ""
    }`,
    heads: [nameFilter(toFilterName(by)), "Sessions", "Visitors", "Bounce rate"],
    rows: rows.map(({ label, sessions, visitors, bounceRate }) => ({
      // A filter chooses by the source of the session itself.
      label: of === "first" ? html`<bdi>${nameSource(by, label)}</bdi>` : buildSourceLink(page, by, label),
      bar: { full: sessions, aggregate: 0 },
      cells: [...[sessions, visitors].map(formatCount), formatRatio(bounceRate)],
    })),
    count,
    other: other && [formatCount(other.sessions), NO_VISITORS, formatRatio(other.bounceRate)],
    noun: "sources",
    before: html`
      <nav aria-label="Sources by">
        <ul class="presets">${SOURCE_GROUPINGS.map((one) =>
          html`<li><a href="${buildLink(page, { by: one })}"${
            one === by && html`
              aria-current="true"
            `
          }>${nameFilter(toFilterName(one))}</a></li>`
        )}</ul>
      </nav>
      <nav aria-label="Sources of">
        <ul class="presets">${SOURCES_OF.map((one) =>
          html`<li><a href="${buildLink(page, { of: one })}"${
            one === of && html`
              aria-current="true"
            `
          }>${OF_WHOM[one].label}</a></li>`
        )}</ul>
      </nav>
    `,
  });
}

/** Builds the link of a source to the sessions from there. */
export function buildSourceLink(page: Pick<Page, "query">, by: SourceGrouping, label: string | null): Html {
  const name = toFilterName(by);
  // No filter chooses the sessions that joined midway.
  if (name === "entry" && label === null) return html`${nameSource(by, label)}`;
  return buildRowLink(buildFilterLink(page, { name, values: [label ?? ""] }), nameSource(by, label));
}

/** Names where sessions came from. */
export function nameSource(by: SourceGrouping, label: string | null): string {
  if (label !== null) return formatFilterValue(toFilterName(by), label);
  return by === "landing" ? "joined midway" : `no ${by}`;
}

function toFilterName(by: SourceGrouping): FilterName {
  return by === "landing" ? "entry" : by;
}

/** Builds the list of steps, the values of one, and what breaks the plan. */
export function buildSteps(page: Page, view: StepsView): Html {
  const { rows, count, other, values, violations, targets } = view;
  const others = describeOtherPages(page.query.filters);
  return html`${values && html`${buildStepChart(page, values)}${buildValues(page, values)}`}${
    buildList({
      title: "Steps",
      caption: `By how often they happened; a step leads to the sessions that have it. Pageviews aren't among them.${
        others === undefined ? "" : ` ${others}.`
      }`,
      heads: ["Name", "Times", "Visitors", "Chart, values"],
      rows: rows.map(({ name, count: times, visitors }) => ({
        label: buildRowLink(buildFilterLink(page, { name: "step", values: [name] }), formatLabel(name)),
        bar: { full: times, aggregate: 0 },
        cells: [...[times, visitors].map(formatCount), buildValuesLink(page, name)],
      })),
      count,
      other: other && [formatCount(other.count), NO_VISITORS, ""],
      noun: "names",
    })
  }${targets.map((one) => buildTargets(page, one))}${violations.length > 0 && buildViolations(view)}`;
}

/** What the lists of targets are called. */
const TARGET_LABELS: Readonly<Record<TargetsView["step"], { readonly title: string; readonly noun: string }>> = {
  $outbound: { title: "Links that lead away", noun: "links" },
  $download: { title: "Downloads", noun: "files" },
  $form: { title: "Forms", noun: "forms" },
};

/** Builds the list of where an automatic event led to. */
function buildTargets(page: Page, { step, key, rows, count, other }: TargetsView): Html {
  const { title, noun } = TARGET_LABELS[step];
  return buildList({
    title,
    caption: `By the ${key} of ${step}; a row leads to the sessions that have it`,
    heads: [{ url: "Address", form: "Form", path: "Path" }[key], "Times", "Visitors"],
    rows: rows.map((row) => buildValue(page, { step, key, ...row })),
    count,
    other: other && [formatCount(other.count), NO_VISITORS],
    noun,
  });
}

/** Builds the row of a value. */
function buildValue(
  page: Page,
  { step, key, value, count, visitors }: ValueCounts & { readonly step: string; readonly key: string },
): ListRow {
  const link = buildFilterLink(page, { name: "property", step, key, values: [JSON.stringify(value)] });
  return {
    label: buildRowLink(link, formatValue(value)),
    bar: { full: count, aggregate: 0 },
    cells: [count, visitors].map(formatCount),
  };
}

function buildValuesLink(page: Page, step: string): Html {
  const { key: _, ...query } = page.query;
  const link = buildLink({ query: { ...query, view: "steps", step } });
  return html`<a href="${link}">Show<span class="unseen"> chart and values of <bdi>${
    formatLabel(step)
  }</bdi></span></a>`;
}

function buildValues(page: Page, { step, keys, key, rows, count, other, numbers }: StepValuesView): Html {
  const name = formatLabel(step);
  if (key === null) {
    return html`
      <section class="card">
        <h2>Values of <bdi>${name}</bdi></h2>
        <p class="note">It has no properties with a single value in these days.</p>
      </section>
    `;
  }
  return buildList({
    title: `Values of ${name}`,
    caption: `By value of the property ${formatLabel(key)}; a value leads to the sessions that have it`,
    heads: ["Value", "Times", "Visitors"],
    rows: rows.map((row) => buildValue(page, { step, key, ...row })),
    count,
    other: other && [formatCount(other.count), NO_VISITORS],
    noun: "values",
    before: html`
      <nav aria-label="Properties">
        <ul class="presets">${keys.map((one) =>
          html`<li><a href="${buildLink(page, { step, key: one })}"${
            one === key && html`
              aria-current="true"
            `
          }><bdi>${formatLabel(one)}</bdi></a></li>`
        )}</ul>
      </nav>
    `,
    after: numbers === null
      ? undefined
      : html`<p class="note">${formatCountOf(numbers.count, "number")}: sum ${formatNumber(numbers.sum)}, median ${
        formatNumber(numbers.median)
      }, 90% of them at most ${formatNumber(numbers.p90)}.</p>`,
  });
}

/** Writes a value; a text that reads like a number or a word of JSON stands in quotes. */
function formatValue(value: ValueCounts["value"]): string {
  if (typeof value !== "string") return JSON.stringify(value);
  return /^(-?\d.*|true|false|null)$/.test(value) ? `"${formatLabel(value)}"` : formatLabel(value);
}

/** What is wrong with an event that breaks the plan, for people. */
const VIOLATION_LABELS: Readonly<Record<ViolationKind, string>> = {
  unknown: "unknown name",
  missing: "missing property",
  invalid: "wrong property",
};

function buildViolations({ violations, violationCount }: StepsView): Html {
  return buildList({
    title: "Off the plan",
    caption: "Events that break the plan, by name and fault",
    heads: ["Name", "Fault", "Events"],
    rows: violations.map(({ name, kind, count }) => ({
      label: html`<bdi>${formatLabel(name)}</bdi>`,
      bar: { full: count, aggregate: 0 },
      cells: [VIOLATION_LABELS[kind], formatCount(count)],
    })),
    count: violationCount,
    noun: "faults",
  });
}
