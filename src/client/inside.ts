import type { Batch } from "./base/batch.ts";
import type { Environment } from "./platform/environment.ts";
import type { Hooks } from "./hooks.ts";

/**
 * Where addons get into a client: rules, the inspector, tests. Under it a client has its {@linkcode Inside}; `Vendor`
 * has a function that returns its instance, after it put another one in place where it's given one. Registered, so that
 * it's the same in each copy of the package.
 */
export const INSIDE: unique symbol = Symbol.for("vendor.sdk");

/** Parts of a client that addons work with. */
export interface Inside {
  /** Where it runs. */
  readonly environment: Environment;
  /** The way in. */
  readonly hooks: Hooks;
  /** Makes events of all drafts, of a pageview that awaits its title as well. */
  readonly finish: () => void;
  /** Returns what waits to be sent. */
  readonly batches: () => readonly Batch[];
}

/** Returns what addons find in a client, or in `Vendor`; nothing in what is none. Another version may have less inside. */
export function findInside(target: unknown): Partial<Inside> | undefined {
  const found: unknown = Reflect.get(Object(target), INSIDE); // a wrong import is undefined
  return typeof found === "function" ? found()[INSIDE] : found as Partial<Inside> | undefined;
}
