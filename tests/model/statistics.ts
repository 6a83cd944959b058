/** How often what happened, so that a run that exercised nothing is seen. */
export interface Statistics {
  /** Counts one occurrence of what a name stands for. */
  count(name: string): void;
  /** Returns which of the names never occurred. */
  missing(names: readonly string[]): readonly string[];
  /** Returns a line per name, sorted. */
  format(): string;
}

/** Creates statistics that saw nothing yet. */
export function createStatistics(): Statistics {
  const counts = new Map<string, number>();
  return {
    count: (name) => void counts.set(name, (counts.get(name) ?? 0) + 1),
    missing: (names) => names.filter((name) => !counts.has(name)),
    format: () =>
      [...counts].sort(([a], [b]) => a < b ? -1 : 1).map(([name, count]) => `${`${count}`.padStart(9)}  ${name}`)
        .join("\n"),
  };
}
