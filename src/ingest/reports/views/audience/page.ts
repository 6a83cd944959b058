import { AUDIENCE_DIMENSIONS, FILTERS } from "../../../ports/report_filters.ts";
import { formatFilterValue, nameFilter } from "../../page/filters.ts";
import { type Html, html } from "../../page/html.ts";
import { buildFilterLink, buildLink } from "../../page/links.ts";
import { buildList, buildRowLink, NO_VISITORS } from "../../page/list.ts";
import {
  buildChoices,
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
import { formatCount, formatRatio } from "../../page/words.ts";
import { WHOLE_LIST } from "../../query/list_query.ts";
import type { AudienceView } from "./object.ts";
import type { AudienceQuery } from "./query.ts";

type Dimension = AudienceView["dimension"];

/** Builds the list of people by what they come with. */
export function buildAudience(page: Page<AudienceQuery>, view: AudienceView): Html {
  const { dimension, rows, count, other } = view;
  const hasBefore = hasEarlier(rows);
  const listGoalCells = createGoalCells(page, rows);
  return buildList({
    title: "Audience",
    caption: `${describe(view)}; a row leads to their overview${describePairs(page, rows)}${
      describeGoal(page, "of the row")
    }`,
    heads: [
      buildSortHead(page, nameFilter(dimension), "label"),
      buildSortHead(page, "Sessions", "sessions"),
      ...listGoalHeads(page),
      buildSortHead(page, "Visitors", "visitors"),
      buildSortHead(page, "Views", "views"),
      buildSortHead(page, "Bounce rate", "bounceRate"),
    ],
    rows: rows.map(({ label, sessions, visitors, views, bounceRate, before, ...rest }) => ({
      label: buildLabel(page, dimension, label),
      bar: { full: sessions, aggregate: 0 },
      cells: [
        buildPair(page, { now: sessions, before: before?.sessions, hasBefore }),
        ...listGoalCells(rest),
        buildPair(page, { now: visitors, before: before?.visitors, hasBefore }),
        formatCount(views.full),
        formatRatio(bounceRate),
      ],
    })),
    count,
    other: other && [
      formatCount(other.sessions),
      ...listGoalOthers(page),
      NO_VISITORS,
      formatCount(other.views.full),
      formatRatio(other.bounceRate),
    ],
    noun: "rows",
    none: describeNone(page),
    pager: buildPager(page, view, "rows"),
    before: html`
      <nav aria-label="Audience by">
        ${buildChoices(AUDIENCE_DIMENSIONS.map((one) => ({
          link: buildLink(page, { ...WHOLE_LIST, dimension: one }),
          label: nameFilter(one),
          isChosen: one === dimension,
        })))}
      </nav>
      ${buildSearch(page, view, { noun: "rows", hasGoal: true })}
    `,
  });
}

/** Links a label to its filter. What is unknown has none where the filter takes only some values, as that of screens. */
function buildLabel(page: Page<AudienceQuery>, dimension: Dimension, label: string | null): Html {
  const text = label === null ? "unknown" : formatFilterValue(dimension, label);
  const { values } = FILTERS[dimension];
  if (label === null && values !== undefined) return html`${text}`;
  return buildRowLink(buildFilterLink(page, { name: dimension, values: [label ?? ""] }), text);
}

function describe({ dimension, rows }: AudienceView): string {
  const { column } = FILTERS[dimension];
  const isUnknown = column?.field !== undefined && rows.every(({ label }) => label === null);
  if (isUnknown) return "Nothing is known of it: the key's setting dimensions says what is stored, from then on";
  if (dimension === "visitor") return "New visitors were first seen in these days, returning ones before";
  return "Sessions that have it, and what was done with it. A session of two rows counts in both";
}
