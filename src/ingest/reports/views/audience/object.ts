import { SOURCE_COLUMNS, type SourcesColumn } from "../../../ports/reader.ts";
import type { ListChoice, ReportQuery } from "../../../ports/report_query.ts";
import { addConversions, type BesideGoal, toGoalChoice } from "../../view/conversion.ts";
import { type Beside, listBeside } from "../../view/list_beside.ts";
import { type SourceRow, toSourceRow } from "../../view/rows.ts";
import { readScope, type ViewScope } from "../../view/scope.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";
import type { AudienceQuery } from "./query.ts";

/** People by what they come with, those of the most sessions first. */
export interface AudienceView extends ViewScope {
  /** Which view it is. */
  readonly view: "audience";
  /** The period of `before`: as many days before, the same weekdays before, the same days a month before, or the same weekdays a year ago. */
  readonly compare: "before" | "weeks" | "month" | "year";
  /** Dimension that they are listed by: whether they are new, their screen, and what the key's `dimensions` ask for. */
  readonly dimension: "visitor" | "screen" | "signedIn" | "device" | "browser" | "version" | "system" | "country";
  /** Labels, each beside the period before; null for those without one. A session with several counts under each. */
  readonly rows: readonly BesideGoal<Beside<SourceRow, "label">>[];
  /** Number of all of them. */
  readonly count: number;
  /** Sums of those that aren't among them, but for visitors, who don't add up; null where all are. */
  readonly other: Omit<SourceRow, "label" | "visitors"> | null;
}

/** Lists people by what they come with. */
export async function readAudience(
  source: ViewSource,
  request: ViewRequest & AudienceQuery,
  rows: number,
): Promise<AudienceView> {
  const { dimension, compare } = request;
  const nameOf = ({ label }: SourceRow): string => label ?? "";
  const read = async (query: ReportQuery, most: number, choice: ListChoice<SourcesColumn>) => {
    const listed = await source.reader.audience(query, dimension, most, choice);
    return {
      rows: listed.rows.map((row) => toSourceRow(row)),
      count: listed.count,
      other: listed.other && toSourceRow(listed.other),
    };
  };
  const listed = await listBeside<SourceRow, "label">(source, {
    ...{ request, name: "label", nameOf },
    list: (query) => read(query, rows, toGoalChoice(request, SOURCE_COLUMNS)),
    find: read,
  });
  const list = { list: "audience", by: dimension } as const;
  const converted = await addConversions(source, request, { list, rows: listed.rows, nameOf });
  return { view: "audience", ...await readScope(source, request), compare, dimension, ...listed, rows: converted };
}
