import { FIGURES } from "../../src/ingest/events/figures.ts";
import { buildTable } from "./table.ts";

/** The guide that says what each figure of the reports is. */
export const REPORTS_GUIDE = "docs/reports.md";

const TABLE =
  /(?<=<!-- `deno task generate` writes this table: change src\/ingest\/events\/figures\.ts -->\n\n)\|.*?\n(?=\n)/s;

/** Returns the guide's text with the table of figures of today in it. */
export function updateReportFigures(markdown: string): string {
  if (!TABLE.test(markdown)) throw new Error(`${REPORTS_GUIDE} has no table of figures`);
  const rows = Object.values(FIGURES).map(({ title, sentence, more }) => [
    title,
    more === undefined ? sentence : `${sentence} ${more}`,
  ]);
  return markdown.replace(TABLE, () => buildTable([["Figure", "What it is"], ...rows]));
}
