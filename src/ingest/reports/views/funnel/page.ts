/**
 * The sections of funnels and of retention.
 *
 * @module
 */
import { formatDay } from "../../query/days.ts";
import { type Html, html } from "../../page/html.ts";
import { buildList } from "../../page/lists.ts";
import { buildProposals, buildStageLink, describeStage, listProposals, type Proposals } from "../../page/stages.ts";
import { buildLink, formatCount, formatCountOf, formatDuration, formatFineRatio, type Page } from "../../page/words.ts";
import { writeViewQuery } from "../view_query.ts";
import { divide, type FunnelView, type RetentionView } from "../views.ts";
import type { ORDERS, UNITS, WITHINS } from "../../query/stages.ts";

/** Fewest stages that the form has a field for; one more than there are lets a stage be added. */
const MIN_FIELDS = 3;

const MAX_FIELDS = 8;

/** Most periods that the page has columns for: of a year of weeks, the others are all but empty. */
const MAX_COLUMNS = 13;

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
  sequential: "in this order, others may be between",
  strict: "in this order, nothing else between",
  flexible: "the middle ones in any order",
};

const UNIT_WORDS: Readonly<Record<typeof UNITS[number], string>> = { week: "weeks", day: "days", month: "months" };

/** Builds the funnel, and the form that asks for another. */
export function buildFunnel(page: Page, { stages, within, order }: FunnelView): Html {
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
  if (stages.length === 0) return html`<section class="card"><h2>Funnel</h2>${form}</section>`;
  return buildList({
    title: "Funnel",
    caption: `Visitors with consent. A visitor counts in a stage only after all stages before it, within ${
      WITHIN_WORDS[within]
    }: a goal of the same step can have more. Whoever tries several times counts once. The median time is that since the stage before.`,
    heads: ["Stage", "Visitors", "Of the first", "Of those before", "Median time"],
    rows: stages.map(({ visitors, share, medianMs }, index) => ({
      label: buildStageLink(page, page.query.stages[index] ?? []),
      bar: { full: visitors, aggregate: 0 },
      cells: [
        formatCount(visitors),
        formatFineRatio(share),
        formatFineRatio(divide(visitors, stages[index - 1]?.visitors ?? 0)),
        formatDuration(medianMs),
      ],
    })),
    count: stages.length,
    noun: "stages",
    after: html`${buildNobody(page, stages)}${form}`,
  });
}

/** Asks whether the first stage that nobody reached is written as it should be; a goal that isn't one of the key is refused. */
function buildNobody(page: Page, stages: FunnelView["stages"]): Html | undefined {
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

/** Builds the table of who comes back. */
export function buildRetention(page: Page, { unit, event, cohorts, isRunning }: RetentionView): Html {
  const proposals = listProposals(page);
  const form = html`
    <form method="get" aria-label="Periods of retention">
    ${buildHidden(page, ["unit", "event"])}
    ${buildSelect("unit", { label: "Periods", words: UNIT_WORDS, chosen: unit })}
    <label>What counts as a return <input name="event" value="${event ??
      ""}" placeholder="any event" list="returns" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
    ${buildProposals("returns", proposals)}
    <button type="submit">Show</button>
    </form>
    ${buildSyntax({ rule: "A return is any event, unless you name a page or a step" }, proposals)}
  `;
  const most = Math.max(0, ...cohorts.map(({ returned }) => returned.length));
  const columns = Math.min(most, MAX_COLUMNS);
  const all = Array.from({ length: columns }, (_, column) => sumColumn({ cohorts, isRunning }, column));
  const rows = cohorts.map(({ from, size, returned }) => ({
    name: formatDay(from),
    size,
    cells: returned.slice(0, columns).map((count): Cell => ({ returned: count, size })),
  }));
  const total = { name: "All", size: cohorts.reduce((sum, { size }) => sum + size, 0), cells: all };
  const shares = [total, ...rows].flatMap(({ cells }) => cells.slice(1).map(share));
  const highest = Math.max(0, ...shares.map((one) => one ?? 0));
  const isUnknown = event !== undefined && cohorts.every(({ returned }) => returned.every((count) => count === 0));
  const name = unit === "day" ? "Day" : unit === "week" ? "Week" : "Month";
  return html`
    <section class="card"><h2>Retention</h2>${buildAnswer(page, { unit, of: all[1], isRunning })}${form}
    <p class="caption">Each row has the visitors with consent whose first event, in all that is kept, is in that ${unit}. ${name} 0 is that ${unit}, ${name} 1 the ${unit} after.${isRunning &&
      ` The last ${unit} isn't over yet: the shares of All leave it out.`}${columns < most &&
      ` The table ends with ${name} ${columns - 1}; the file below has all ${most} ${UNIT_WORDS[unit]}.`}</p>
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
      { length: columns },
      (_, index) => html`<th scope="col">${name} ${index}</th>`,
    )}</tr></thead>
    <tbody>${[total, ...rows].map(({ name, size, cells }) =>
      html`<tr><th scope="row">${name}</th><td>${formatCount(size)}</td>${
        cells.map((cell, column) =>
          html`<td class="${column === 0 ? "h0" : shade(share(cell) ?? 0, highest)}" title="${
            formatCount(cell.returned)
          } of ${formatCountOf(cell.size, "visitor")}">${formatFineRatio(share(cell))}</td>`
        )
      }</tr>`
    )}</tbody></table></div></section>
  `;
}

