import { describeOtherPages } from "../../page/filters.ts";
import { type Html, html } from "../../page/html.ts";
import { buildFilterLink } from "../../page/links.ts";
import { buildList, buildRowLink } from "../../page/list.ts";
import { nameValue } from "../../page/list_controls.ts";
import type { Page } from "../../page/page.ts";
import { describeStage } from "../../page/stages.ts";
import { createAmountFormat, formatCount, formatLabel, formatRatio, nameBeside, nameThen } from "../../page/words.ts";
import { isProblem } from "../../query/query.ts";
import { readReturn } from "../../query/stages.ts";
import type { GoalsView } from "./object.ts";

/** Builds the list of goals, each beside the period before. */
export function buildGoals(page: Page, { rows, current, before, compare }: GoalsView): Html {
  if (rows.length === 0) {
    return html`
      <section class="card">
        <h2>Goals</h2>
        <p class="note">The key has none. A goal is a name for a page or a step in its settings, such as
        <code>"goals": { "Order": { "step": "order", "value": "total" } }</code>.</p>
      </section>
    `;
  }
  const then = nameThen(page.query);
  const others = describeOtherPages(page.query.filters);
  const pair = (now: string, earlier: string): Html =>
    html`${now}<br><span class="note">${earlier}<span class="unseen"> ${then}</span></span>`;
  const describe = (event: string): Html | undefined => {
    const stage = readReturn(event);
    return isProblem(stage) ? undefined : describeStage(stage);
  };
  const formatAmount = createAmountFormat(rows.flatMap(({ current, before }) => [current.value, before.value]));
  return buildList({
    title: "Goals",
    caption: `Conversion rates are of all visitors with consent: ${formatCount(current.visitors)}, and ${
      formatCount(before.visitors)
    } ${then}. Below each figure stands the one ${
      compare === "before" ? "of the period before" : `of ${nameBeside(page.query)}`
    }. A goal leads to the sessions that reach it; there, Sources says where they came from${
      others === undefined ? "" : `. ${others}`
    }`,
    heads: ["Goal", "Visitors", "Times", "Conversion rate", nameValue(page)],
    rows: rows.map(({ name, event, current: now, before: earlier }) => ({
      label: html`${
        buildRowLink(buildFilterLink(page, { name: "goal", values: [name] }), formatLabel(name))
      }<br><span class="note">${describe(event)}</span>`,
      bar: { full: now.visitors, aggregate: 0 },
      cells: [
        pair(formatCount(now.visitors), formatCount(earlier.visitors)),
        pair(formatCount(now.completions), formatCount(earlier.completions)),
        pair(formatRatio(now.conversionRate), formatRatio(earlier.conversionRate)),
        now.value === null ? "–" : pair(formatAmount(now.value), formatAmount(earlier.value)),
      ],
    })),
    count: rows.length,
    noun: "goals",
  });
}
