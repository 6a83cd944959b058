import { PAGE_COLUMNS, type PageColumn } from "../../../ports/reader.ts";
import type { ListChoice, ReportQuery } from "../../../ports/report_query.ts";
import type { GoalQuery } from "../../query/goal_query.ts";
import type { ListQuery } from "../../query/list_query.ts";
import { addConversions, type BesideGoal, toGoalChoice } from "../../view/conversion.ts";
import { type Beside, listBeside, type ListedBeside } from "../../view/list_beside.ts";
import { type PageRow, toPageRow } from "../../view/rows.ts";
import { readScope, type ViewScope } from "../../view/scope.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";

/** The query of pages. */
export interface PagesQuery extends ListQuery, GoalQuery {}

/** Pages, the most viewed first. */
export interface PagesView extends ViewScope {
  /** Which view it is. */
  readonly view: "pages";
  /** The period of `before`: as many days before, the same weekdays before, the same days a month before, or the same weekdays a year ago. */
  readonly compare: "before" | "weeks" | "month" | "year";
  /** Pages, each beside the period before. */
  readonly rows: readonly BesideGoal<Beside<PageRow, "path">>[];
  /** Number of all of them. */
  readonly count: number;
  /** Sums of those that aren't among them, but for visitors, who don't add up; null where all are. */
  readonly other: Omit<PageRow, "path" | "visitors"> | null;
}

/** Lists pages. */
export async function readPages(
  source: ViewSource,
  request: ViewRequest & PagesQuery,
  rows: number,
): Promise<PagesView> {
  const listed = await listPages(source, request, rows);
  const nameOf = ({ path }: PageRow): string => path;
  const converted = await addConversions(source, request, { list: { list: "pages" }, rows: listed.rows, nameOf });
  return {
    view: "pages",
    ...await readScope(source, request),
    compare: request.compare,
    ...listed,
    rows: converted,
  };
}

/** Reads the rows of pages, each beside the period before. */
export async function listPages(
  source: ViewSource,
  request: ViewRequest & PagesQuery,
  rows: number,
): Promise<ListedBeside<PageRow, "path">> {
  const read = async (query: ReportQuery, most: number, choice: ListChoice<PageColumn>) => {
    const listed = await source.reader.pages(query, most, choice);
    return {
      rows: listed.rows.map((row) => toPageRow(row, request)),
      count: listed.count,
      other: listed.other && toPageRow(listed.other, request),
    };
  };
  return await listBeside<PageRow, "path">(source, {
    request,
    name: "path",
    nameOf: ({ path }) => path,
    list: (query) => read(query, rows, toGoalChoice(request, PAGE_COLUMNS)),
    find: read,
  });
}
