import { FIRST_ROWS } from "../query/list_query.ts";
import { FILTERS } from "../../ports/report_filters.ts";
import { type Html, html } from "./html.ts";
import type { Page } from "./page.ts";

/** Builds the field of another filter: of what no list has a row for, such as all pages that fit a pattern. */
export function buildFilterField(page: Page): Html {
  const others = [...page.write(page.query)].filter(([name]) => !(name in FIRST_ROWS));
  const proposals = [
    ...Object.entries(FILTERS).flatMap(([name, { values = [] }]) => values.map((value) => `${name}:${value}`)),
    ...page.goalNames.map((name) => `goal:${name}`),
  ];
  return html`
    <details class="adding">
      <summary>Add a filter</summary>
      <form method="get" aria-label="Filter">
    ${others.map(([name, value]) => html`<input type="hidden" name="${name}" value="${value}">`)}
        <label>Filter <input name="filter" list="filters" required placeholder="/teas/*" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
        <datalist id="filters">${proposals.map((text) => html`<option value="${text}"></option>`)}</datalist>
        <button type="submit">Show</button>
      </form>
      <p
        class="note">A path, in which <code>*</code> stands for the rest; or a name, a colon and a value, such as <code>screen:phone</code>, <code>visitor:new</code> or <code>step:signup</code>. Names are ${Object
          .keys(FILTERS).join(", ")}.</p>
    </details>
  `;
}
