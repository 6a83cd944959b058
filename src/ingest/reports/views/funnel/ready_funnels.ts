import { type Html, html } from "../../page/html.ts";
import { buildLink } from "../../page/links.ts";
import { buildChoices } from "../../page/list_controls.ts";
import type { Page } from "../../page/page.ts";
import { proposePage } from "../../page/stage_fields.ts";
import { ANY_PAGE } from "../../page/stages.ts";
import { formatLabel, formatPath } from "../../page/words.ts";
import type { Stage } from "../../query/stages.ts";
import type { FunnelQuery } from "./query.ts";

const MAX_GOALS = 3;

/** Most pages of filters and of the first stage. */
const MAX_ASKED = 2;

const MAX_PAGES = 5;

/**
 * Builds links to funnels that end at goals: from the page that is asked for, and from any page, to each and through all of
 * them, and from the most viewed pages through all of them.
 */
export function buildReadyFunnels(page: Page<FunnelQuery>): Html | undefined {
  const goals = (page.frequent?.goals ?? []).slice(0, MAX_GOALS);
  if (goals.length === 0) return undefined;
  const asked = [...new Set(listAskedPages(page.query).filter(canBeStage))].slice(0, MAX_ASKED);
  const pages = (page.frequent?.otherPages ?? []).filter(canBeStage).slice(0, MAX_PAGES);
  const ways = [
    ...[...asked, ANY_PAGE].flatMap((start) => [
      ...goals.map((goal) => ({ start, goals: [goal] })),
      ...(goals.length > 1 ? [{ start, goals }] : []),
    ]),
    ...pages.filter((start) => !asked.includes(start)).map((start) => ({ start, goals })),
  ];
  // Under a filter of a page, stages on other pages have nobody.
  const filters = page.query.filters.filter(({ name }) => name !== "page");
  const current = buildLink(page);
  return html`
    <nav aria-label="Funnels to goals">
      <p class="note">Funnels to the goals, within 30 days:</p>
      ${buildChoices(ways.map((way) => {
        const stages: readonly Stage[] = [[{ page: way.start }], ...way.goals.map((goal) => [{ goal }])];
        const link = buildLink(page, { filters, stages, within: "30d", order: "sequential" });
        const label = html`<bdi>${way.start === ANY_PAGE ? "any page" : formatLabel(formatPath(way.start))}</bdi>${
          way.goals.map((goal) =>
            html`
              → <bdi>${formatLabel(goal)}</bdi>
            `
          )
        }`;
        return { link, label, isChosen: link === current };
      }))}
    </nav>
  `;
}

/** Lists the pages of the filters, and that of the first stage, which stays when a link leaves the filter out. */
function listAskedPages({ filters, stages: [first = []] }: Page<FunnelQuery>["query"]): readonly string[] {
  return [
    ...filters.flatMap(({ name, values }) => name === "page" ? values : []),
    ...first.flatMap((event) => "page" in event ? [event.page] : []),
  ].filter((path) => path !== ANY_PAGE);
}

function canBeStage(path: string): boolean {
  return proposePage(path).length > 0;
}
