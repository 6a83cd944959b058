import { SOURCE_COLUMNS, type SourcesColumn } from "../../../ports/reader.ts";
import type { ListChoice, ReportQuery, SourceGrouping } from "../../../ports/report_query.ts";
import { addConversions, type BesideGoal, toGoalChoice } from "../../view/conversion.ts";
import { type Beside, listBeside, type ListedBeside } from "../../view/list_beside.ts";
import { type SourceRow, toSourceRow } from "../../view/rows.ts";
import { readScope, type ViewScope } from "../../view/scope.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";
import type { SourcesQuery } from "./query.ts";

/** Sources, those of the most sessions first. */
export interface SourcesView extends ViewScope {
  /** Which view it is. */
  readonly view: "sources";
  /** The period of `before`: as many days before, the same weekdays before, the same days a month before, or the same weekdays a year ago. */
  readonly compare: "before" | "weeks" | "month" | "year";
  /** Dimension that they are grouped by. */
  readonly by: SourceGrouping;
  /** Whose source sessions are listed under: their own, or that of their visitor's first session in all that is kept. */
  readonly of: "session" | "first";
  /** Where sessions came from, each beside the period before. */
  readonly rows: readonly BesideGoal<Beside<SourceRow, "label">>[];
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
  const { by, of, compare } = request;
  const listed = await listSources(source, request, rows);
  const nameOf = ({ label }: SourceRow): string => label ?? "";
  const list = { list: "sources", by, of } as const;
  const converted = await addConversions(source, request, { list, rows: listed.rows, nameOf });
  return {
    view: "sources",
    ...await readScope(source, request),
    compare,
    by,
    of,
    ...listed,
    rows: converted,
  };
}

/** Reads the rows of sources, each beside the period before. */
export async function listSources(
  source: ViewSource,
  request: ViewRequest & SourcesQuery,
  rows: number,
): Promise<ListedBeside<SourceRow, "label">> {
  const { by, of } = request;
  const read = async (query: ReportQuery, most: number, choice: ListChoice<SourcesColumn>) => {
    const listed = await source.reader.sources(query, { by, of }, most, choice);
    return {
      rows: listed.rows.map((row) => toSourceRow(row)),
      count: listed.count,
      other: listed.other && toSourceRow(listed.other),
    };
  };
  return await listBeside<SourceRow, "label">(source, {
    request,
    name: "label",
    nameOf: ({ label }) => label ?? "",
    list: (query) => read(query, rows, toGoalChoice(request, SOURCE_COLUMNS)),
    find: read,
  });
}
