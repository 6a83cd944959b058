/** A call that a careless page might make. */
export interface HostileCall {
  /** Label of its button. */
  readonly label: string;
  /** Event name. */
  readonly name: string;
  /** Builds the properties, anew for each call. */
  readonly build: () => Record<string, unknown>;
  /** What becomes of the call under granted consent. */
  readonly outcome: string;
}

/** Values that break naive serialisers, each expected to cost nothing but itself. */
export const HOSTILE_CALLS: readonly HostileCall[] = [
  {
    label: "A cycle",
    outcome: 'arrives, the cycle as "[Circular]"',
    name: "cycle",
    build: () => {
      const order: Record<string, unknown> = { tea: "sencha" };
      order.self = order;
      return order;
    },
  },
  {
    label: "A throwing getter",
    outcome: "arrives without properties, a warning in the console",
    name: "throwing_getter",
    build: () => ({
      kept: true,
      get price(): number {
        throw new Error("The price list is locked");
      },
    }),
  },
  {
    label: "BigInt, Map, NaN, DOM",
    outcome: "arrives as plain JSON, without the DOM node",
    name: "odd_types",
    build: () => ({
      grams: 50n,
      cart: new Map([["sencha", 2]]),
      ratio: NaN,
      tags: new Set(["new"]),
      node: document.body,
    }),
  },
  {
    label: "10,000 levels deep",
    outcome: "arrives; past what the engine takes without properties, with a warning",
    name: "deep",
    build: () => {
      let value: Record<string, unknown> = {};
      for (let level = 0; level < 10_000; level++) value = { value };
      return value;
    },
  },
  {
    label: "1 MB of text",
    outcome: "over 32 KiB: a warning in the console, no event",
    name: "huge",
    build: () => ({ text: "tea ".repeat(250_000) }),
  },
  { label: "An empty name", outcome: "a warning in the console, no event", name: "", build: () => ({}) },
];
