import { type Html, html } from "../../page/html.ts";
import { buildFilterLink } from "../../page/links.ts";
import { buildList, buildRowLink, type List, NO_VISITORS } from "../../page/list.ts";
import {
  buildPager,
  buildPair,
  buildSearch,
  buildSortHead,
  createGoalCells,
  describeGoal,
  describeNone,
  describePairs,
  hasEarlier,
  listGoalHeads,
  listGoalOthers,
} from "../../page/list_controls.ts";
import type { Page } from "../../page/page.ts";
import { formatCount, formatDuration, formatLabel, formatPath, formatRatio } from "../../page/words.ts";
import { divide } from "../../view/divide.ts";
import { countViews, toConsentShare } from "../../view/spans.ts";
import type { PagesQuery, PagesView } from "./object.ts";

/** Builds the list of pages. */
export function buildPages(page: Page<PagesQuery>, view: PagesView): Html {
  const { rows, count, other } = view;
  const hasBefore = hasEarlier(rows);
  const listGoalCells = createGoalCells(page, rows);
  const hasGoal = page.query.goal !== undefined;
  return buildList({
    title: "Pages",
    caption:
      "By pageviews; a page leads to its overview, landings and exits to their sessions. Landings and bounces are of sessions from their first page on" +
      `${describePairs(page, rows)}${describeGoal(page, "that viewed the page")}${
        !hasGoal && page.goalNames.length > 0
          ? ". Exits after a goal count, too: choose the goal for those without it"
          : ""
      }`,
    heads: [
      buildSortHead(page, "Path", "path"),
      buildSortHead(page, "Views", "views"),
      ...listGoalHeads(page),
      buildSortHead(page, "Visitors", "visitors"),
      buildSortHead(page, "With consent", "consentShare"),
      buildSortHead(page, "Landings", "entries"),
      buildSortHead(page, "Exits", "exits"),
      ...(hasGoal ? ["Exits without the\u00a0goal"] : []),
      buildSortHead(page, "Exit rate", "exitRate"),
      buildSortHead(page, "Bounce rate", "bounceRate"),
      buildSortHead(page, "Time per\u00a0view", "engagedMsPerView"),
    ],
    rows: rows.map((
      { path, views, visitors, consentShare, entries, exits, exitRate, bounceRate, before, ...rest },
    ) => ({
      label: buildRowLink(buildFilterLink(page, { name: "page", values: [path] }), formatLabel(formatPath(path))),
      bar: views,
      cells: [
        buildPair(page, { now: countViews(views), before: before ? countViews(before.views) : 0, hasBefore }),
        ...listGoalCells(rest),
        buildPair(page, { now: visitors, before: before?.visitors, hasBefore }),
        formatRatio(consentShare),
        buildCountLink(page, { name: "entry", path, count: entries }),
        buildCountLink(page, { name: "exit", path, count: exits }),
        ...(hasGoal ? [formatCount(rest.conversion?.exitsWithout ?? 0)] : []),
        formatRatio(exitRate),
        formatRatio(bounceRate),
        formatDuration(rest.engagedMsPerView),
      ],
    })),
    count,
    sum: sumUp(page, view),
    other: other && [
      formatCount(countViews(other.views)),
      ...listGoalOthers(page),
      NO_VISITORS,
      formatRatio(other.consentShare),
      ...[other.entries, other.exits].map(formatCount),
      ...(hasGoal ? ["–"] : []),
      formatRatio(other.exitRate),
      formatRatio(other.bounceRate),
      formatDuration(other.engagedMsPerView),
    ],
    noun: "pages",
    none: describeNone(page),
    before: buildSearch(page, view, { noun: "pages", hasGoal: true, hasSum: !page.isCoarse }),
    pager: buildPager(page, view, "pages"),
  });
}

/** Leads from a number of sessions to them. */
function buildCountLink(
  page: Page<PagesQuery>,
  { name, path, count }: { readonly name: "entry" | "exit"; readonly path: string; readonly count: number },
): Html | string {
  if (count === 0) return formatCount(count);
  return html`<a href="${buildFilterLink(page, { name, values: [path] })}">${formatCount(count)}<span class="unseen"> ${
    name === "entry" ? "landings" : "exits"
  } of ${formatLabel(formatPath(path))}</span></a>`;
}

/** Adds up a group of pages, which a text or a filter chooses; undefined for all pages, and for rounded figures. */
function sumUp(page: Page<PagesQuery>, { rows, count, other }: PagesView): List["sum"] {
  const { contains, filters, goal } = page.query;
  const isGroup = contains !== undefined || filters.some(({ name }) => name === "page");
  if (!isGroup || page.isCoarse || count < 2) return undefined;
  const all = other === null ? rows : [...rows, other];
  const add = (figure: (row: typeof all[number]) => number): number => all.reduce((sum, row) => sum + figure(row), 0);
  const views = { full: add((row) => row.views.full), aggregate: add((row) => row.views.aggregate) };
  const engagedMs = add((row) => (row.engagedMsPerView ?? 0) * row.views.full);
  return {
    label: `These ${formatCount(count)} pages together`,
    cells: [
      formatCount(countViews(views)),
      ...listGoalOthers(page),
      NO_VISITORS,
      formatRatio(toConsentShare(views, filters).consentShare),
      ...[add(({ entries }) => entries), add(({ exits }) => exits)].map(formatCount),
      ...(goal === undefined ? [] : ["–"]),
      ...["–", "–"],
      formatDuration(engagedMs === 0 ? null : divide(engagedMs, views.full)),
    ],
  };
}
