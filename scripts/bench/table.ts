import type { Column, Figures } from "./row.ts";
import { findMedian } from "./statistics.ts";

/** The figures of every run of an SDK. */
export interface SubjectRuns {
  /** Name of the SDK. */
  readonly id: string;
  /** Its runs, of all rows. */
  readonly runs: readonly Figures[];
}

/**
 * Formats a Markdown table with a line for each column, and in brackets how many times the reference's figure that is.
 * A figure that nobody measured leaves no line.
 */
export function formatTable(columns: readonly Column[], subjects: readonly SubjectRuns[]): string {
  const lines = columns.flatMap((column) => {
    const reference = subjects.find(({ id }) => id === column.reference);
    const divisor = reference && summarize(column, reference);
    const cells = subjects.map((subject) => formatCell(column, summarize(column, subject), divisor));
    if (cells.every((cell) => cell === "")) return [];
    const title = divisor === undefined ? column.title : `${column.title} (× ${column.reference})`;
    return [[title, ...cells]];
  });
  const header = ["", ...subjects.map(({ id }) => id)];
  const rule = header.map((_, i) => (i ? "---:" : "---"));
  return [header, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function summarize({ figure, pick }: Column, { runs }: SubjectRuns): number | undefined {
  const values = runs.flatMap((run) => run[figure] ?? []);
  if (!values.length) return undefined;
  return pick ? Math.min(...values) : findMedian(values);
}

function formatCell({ digits = 0 }: Column, value: number | undefined, divisor: number | undefined): string {
  if (value === undefined) return "";
  const text = value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
  return divisor === undefined ? text : `${text} (${formatRatio(value / divisor)})`;
}

function formatRatio(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(ratio >= 1 ? 1 : 2);
}
