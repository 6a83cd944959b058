import { type Html, html } from "../../page/html.ts";
import { buildLink } from "../../page/links.ts";
import { buildList } from "../../page/list.ts";
import type { Page } from "../../page/page.ts";
import { buildHidden, buildProposals, buildSelect, buildSyntax, listProposals } from "../../page/stage_fields.ts";
import { buildStageLink, describeStage } from "../../page/stages.ts";
import { formatCount, formatDuration, formatFineRatio } from "../../page/words.ts";
import { isFew } from "../../query/few.ts";
import { divide } from "../../view/divide.ts";
import type { FunnelView } from "./object.ts";
import { buildReadyFunnels } from "./ready_funnels.ts";
import type { FunnelQuery, ORDERS, WITHINS } from "./query.ts";

/** Fewest stages that the form has a field for; one more than there are lets a stage be added. */
const MIN_FIELDS = 3;

const MAX_FIELDS = 8;

const WITHIN_WORDS: Readonly<Record<typeof WITHINS[number], string>> = {
  "session": "one session",
  "1h": "an hour",
  "1d": "a day",
  "7d": "7 days",
  "30d": "30 days",
};

const ORDER_WORDS: Readonly<Record<typeof ORDERS[number], string>> = {
  sequential: "in this order, others may be between",
  strict: "in this order, nothing else between",
  flexible: "the middle ones in any order",
};

/** Why the visitors of a page are more in the list of pages. */
const CONSENT_LATER =
  "Visitors who consent on a page after it was counted without them are among its visitors in Pages, but haven't passed its stage.";

/** Builds the funnel, and the form that asks for another. */
export function buildFunnel(page: Page<FunnelQuery>, { stages, within, order }: FunnelView): Html {
  const proposals = listProposals(page);
  const fields = Math.min(MAX_FIELDS, Math.max(MIN_FIELDS, stages.length + 1));
  const form = html`
    <form method="get" aria-label="Stages of the funnel">
    ${buildHidden(page, ["stage", "within", "order"])}
    ${Array.from(
      { length: fields },
      (_, index) =>
        html`<label>Stage ${index + 1} <input name="stage" value="${
          stages[index]?.stage ?? ""
        }" placeholder="a page or a step" list="stages" autocomplete="off" autocapitalize="none" spellcheck="false"></label>`,
    )}
    ${buildProposals("stages", proposals)}
    ${buildSelect("within", { label: "Within", words: WITHIN_WORDS, chosen: within })}
    ${buildSelect("order", { label: "Order", words: ORDER_WORDS, chosen: order })}
    <button type="submit">Show</button>
    </form>
    ${buildSyntax({
      rule: "A stage is a page or a step",
      hint: ": as the first stage it takes all who viewed one",
    }, proposals)}
  `;
  const ready = buildReadyFunnels(page);
  const hasPage = page.query.stages.flat().some((event) => "page" in event);
  if (stages.length === 0) return html`<section class="card"><h2>Funnel</h2>${ready}${form}</section>`;
  return buildList({
    title: "Funnel",
    caption: `Visitors with consent. A visitor counts in a stage only after all stages before it, within ${
      WITHIN_WORDS[within]
    }: a goal of the same step can have more.${
      hasPage ? ` ${CONSENT_LATER}` : ""
    } A visitor who tries several times counts once: by the first attempt that comes furthest, from the earliest event that can begin it. The median time is that since the stage before`,
    heads: ["Stage", "Visitors", "Of the first", "Of those\u00a0before", "Median time", "Left here"],
    rows: stages.map(({ visitors, share, medianMs }, index) => ({
      // Of the later stages no filter chooses those who came that far.
      label: index === 0
        ? buildStageLink(page, page.query.stages[index] ?? [])
        : describeStage(page.query.stages[index] ?? []),
      bar: { full: visitors, aggregate: 0 },
      cells: [
        formatCount(visitors),
        formatFineRatio(share),
        formatFineRatio(divide(visitors, stages[index - 1]?.visitors ?? 0)),
        formatDuration(medianMs),
        index === stages.length - 1 ? "–" : formatCount(countLeft(visitors, stages[index + 1]?.visitors ?? 0)),
      ],
    })),
    count: stages.length,
    noun: "stages",
    after: html`${buildNobody(page, stages)}${ready}${form}`,
  });
}

/** Counts who left between two stages. Of a small count that isn't told, how many of them isn't either. */
function countLeft(visitors: number, next: number): number {
  return isFew(visitors) ? visitors : visitors - next;
}

/** Asks whether the first stage that nobody reached is written as it should be; a goal that isn't one of the key is refused. */
function buildNobody(page: Page<FunnelQuery>, stages: FunnelView["stages"]): Html | undefined {
  const index = stages.findIndex(({ visitors }) => visitors === 0);
  const stage = page.query.stages[index];
  if (stage === undefined) return undefined;
  return html`
    <p class="note">Nobody reached stage ${index + 1}, ${describeStage(
      stage,
    )}.${stage.some((event) => !("goal" in event)) && html`
      Is the name written as in the lists of <a href="${buildLink(page, {
        view: "pages",
      })}">pages</a> and <a href="${buildLink(
        page,
        { view: "steps" },
      )}">steps</a>?
    `}</p>
  `;
}
