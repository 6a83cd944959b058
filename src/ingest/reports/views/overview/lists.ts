import { MIDWAY_CHANNEL } from "../../../events/channels.ts";
import { describeOtherPages } from "../../page/filters.ts";
import { type Html, html } from "../../page/html.ts";
import { buildFilterLink, buildLink } from "../../page/links.ts";
import { buildList, buildRowLink, type List, type ListRow } from "../../page/list.ts";
import { hasEarlier } from "../../page/list_controls.ts";
import type { Page } from "../../page/page.ts";
import { buildSourceLink } from "../../page/source_words.ts";
import { formatChange, formatCount, formatFineRatio, formatLabel, formatPath, nameBeside } from "../../page/words.ts";
import type { ViewCounts } from "../../../ports/report_counts.ts";
import type { GoalQuery } from "../../query/goal_query.ts";
import { countViews } from "../../view/spans.ts";
import type { OverviewView } from "./object.ts";

/** Builds the first rows of the other views, each beside the period before, and with the way to all of them. */
export function buildLists(page: Page, { current, lists: { pages, sources, steps, goals } }: OverviewView): Html {
  const midway = current.sessions - current.landings;
  const hasToldMidway = sources?.rows.some(({ label, sessions }) => label === MIDWAY_CHANNEL && sessions < midway);
  return html`<div class="columns">${
    pages && buildFirst(page, {
      ...{ view: "pages", title: "Pages", noun: "pages", count: pages.count, heads: ["Path", "Views"] },
      rows: pages.rows.map(({ path, views, before }) => ({
        label: buildRowLink(buildFilterLink(page, { name: "page", values: [path] }), formatLabel(formatPath(path))),
        figure: views,
        before: before && countViews(before.views),
      })),
    })
  }${
    sources && buildFirst(page, {
      ...{ view: "sources", title: "Sources", noun: "channels", count: sources.count, heads: ["Channel", "Sessions"] },
      ...hasToldMidway && { remark: ". Of the sessions that joined midway, those that tell a source stand under it" },
      rows: sources.rows.map(({ label, sessions, before }) => ({
        label: buildSourceLink(page, "channel", label),
        figure: { full: sessions, aggregate: 0 },
        before: before && before.sessions,
      })),
    })
  }${
    steps && buildFirst(page, {
      ...{ view: "steps", title: "Steps", noun: "steps", count: steps.count, heads: ["Name", "Times"] },
      rows: steps.rows.map(({ name, count, before }) => ({
        label: buildRowLink(buildFilterLink(page, { name: "step", values: [name] }), formatLabel(name)),
        figure: { full: count, aggregate: 0 },
        isPlain: name.startsWith("$"),
        before: before && before.count,
      })),
    })
  }${
    goals && goals.count > 0 && (buildGoalsElsewhere(page, goals) ?? buildFirst(page, {
      ...{ view: "goals", title: "Goals", noun: "goals", count: goals.count },
      heads: ["Goal", "Visitors", "Conversion rate"],
      rows: goals.rows.map(({ name, current, before }) => ({
        label: buildRowLink(buildFilterLink(page, { name: "goal", values: [name] }), formatLabel(name)),
        figure: { full: current.visitors, aggregate: 0 },
        cells: [formatFineRatio(current.conversionRate)],
        before: before.visitors === 0 ? null : before.visitors,
      })),
    }))
  }</div>`;
}

/** Leads from an overview of some pages to the goals that their sessions reach anywhere; undefined without that filter. */
function buildGoalsElsewhere(
  page: Page<GoalQuery>,
  { rows }: NonNullable<OverviewView["lists"]["goals"]>,
): Html | undefined {
  const others = describeOtherPages(page.query.filters);
  if (others === undefined) return undefined;
  const links = rows.map(({ name }, index) =>
    html`${index > 0 && ", "}<a href="${buildLink(page, { view: "pages", goal: name })}"><bdi>${
      formatLabel(name)
    }</bdi></a>`
  );
  const isOpen = page.sections.some(({ name }) => name === "pages");
  return html`
    <section class="card">
      <h2>Goals</h2>
      <p class="note">${others}.${isOpen && html`
        Pages has the share of a page's sessions that reach a goal on any page: ${links}.
      `}</p>
    </section>
  `;
}

/** First rows of a view. */
interface First extends Pick<List, "title" | "noun" | "count"> {
  /** Its name. */
  readonly view: string;
  /** Names of the columns, but for the change. */
  readonly heads: readonly string[];
  readonly rows: readonly FirstRow[];
  /** What its caption ends with. */
  readonly remark?: string;
}

interface FirstRow extends Pick<ListRow, "label"> {
  /** Its figure. */
  readonly figure: ViewCounts;
  /** Whether its bar would dwarf those of others, and is left out. */
  readonly isPlain?: boolean;
  /** Other figures. */
  readonly cells?: readonly string[];
  /** The figure of the period before; null for none. */
  readonly before: number | null;
}

function buildFirst(page: Page, { view, title, noun, count, heads, rows, remark = "" }: First): Html {
  const hasBefore = hasEarlier(rows);
  const { filters, compare } = page.query;
  const isOpen = page.sections.some(({ name }) => name === view);
  return buildList({
    title,
    caption: (hasBefore
      ? `Change from ${compare === "before" ? "the period before" : nameBeside(page.query)}`
      : "A row leads to what it has part in") + remark,
    heads: [...heads, "Change"],
    rows: rows.map(({ label, figure, isPlain = false, cells = [], before }) => ({
      label,
      bar: isPlain ? { full: 0, aggregate: 0 } : figure,
      cells: [formatCount(countViews(figure)), ...cells, hasBefore ? describeChange(countViews(figure), before) : "–"],
    })),
    count: rows.length,
    noun,
    none: filters.length > 0 ? "None under these filters." : "None in these days.",
    after: isOpen && rows.length > 0
      ? html`
        <p class="note"><a href="${buildLink(page, { view })}">All ${count > rows.length &&
          `${formatCount(count)} `}${noun}</a></p>
      `
      : undefined,
  });
}

/** Says how a figure changed; of a few, what it was before. */
function describeChange(now: number, before: number | null): string {
  if (before === null) return now === 0 ? "–" : "new";
  return formatChange(now, before) || `${formatCount(before)} before`;
}
