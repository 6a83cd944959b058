import type { Bench, PreparedSubject } from "./session.ts";

/** Figures of one run by name. */
export type Figures = Readonly<Record<string, number>>;

/** A column of the table. */
export interface Column {
  /** Name of the figure. */
  readonly figure: string;
  /** What the table calls it, with its unit. */
  readonly title: string;
  /** Whose figure the others are divided by; absent where a ratio says nothing. */
  readonly reference?: string;
  /** Digits after the point. @default {0} */
  readonly digits?: number;
  /**
   * Which of the rounds counts: the `"best"`, the lowest, of times on the wall, which other programs can only make
   * longer; the `"worst"`, the fewest, of what must arrive. @default {"median"}
   */
  readonly pick?: "median" | "best" | "worst";
}

/** Something to measure. */
export interface Row {
  /** Name on the command line. */
  readonly id: string;
  /** What it fills. */
  readonly columns: readonly Column[];
  /** Whether it makes sense for an SDK. @default {true} */
  readonly isFor?: (subject: PreparedSubject) => boolean;
  /** Measures an SDK once. */
  readonly measure: (subject: PreparedSubject, bench: Bench) => Promise<Figures>;
}
