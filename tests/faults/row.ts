import type { EngineName } from "./engines/engine.ts";
import type { Counts } from "./ledger.ts";

/** A line of the table. */
export interface Row {
  /** Number of the scenario, and a letter for its variant. */
  readonly id: string;
  /** What happens in it. */
  readonly title: string;
  /** Where. */
  readonly engine: EngineName;
  /** Figures; absent where the driver can't do the step. */
  readonly counts?: Counts;
  /** What else there is to say, the reasons among it. */
  readonly notes: readonly string[];
  /** What failed, one sentence each. */
  readonly faults: readonly string[];
}

const HEADINGS = [
  "scenario",
  "engine",
  "made",
  "stored",
  "lost",
  "excused",
  "sent twice",
  "of which unseen",
  "stored twice",
  "notes",
] as const;

/** Writes the rows as a table in Markdown, in the order of the scenarios. */
export function formatTable(rows: readonly Row[]): string {
  const sorted = [...rows].sort((a, b) => compareIds(a.id, b.id) || a.engine.localeCompare(b.engine));
  const cells = [[...HEADINGS], ...sorted.map(toCells)];
  const widths = HEADINGS.map((_, column) => Math.max(...cells.map((line) => line[column]?.length ?? 0)));
  const isNumber = (column: number): boolean => column > 1 && column < HEADINGS.length - 1;
  const pad = (text: string, column: number): string => {
    if (column === HEADINGS.length - 1) return text;
    return isNumber(column) ? text.padStart(widths[column] ?? 0) : text.padEnd(widths[column] ?? 0);
  };
  const rule = HEADINGS.map((_, column) => {
    const dashes = "-".repeat(column === HEADINGS.length - 1 ? 5 : widths[column] ?? 0);
    return isNumber(column) ? `${dashes.slice(1)}:` : dashes;
  });
  const [head = [], ...body] = cells.map((line) => line.map(pad));
  return [head, rule, ...body].map((line) => `| ${line.join(" | ")} |`).join("\n");
}

function toCells({ id, title, engine, counts, notes, faults }: Row): string[] {
  const figures = counts?.made
    ? [
      counts.made,
      counts.stored,
      counts.lost,
      counts.excused,
      counts.sentTwice + counts.unseen,
      counts.unseen,
      counts.storedTwice,
    ]
    : Array.from({ length: 7 }, () => "-");
  return [
    `${id} ${title}`,
    engine,
    ...figures.map(String),
    [...faults.map((fault) => `FAILED: ${fault}`), ...notes].join("; "),
  ];
}

function compareIds(a: string, b: string): number {
  return parseInt(a) - parseInt(b) || a.localeCompare(b);
}
