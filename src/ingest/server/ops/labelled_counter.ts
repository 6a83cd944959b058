import { Counter, type CounterConfiguration } from "prom-client";

/** A number that counts up. */
export interface Cell {
  /** The counted values. */
  value: number;
}

/** Finds the number of some values of its labels, in their order; one that is new is shown as zero. */
export type LabelledCounter = (...values: readonly string[]) => Cell;

/**
 * Creates a counter of Prometheus' client whose numbers are kept apart until somebody reads them: its own way to a number
 * makes a text of the labels each time.
 */
export function createLabelledCounter(options: Omit<CounterConfiguration<string>, "collect">): LabelledCounter {
  const { labelNames = [] } = options;
  const cells = new Map<string, Cell & { readonly labels: Readonly<Record<string, string>> }>();
  new Counter({
    ...options,
    collect(): void {
      this.reset();
      for (const { labels, value } of cells.values()) this.inc(labels, value);
    },
  });

  return (...values) => {
    // Of most there is one label.
    const place = values.length === 1 ? values[0] ?? "" : JSON.stringify(values);
    const known = cells.get(place);
    if (known !== undefined) return known;
    const labels = Object.fromEntries(labelNames.map((name, index) => [name, values[index] ?? ""]));
    const cell = { labels, value: 0 };
    cells.set(place, cell);
    return cell;
  };
}
