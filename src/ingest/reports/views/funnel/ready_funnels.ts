import { type Html, html } from "../../page/html.ts";
import { buildLink } from "../../page/links.ts";
import { buildChoices } from "../../page/list_controls.ts";
import type { Page } from "../../page/page.ts";
import { proposePage } from "../../page/stage_fields.ts";
import { formatLabel, formatPath } from "../../page/words.ts";
import type { Stage } from "../../query/stages.ts";
import type { FunnelQuery } from "./query.ts";

const MAX_GOALS = 3;

const MAX_PAGES = 3;

const ANY_PAGE = "/*";

/** Builds links to funnels that end at goals: from any page to each, and from the most viewed pages through all of them. */
export function buildReadyFunnels(page: Page<FunnelQuery>): Html | undefined {
  const goals = (page.frequent?.goals ?? []).slice(0, MAX_GOALS);
  if (goals.length === 0) return undefined;
  const pages = (page.frequent?.otherPages ?? []).filter((path) => proposePage(path).length > 0).slice(0, MAX_PAGES);
  const ways = [
    ...goals.map((goal) => ({ start: ANY_PAGE, goals: [goal] })),
    ...(goals.length > 1 ? [{ start: ANY_PAGE, goals }] : []),
    ...pages.map((start) => ({ start, goals })),
  ];
  const current = buildLink(page);
  return html`
    <nav aria-label="Funnels to goals">
      <p class="note">Funnels to the goals, within 30 days:</p>
      ${buildChoices(ways.map((way) => {
        const stages: readonly Stage[] = [[{ page: way.start }], ...way.goals.map((goal) => [{ goal }])];
        const link = buildLink(page, { stages, within: "30d", order: "sequential" });
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
