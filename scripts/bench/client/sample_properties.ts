/**
 * Builds the properties of an event as an application has them: 8 keys of every kind that JSON knows. `bench_seq` tells
 * the events of a run apart. The page has this function as a text.
 */
export function buildSampleProperties(sequence: number): Readonly<Record<string, unknown>> {
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
