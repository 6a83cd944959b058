import type { ReportFilter } from "../../ports/report_query.ts";
import { isSameTarget } from "../query/filters.ts";
import { FIRST_ROWS, WHOLE_LIST } from "../query/list_query.ts";
import type { Format } from "../query/query.ts";
import type { ViewQuery } from "../query/view_query.ts";
import type { Linked } from "./page.ts";

/** The change that a link makes. */
export interface LinkChanges extends Partial<ViewQuery> {
  /** Site; that of the page by default. */
  readonly site?: string;
  /** Format; the page by default. */
  readonly format?: Format;
}

/** Builds a link to another view, or to the same one of something else. It is relative, wherever the reports are mounted. */
export function buildLink<Q extends object>(
  { query, write }: Linked<Q>,
  { format, ...changes }: LinkChanges & Partial<Q> = {} as LinkChanges & Partial<Q>,
): string {
  // Another list has other columns, and whatever changes it begins anew.
  const usual = changes.view === undefined || changes.view === query.view ? {} : WHOLE_LIST;
  const parameters = write({ ...query, ...FIRST_ROWS, ...usual, ...changes });
  if (format !== undefined) parameters.set("format", format);
  // Whoever clicks opens the file in a spreadsheet.
  if (format === "csv") parameters.set("bom", "1");
  return `?${parameters}`;
}

/** Builds a link to the overview under one more filter, or under one more alternative of a filter that is there. */
export function buildFilterLink(page: Linked, filter: ReportFilter): string {
  const { filters } = page.query;
  const same = filters.find((other) => isSameTarget(other, filter));
  const whole = same === undefined ? filter : { ...same, values: [...new Set([...same.values, ...filter.values])] };
  const others = filters.filter((other) => other !== same);
  return buildLink(page, { view: "overview", filters: [...others, whole] });
}
