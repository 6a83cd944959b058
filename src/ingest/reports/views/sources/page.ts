import { MAX_TOLD_SOURCES, MIDWAY_CHANNEL, UNTOLD_CHANNEL } from "../../../events/channels.ts";
import { SOURCE_GROUPINGS } from "../../../ports/report_query.ts";
import { nameFilter } from "../../page/filters.ts";
import { type Html, html } from "../../page/html.ts";
import { buildLink } from "../../page/links.ts";
import { buildList, NO_VISITORS } from "../../page/list.ts";
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
import { buildSourceLink, nameSource, toFilterName } from "../../page/source_words.ts";
import { formatCount, formatRatio } from "../../page/words.ts";
import { WHOLE_LIST } from "../../query/list_query.ts";
import { countViews } from "../../view/spans.ts";
import type { SourcesView } from "./object.ts";
import { SOURCES_OF, type SourcesQuery } from "./query.ts";

/** Names on the page of those under whose source sessions are listed. */
const OF_WHOM: Readonly<Record<SourcesView["of"], { readonly label: string; readonly caption: string }>> = {
  session: { label: "Of the session", caption: "sessions, which are with consent" },
  first: {
    label: "Of the visitor's first",
    caption: "each visitor's first session in all that is kept. Views before consent have no visitor, and are left out",
  },
};

const MIDWAY = ". Sessions that joined midway began after the first page, with the consent";

/** Builds the list of sources. */
export function buildSources(page: Page<SourcesQuery>, view: SourcesView): Html {
  const { by, of, rows, count, other } = view;
  const hasBefore = hasEarlier(rows);
  const listGoalCells = createGoalCells(page, rows);
  // Arrivals before consent have no session: of a site that has nothing else, they are all there is to tell.
  const hasViews = rows.some(({ views }) => views.aggregate > 0);
  const isOfViews = rows.every(({ sessions }) => sessions === 0);
  const isTagged = by !== "channel" && by !== "referrer" && by !== "source" && by !== "landing";
  const isUntold = by === "channel" && rows.some(({ label }) => label === UNTOLD_CHANNEL);
  const isMidway = rows.some(({ label }) =>
    by === "channel" ? label === MIDWAY_CHANNEL : by === "landing" && label === null
  );
  return buildList({
    title: "Sources",
    caption: `By the ${isTagged ? "utm_" : ""}${by}${by === "landing" ? " page" : ""} of ${OF_WHOM[of].caption}${
      isUntold
        ? `. There are too many sources to list each channel: all but the ${
          formatCount(MAX_TOLD_SOURCES)
        } most frequent are ${UNTOLD_CHANNEL}`
        : ""
    }${
      hasViews
        ? ". Arrivals are the pageviews that came from there, of both kinds: those before consent name no campaign"
        : ""
    }${isMidway ? `${MIDWAY}${by === "channel" ? "; those of them that tell a source stand under it" : ""}` : ""}${
      describePairs(page, rows)
    }${describeGoal(page, "from there")}`,
    heads: [
      buildSortHead(page, nameFilter(toFilterName(by)), "label"),
      buildSortHead(page, "Sessions", "sessions"),
      ...listGoalHeads(page),
      buildSortHead(page, "Visitors", "visitors"),
      ...(hasViews ? [buildSortHead(page, "Arrivals", "views")] : []),
      buildSortHead(page, "Bounce rate", "bounceRate"),
    ],
    rows: rows.map(({ label, sessions, visitors, views, bounceRate, before, ...rest }) => ({
      // A filter chooses by the source of the session itself.
      label: of === "first" ? html`<bdi>${nameSource(by, label)}</bdi>` : buildSourceLink(page, by, label),
      bar: isOfViews ? views : { full: sessions, aggregate: 0 },
      cells: [
        buildPair(page, { now: sessions, before: before?.sessions, hasBefore }),
        ...listGoalCells(rest),
        buildPair(page, { now: visitors, before: before?.visitors, hasBefore }),
        ...(hasViews ? [formatCount(countViews(views))] : []),
        formatRatio(bounceRate),
      ],
    })),
    count,
    other: other && [
      formatCount(other.sessions),
      ...listGoalOthers(page),
      NO_VISITORS,
      ...(hasViews ? [formatCount(countViews(other.views))] : []),
      formatRatio(other.bounceRate),
    ],
    noun: "sources",
    none: describeNone(page),
    pager: buildPager(page, view, "sources"),
    before: html`
      <nav aria-label="Sources by">
        ${buildChoices(SOURCE_GROUPINGS.map((one) => ({
          link: buildLink(page, { ...WHOLE_LIST, by: one }),
          label: nameFilter(toFilterName(one)),
          isChosen: one === by,
        })))}
      </nav>
      <nav aria-label="Sources of">
        ${buildChoices(SOURCES_OF.map((one) => ({
          link: buildLink(page, { ...WHOLE_LIST, of: one }),
          label: OF_WHOM[one].label,
          isChosen: one === of,
        })))}
      </nav>
      ${buildSearch(page, view, { noun: "sources", hasGoal: true })}
    `,
  });
}
