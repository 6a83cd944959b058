import type { PageColumn } from "../../../ports/reader.ts";
import type { Listed, SourceCounts } from "../../../ports/report_counts.ts";
import type { ListChoice, ReportQuery } from "../../../ports/report_query.ts";
import { type Beside, listBeside, type ListedBeside } from "../../view/list_beside.ts";
import { type ConsentShare, countViews, toConsentShare } from "../../view/spans.ts";
import type { ViewRequest, ViewSource } from "../../view/view.ts";
import type { ConsentColumn, ConsentQuery } from "./query.ts";

/** Pageviews of a page or from a referrer, and the share with consent. */
export interface ConsentCounts extends ConsentShare {
  /** Path, or origin; null for pageviews that named none. */
  readonly label: string | null;
}

/** The same, beside the period before. */
export type ConsentRow = Beside<ConsentCounts, "label">;

type Request = ViewRequest & ConsentQuery;

const PAGE_COLUMNS: Readonly<Record<ConsentColumn, PageColumn>> = {
  label: "path",
  views: "views",
  consentShare: "consentShare",
};

/** Lists pages, the most viewed first unless another order is asked for. */
export async function listConsentPages(
  source: ViewSource,
  request: Request,
  rows: number,
): Promise<ListedBeside<ConsentCounts, "label">> {
  const { filters, sort, direction } = request;
  const column = Object.entries(PAGE_COLUMNS).find(([name]) => name === sort)?.[1];
  const read = async (query: ReportQuery, most: number, choice: ListChoice<PageColumn>) => {
    const listed = await source.reader.pages(query, most, choice);
    return {
      rows: listed.rows.map(({ path, views }) => ({ label: path, ...toConsentShare(views, filters) })),
      count: listed.count,
      other: null,
    };
  };
  return await listBeside<ConsentCounts, "label">(source, {
    request,
    name: "label",
    nameOf: ({ label }) => label ?? "",
    list: (query) => read(query, rows, column === undefined ? {} : { sort: column, isAscending: direction === "asc" }),
    find: read,
  });
}

/** Lists referrers, those with the most pageviews first unless another order is asked for, of all that were read. */
export async function listConsentReferrers(
  source: ViewSource,
  request: Request,
  { rows, read }: { readonly rows: number; readonly read: Listed<SourceCounts> },
): Promise<ListedBeside<ConsentCounts, "label">> {
  const { filters } = request;
  const toRows = (sources: Listed<SourceCounts>): readonly ConsentCounts[] =>
    sources.rows.filter(({ views }) => countViews(views) > 0)
      .map(({ label, views }) => ({ label, ...toConsentShare(views, filters) }));
  const all = toRows(read);
  const compare = compareBy(request);
  const sorted = all.toSorted((one, other) =>
    compare(one, other) || countViews(other.pageviews) - countViews(one.pageviews)
  );
  return await listBeside<ConsentCounts, "label">(source, {
    request,
    name: "label",
    nameOf: ({ label }) => label ?? "",
    list: () =>
      Promise.resolve({ rows: sorted.slice(0, rows), count: all.length + read.count - read.rows.length, other: null }),
    find: async (query, most, choice) => {
      // Aggregates name no campaign (SPEC 2.5), so that by channel or source the two kinds wouldn't compare.
      const earlier = await source.reader.sources(query, { by: "referrer" }, most, choice);
      return { rows: toRows(earlier), count: earlier.count, other: null };
    },
  });
}

/** Creates the comparison of rows by a column; what has nothing there comes last. */
function compareBy({ sort, direction }: ConsentQuery): (one: ConsentCounts, other: ConsentCounts) => number {
  const valueOf = ({ label, pageviews, consentShare }: ConsentCounts): string | number | null =>
    sort === "label" ? label : sort === "consentShare" ? consentShare : countViews(pageviews);
  return (one, other) => {
    const [left, right] = [valueOf(one), valueOf(other)];
    if (left === null || right === null) return Number(left === null) - Number(right === null);
    if (left === right) return 0;
    return (left < right) === (direction === "asc") ? -1 : 1;
  };
}
