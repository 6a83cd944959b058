import { type PageRow, toPageRow } from "../../view/rows.ts";
import { readScope, toQueryOfDays, type ViewScope } from "../../view/scope.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";

/** Pages, the most viewed first. */
export interface PagesView extends ViewScope {
  /** Which view it is. */
  readonly view: "pages";
  /** Pages. */
  readonly rows: readonly PageRow[];
  /** Number of all of them. */
  readonly count: number;
  /** Sums of those that aren't among them, but for visitors, who don't add up; null where all are. */
  readonly other: Omit<PageRow, "path" | "visitors"> | null;
}

/** Lists pages. */
export async function readPages(
  source: ViewSource,
  request: ViewRequest,
  rows: number,
): Promise<PagesView> {
  const { reader } = source;
  const listed = await reader.pages(toQueryOfDays(source, request), rows);
  return {
    view: "pages",
    ...await readScope(source, request),
    rows: listed.rows.map((row) => toPageRow(row, request)),
    count: listed.count,
    other: listed.other && toPageRow(listed.other, request),
  };
}
