/**
 * The sections of funnels and of retention.
 *
 * @module
 */
import { formatDay } from "./days.ts";
import { type Html, html } from "./html.ts";
import { buildList } from "./page_lists.ts";
import { buildProposals, buildStageLink, describeStage } from "./page_stage.ts";
import { formatCount, formatCountOf, formatDuration, formatRatio, type Page } from "./view.ts";
import { writeViewQuery } from "./view_query.ts";
import type { FunnelView, RetentionView } from "./views.ts";
import type { ORDERS, UNITS, WITHINS } from "./ways.ts";

/** Fewest stages that the form has a field for; one more than there are lets a stage be added. */
const MIN_FIELDS = 3;

const MAX_FIELDS = 8;

/** How many shades the style has for shares of retention. */
const SHADES = 5;

const WITHIN_WORDS: Readonly<Record<typeof WITHINS[number], string>> = {
  "session": "one session",
  "1h": "an hour",
  "1d": "a day",
  "7d": "7 days",
  "30d": "30 days",
};

const ORDER_WORDS: Readonly<Record<typeof ORDERS[number], string>> = {
  sequential: "in this order, anything between",
  strict: "in this order, nothing between",
  flexible: "the first stage at the start, the last at the end",
};

const UNIT_WORDS: Readonly<Record<typeof UNITS[number], string>> = { week: "weeks", day: "days", month: "months" };

/** Builds the funnel, and the form that asks for another. */
export function buildFunnel(page: Page, { stages, within, order }: FunnelView): Html {
  const fields = Math.min(MAX_FIELDS, Math.max(MIN_FIELDS, stages.length + 1));
  const form = html`
    <form method="get" aria-label="Stages of the funnel">
    ${buildHidden(page, ["stage", "within", "order"])}
    ${Array.from(
      { length: fields },
      (_, index) =>
        html`<label>Stage ${index + 1} <input name="stage" value="${stages[index]?.stage ?? ""}" placeholder="${
          index === 0 ? "/" : index === 1 ? "/cart" : "signup"
        }" list="stages" autocomplete="off" autocapitalize="none" spellcheck="false"></label>`,
    )}
    ${buildProposals("stages", page)}
    ${buildSelect("within", { label: "Within", words: WITHIN_WORDS, chosen: within })}
    ${buildSelect("order", { label: "Order", words: ORDER_WORDS, chosen: order })}
    <button type="submit">Show</button>
    </form>
    ${buildSyntax("A stage")}
  `;
  if (stages.length === 0) return html`<section class="card"><h2>Funnel</h2>${form}</section>`;
  return buildList({
    title: "Funnel",
    caption:
      "Visitors with consent who came that far; whoever tries several times counts once. Of each stage, the share of the first stage's visitors, and the median time since the stage before.",
    heads: ["Stage", "Visitors", "Of first", "Median time"],
    rows: stages.map(({ visitors, share, medianMs }, index) => ({
      label: buildStageLink(page, page.query.stages[index] ?? []),
      bar: { full: visitors, aggregate: 0 },
      cells: [formatCount(visitors), formatRatio(share), formatDuration(medianMs)],
    })),
    count: stages.length,
    noun: "stages",
    after: form,
  });
}

/** Builds the table of who comes back. */
export function buildRetention(page: Page, { unit, event, cohorts, isRunning }: RetentionView): Html {
  const form = html`
    <form method="get" aria-label="Periods of retention">
    ${buildHidden(page, ["unit", "event"])}
    ${buildSelect("unit", { label: "Periods", words: UNIT_WORDS, chosen: unit })}
    <label>What counts as a return <input name="event" value="${event ??
      ""}" placeholder="any event" list="returns" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
    ${buildProposals("returns", page)}
    <button type="submit">Show</button>
    </form>
    ${buildSyntax("A return")}
  `;
  const most = Math.max(0, ...cohorts.map(({ returned }) => returned.length));
  const isUnknown = event !== undefined && cohorts.every(({ returned }) => returned.every((count) => count === 0));
  const highest = Math.max(
    ...cohorts.flatMap(({ size, returned }) => size === 0 ? [] : returned.slice(1).map((count) => count / size)),
    0,
  );
  const name = unit === "day" ? "Day" : unit === "week" ? "Week" : "Month";
  return html`
    <section class="card"><h2>Retention</h2>${form}
    <p class="caption">Visitors with consent by the ${name
      .toLowerCase()} of their first event in all that is kept, and the share of them who came back.${isRunning &&
      " The last period isn't over yet."}</p>
    ${isUnknown &&
      html`
        <p
          class="note">Nobody counted came back to ${describeStage(
            page.query.event ?? [],
          )}. The names are those of the lists of pages, steps and goals.</p>
      `}
    <div class="scroll" tabindex="0" role="group" aria-label="Retention">
    <table class="wide cohorts"><caption class="unseen">Retention</caption>
    <thead><tr><th scope="col">First seen</th><th scope="col">Visitors</th>${Array.from(
      { length: most },
      (_, index) => html`<th scope="col">${name} ${index}</th>`,
    )}</tr></thead>
    <tbody>${cohorts.map(({ from, size, returned }) =>
      html`<tr><th scope="row">${formatDay(from)}</th><td>${formatCount(size)}</td>${
        returned.map((count) =>
          html`<td class="${shade(count / size, highest)}" title="${formatCountOf(count, "visitor")}">${
            size === 0 ? "–" : formatRatio(count / size)
          }</td>`
        )
      }</tr>`
    )}</tbody></table></div></section>
  `;
}

/** Says how an event is written. */
function buildSyntax(subject: string): Html {
  return html`
    <p
      class="note">${subject} is the path of a page or the name of a step, as their lists have it, a pattern of paths, <code>/teas/*</code>, a goal, <code>goal:Order</code>, or a step with a property, <code>step:signup:tier:"pro"</code>. <code>|</code> stands between alternatives.</p>
  `;
}

/** Chooses the shade of a share, of those up to the highest one after the first period. */
function shade(share: number, highest: number): string {
  return share > 0 && highest > 0 ? `h${Math.min(SHADES, Math.ceil(share / highest * SHADES))}` : "h0";
}

/** What the form doesn't ask for goes with it as it is. */
function buildHidden(page: Page, names: readonly string[]): readonly Html[] {
  return [...writeViewQuery(page.query)].filter(([name]) => !names.includes(name))
    .map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`);
}

interface Choice<T extends string> {
  readonly label: string;
  readonly words: Readonly<Record<T, string>>;
  readonly chosen: T;
}

function buildSelect<T extends string>(name: string, { label, words, chosen }: Choice<T>): Html {
  const options = Object.entries<string>(words).map(([value, text]) =>
    html`
      <option value="${value}" ${value === chosen && html`
        selected
      `}>${text}</option>
    `
  );
  return html`<label>${label} <select name="${name}">${options}</select></label>`;
}
