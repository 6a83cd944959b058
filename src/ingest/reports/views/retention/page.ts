import { type Html, html } from "../../page/html.ts";
import type { Page } from "../../page/page.ts";
import { buildHidden, buildProposals, buildSelect, buildSyntax, listProposals } from "../../page/stage_fields.ts";
import { describeStage } from "../../page/stages.ts";
import { formatCount, formatCountOf, formatFineRatio } from "../../page/words.ts";
import { formatDay } from "../../query/days.ts";
import { divide } from "../../view/divide.ts";
import type { RetentionView } from "./object.ts";
import type { RetentionQuery, UNITS } from "./query.ts";

/** Most periods that the page has columns for: of a year of weeks, the others are all but empty. */
const MAX_COLUMNS = 13;

/** Number of the style's shades for shares of retention. */
const SHADES = 5;

const UNIT_WORDS: Readonly<Record<typeof UNITS[number], string>> = { week: "weeks", day: "days", month: "months" };

/** Builds the table of who comes back. */
export function buildRetention(page: Page<RetentionQuery>, { unit, event, cohorts, isRunning }: RetentionView): Html {
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
  // Rounded figures don't add up.
  const lines = page.isCoarse ? rows : [total, ...rows];
  const shares = lines.flatMap(({ cells }) => cells.slice(1).map(share));
  const highest = Math.max(0, ...shares.map((one) => one ?? 0));
  const isUnknown = event !== undefined && cohorts.every(({ returned }) => returned.every((count) => count === 0));
  const name = unit === "day" ? "Day" : unit === "week" ? "Week" : "Month";
  return html`
    <section class="card"><h2>Retention</h2>${!page.isCoarse &&
      buildAnswer(page, { unit, of: all[1], isRunning })}${form}
    <p class="caption">Each row has the visitors with consent whose first event, in all that is kept, is in that ${unit}. ${name} 0 is that ${unit}, ${name} 1 the ${unit} after.${isRunning &&
      ` The last ${unit} isn't over yet${page.isCoarse ? "" : ": the shares of All leave it out"}.`}${columns < most &&
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
    <tbody>${lines.map(({ name, size, cells }) =>
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

/** The visitors who came back, of all of them. */
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
  page: Page<RetentionQuery>,
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

/** Chooses the shade of a share, of those up to the highest one after the first period. */
function shade(share: number, highest: number): string {
  return share > 0 ? `h${Math.max(1, Math.round(share / highest * SHADES))}` : "h0";
}
