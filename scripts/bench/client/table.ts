import type { Column, Figures } from "./row.ts";
import { findMedian } from "./statistics.ts";

/** The figures of every run of an SDK. */
export interface SubjectRuns {
  /** Name of the SDK. */
  readonly id: string;
  /** Its runs, of all rows. */
  readonly runs: readonly Figures[];
}

/** Settings of {@linkcode formatTable}. */
export interface TableOptions {
  /** Whether a cell ends with the lowest and the highest run, where they differ. @default {false} */
  readonly isRanged?: boolean;
}

/**
 * Formats a Markdown table with a line for each column, and in brackets how many times the reference's figure that is.
 * A figure that nobody measured leaves no line.
 */
export function formatTable(
  columns: readonly Column[],
  subjects: readonly SubjectRuns[],
  { isRanged = false }: TableOptions = {},
): string {
  const lines = columns.flatMap((column) => {
    const reference = subjects.find(({ id }) => id === column.reference);
    const divisor = reference && summarize(column, reference);
    const cells = subjects.map((subject) => {
      const cell = formatCell(column, summarize(column, subject), divisor);
      return isRanged ? cell + formatRange(column, subject) : cell;
    });
    if (cells.every((cell) => cell === "")) return [];
    const title = divisor === undefined ? column.title : `${column.title} (× ${column.reference})`;
    return [[title, ...cells]];
  });
  const header = ["", ...subjects.map(({ id }) => id)];
  const rule = header.map((_, i) => (i ? "---:" : "---"));
  return [header, rule, ...lines].map((cells) => `| ${cells.join(" | ")} |`).join("\n");
}

function summarize(column: Column, subject: SubjectRuns): number | undefined {
  const values = findValues(column, subject);
  if (!values.length) return undefined;
  return column.pick ? Math.min(...values) : findMedian(values);
}

function findValues({ figure }: Column, { runs }: SubjectRuns): number[] {
  return runs.flatMap((run) => run[figure] ?? []);
}

function formatCell(column: Column, value: number | undefined, divisor: number | undefined): string {
  if (value === undefined) return "";
  const text = formatNumber(column, value);
  return divisor === undefined ? text : `${text} (${formatRatio(value / divisor)})`;
}

function formatRange(column: Column, subject: SubjectRuns): string {
  const values = findValues(column, subject);
  const [lowest, highest] = [Math.min(...values), Math.max(...values)];
  return lowest < highest ? `, ${formatNumber(column, lowest)} to ${formatNumber(column, highest)}` : "";
}

function formatNumber({ digits = 0 }: Column, value: number): string {
  return value.toLocaleString("en", { minimumFractionDigits: digits, maximumFractionDigits: digits });
}

function formatRatio(ratio: number): string {
  return ratio >= 10 ? ratio.toFixed(0) : ratio.toFixed(ratio >= 1 ? 1 : 2);
}
