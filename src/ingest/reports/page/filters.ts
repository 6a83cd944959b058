/**
 * Filters in words, and the list of those that hold.
 *
 * @module
 */
import { MIDWAY_CHANNEL } from "../../events/channels.ts";
import { FILTERS } from "../../ports/report_filters.ts";
import type { FilterName, ReportFilter } from "../../ports/report_query.ts";
import { type Html, html } from "./html.ts";
import { buildLink } from "./links.ts";
import type { Linked } from "./page.ts";
import { formatLabel, formatOrigin, formatPath, LEFT_OUT } from "./words.ts";

/** Names a filter. */
export function nameFilter(name: FilterName): string {
  return FILTERS[name].title;
}

/** Says what the filter by page leaves out of a list of steps or goals; undefined without that filter. */
export function describeOtherPages(filters: readonly ReportFilter[]): string | undefined {
  if (!filters.some(({ name }) => name === "page")) return undefined;
  return "The filter by page leaves out what happened on other pages, in the same sessions too";
}

/** Lists the filters that hold, what each of them chooses, and a link that removes each value. */
export function buildFilters(page: Linked): Html | undefined {
  const { filters, traffic } = page.query;
  if (filters.length === 0 && traffic === "people") return undefined;
  return html`<section class="filters" aria-label="Filters"><ul>${buildTraffic(page)}${
    filters.map((filter) => buildFilter(page, filter))
  }</ul>
${filters.length > 1 && html`<p><a href="${buildLink(page, { filters: [] })}">Remove all filters</a></p>`}</section>`;
}

/** Says whose events are counted, where those aren't people's, and leads back to them. */
function buildTraffic(page: Linked): Html | undefined {
  const { traffic } = page.query;
  if (traffic === "people") return undefined;
  return html`<li><b>Counted</b> <a class="chip" href="${
    buildLink(page, { traffic: "people" })
  }"><span class="unseen">Count people instead of </span>${
    LEFT_OUT[traffic]
  } <span aria-hidden="true">×</span></a><span class="note"> alone, which the figures of people leave out</span></li>`;
}

function buildFilter(page: Linked, filter: ReportFilter): Html {
  const values = filter.values.map((value, index) => {
    const label = formatFilterValue(filter.name, value);
    return html`
      ${index > 0 && html`<span class="note"> or </span>`}<a class="chip"
        href="${buildLink(page, {
          filters: without(page.query.filters, { filter, value }),
        })}"><span class="unseen">Remove the filter ${nameWhole(
          filter,
        )} </span><bdi>${label}</bdi> <span aria-hidden="true">×</span></a>
    `;
  });
  return html`<li><b>${nameWhole(filter)}</b> ${values}<span class="note"> ${describe(filter.name)}</span></li>`;
}

function nameWhole({ name, key, step }: ReportFilter): string {
  if (key === undefined) return nameFilter(name);
  return `${nameFilter(name)} ${formatLabel(key)}${step === undefined ? "" : ` of ${formatLabel(step)}`}`;
}

/** Writes the value of a filter for people. */
export function formatFilterValue(name: FilterName, value: string): string {
  if (value === "") return name === "entry" ? MIDWAY_CHANNEL : "none";
  if (name === "page" || name === "entry" || name === "exit") return formatLabel(formatPath(value));
  return name === "referrer" || name === "source" ? formatOrigin(value) : formatLabel(value);
}

/** Says what a filter chooses, and what becomes of the views before consent. */
function describe(name: FilterName): string {
  if (name === "page") {
    return "chooses what happened on the page, and sessions that were there; views before consent count";
  }
  const rest = "views before consent don't count";
  if (FILTERS[name].chooses === "events") return `chooses events that have it, and sessions with one of them; ${rest}`;
  return `chooses whole sessions; ${rest}, since they belong to none`;
}

function without(
  filters: readonly ReportFilter[],
  { filter, value }: { readonly filter: ReportFilter; readonly value: string },
): readonly ReportFilter[] {
  return filters.flatMap((other) => {
    if (other !== filter) return [other];
    const values = other.values.filter((one) => one !== value);
    return values.length === 0 ? [] : [{ ...other, values }];
  });
}
