/**
 * Counters, gauges and histograms in the text format of Prometheus, version 0.0.4.
 *
 * @module
 */

/** Labels of a value, in the order in which they are written. */
export type Labels = Readonly<Record<string, string>>;

/** Name and meaning of a metric. */
export interface MetricOptions {
  /** Name, by convention with the unit, and `_total` for counters. */
  readonly name: string;
  /** One line that says what it counts. */
  readonly help: string;
}

/** A metric that can be written out. */
export interface Metric {
  /** Returns its lines, the last one ended. */
  render(): string;
}

/** Counts upwards. */
export interface Counter extends Metric {
  /** Adds to the value with these labels. */
  add(amount: number, labels?: Labels): void;
}

/** Counts observations by size. */
export interface Histogram extends Metric {
  /** Counts one. */
  observe(value: number): void;
}

/** Creates a counter. One without labels is there from the start, at 0. */
export function createCounter(options: MetricOptions & { readonly isLabelled: boolean }): Counter {
  const values = new Map<string, number>();
  if (!options.isLabelled) values.set("", 0);
  return {
    add(amount, labels = {}): void {
      const key = renderLabels(labels);
      values.set(key, (values.get(key) ?? 0) + amount);
    },
    render: () => renderMetric(options, "counter", [...values].map(([labels, value]) => `${labels} ${value}`)),
  };
}

/** Creates a gauge that is read when it is asked for. */
export function createGauge(options: MetricOptions & { readonly read: () => number }): Metric {
  return { render: () => renderMetric(options, "gauge", [` ${options.read()}`]) };
}

/** Creates a histogram with these upper bounds, in ascending order; the one of everything is added. */
export function createHistogram(options: MetricOptions & { readonly bounds: readonly number[] }): Histogram {
  const { bounds } = options;
  const counts = new Array<number>(bounds.length + 1).fill(0);
  let sum = 0;
  return {
    observe(value): void {
      const index = bounds.findIndex((bound) => value <= bound);
      const bucket = index < 0 ? bounds.length : index;
      counts[bucket] = (counts[bucket] ?? 0) + 1;
      sum += value;
    },
    render(): string {
      let count = 0;
      const buckets = counts.map((own, index) => {
        count += own;
        return `_bucket{le="${bounds[index] ?? "+Inf"}"} ${count}`;
      });
      return renderMetric(options, "histogram", [...buckets, `_sum ${sum}`, `_count ${count}`]);
    },
  };
}

function renderMetric({ name, help }: MetricOptions, type: string, values: readonly string[]): string {
  return [`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`, ...values.map((value) => name + value), ""].join("\n");
}

function renderLabels(labels: Labels): string {
  const pairs = Object.entries(labels).map(([name, value]) => `${name}="${escapeLabel(value)}"`);
  return pairs.length === 0 ? "" : `{${pairs.join(",")}}`;
}

function escapeLabel(value: string): string {
  return value.replaceAll("\\", "\\\\").replaceAll("\n", "\\n").replaceAll('"', '\\"');
}