/** How many of how many visitors came back. */
interface Cell {
  readonly returned: number;
  readonly size: number;
}

function share({ returned, size }: Cell): number | null {
  return divide(returned, size);
}

/** Sums a column over the cohorts for which its period is over. */
function sumColumn({ cohorts, isRunning }: Pick<RetentionView, "cohorts" | "isRunning">, column: number): Cell {
  const over = cohorts.slice(0, Math.max(0, cohorts.length - column - (isRunning ? 1 : 0)));
  return {
    returned: over.reduce((sum, { returned }) => sum + (returned[column] ?? 0), 0),
    size: over.reduce((sum, { size }) => sum + size, 0),
  };
}

/** Says in a sentence who comes back, of those whose second period is over. */
function buildAnswer(
  page: Page,
  { unit, of, isRunning }: Pick<RetentionView, "unit" | "isRunning"> & { readonly of: Cell | undefined },
): Html {
  if (of === undefined) return html`<p class="lead">Choose more than one ${unit} to see who comes back.</p>`;
  if (of.size === 0) {
    return isRunning
      ? html`<p class="lead">Who comes back shows once a visitor's second ${unit} is over.</p>`
      : html`<p class="lead">Nobody was first seen before the last of these ${UNIT_WORDS[unit]}.</p>`;
  }
  const { event } = page.query;
  return html`
    <p
      class="lead">Of the visitors whose second ${unit} is over and in the table, ${formatFineRatio(
        share(of),
      )} came back${event &&
        html`
          to ${describeStage(event)}
        `} in it: ${formatCount(of.returned)} of ${formatCount(of.size)}.</p>
  `;
}

/** Says how an event is written, by names that there are. */
function buildSyntax(
  { rule, hint = "" }: { readonly rule: string; readonly hint?: string },
  { pages: [page], steps, goals: [goal] }: Proposals,
): Html {
  const step = steps.find((name) => !name.startsWith("$"));
  return html`
    <p
      class="note">${rule}: write the path of the page${page !== undefined &&
        html`, such as <code><bdi>${page}</bdi></code>`}, or the name of the step${step !== undefined &&
        html`, such as <code><bdi>${step}</bdi></code>`}, as in the lists of pages and steps. <code>/*</code> is any page${hint}.</p>
    <details>
      <summary>More ways to write it</summary>
      <ul class="note">
        <li><code>/PATH/*</code> is any page whose path begins with <code>/PATH/</code>.</li>
        <li><code><bdi>${goal ?? "goal:NAME"}</bdi></code> is a goal of the key.</li>
        <li><code>step:NAME:PROPERTY:"VALUE"</code> is a step whose property has the value; a number has no quotes.</li>
        <li><code>|</code> between two of them means that either will do.</li>
      </ul>
    </details>
  `;
}

/** Chooses the shade of a share, of those up to the highest one after the first period. */
function shade(share: number, highest: number): string {
  return share > 0 ? `h${Math.max(1, Math.round(share / highest * SHADES))}` : "h0";
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
