import type { SourceGrouping } from "../../../ports/reader.ts";
import { type SourceRow, toSourceRow } from "../../view/rows.ts";
import { readScope, toQueryOfDays, type ViewScope } from "../../view/scope.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";
import type { SourcesQuery } from "./query.ts";

/** Sources, those of the most sessions first. */
export interface SourcesView extends ViewScope {
  /** Which view it is. */
  readonly view: "sources";
  /** Dimension that they are grouped by. */
  readonly by: SourceGrouping;
  /** Whose source sessions are listed under: their own, or that of their visitor's first session in all that is kept. */
  readonly of: "session" | "first";
  /** Where sessions came from. */
  readonly rows: readonly SourceRow[];
  /** Number of all of them. */
  readonly count: number;
  /** Sums of those that aren't among them, but for visitors, who don't add up; null where all are. */
  readonly other: Omit<SourceRow, "label" | "visitors"> | null;
}

/** Lists sources. */
export async function readSources(
  source: ViewSource,
  request: ViewRequest & SourcesQuery,
  rows: number,
): Promise<SourcesView> {
  const { reader } = source;
  const { by, of } = request;
  const listed = await reader.sources(toQueryOfDays(source, request), { by, of }, rows);
  return {
    view: "sources",
    ...await readScope(source, request),
    by,
    of,
    rows: listed.rows.map((row) => toSourceRow(row)),
    count: listed.count,
    other: listed.other && toSourceRow(listed.other),
  };
}
