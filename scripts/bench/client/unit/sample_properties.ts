/** Properties as an application has them: 8 keys of every kind that JSON knows. */
export interface SampleProperties {
  /** Tells the events of a run apart. */
  readonly bench_seq: number;
  /** A short text. */
  readonly plan: string;
  /** A longer one. */
  readonly source: string;
  /** An integer. */
  readonly amount: number;
  /** A fraction. */
  readonly ratio: number;
  /** A flag. */
  readonly is_new: boolean;
  /** An object. */
  readonly cart: { readonly id: string; readonly items: number; readonly currency: string };
  /** An array. */
  readonly tags: readonly string[];
}

/** Builds the properties of the event with this number. */
export function buildSampleProperties(sequence: number): SampleProperties {
  return {
    bench_seq: sequence,
    plan: "pro",
    source: "signup-form",
    amount: 1999,
    ratio: 0.42,
    is_new: true,
    cart: { id: "c_1029", items: 3, currency: "EUR" },
    tags: ["a", "beta", "checkout"],
  };
}
