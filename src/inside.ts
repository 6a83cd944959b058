import type { Capture } from "./capture.ts";
import type { Environment } from "./environment/environment.ts";
import type { Queue } from "./queue.ts";
import type { Report } from "./report.ts";

/**
 * Where tools get into a client: redaction, the inspector, tests. Under it a client has its {@linkcode Inside}; `Vendor`
 * has a function that returns its instance, after it put another one in place where it's given one. Registered, so that
 * it's the same in each copy of the package.
 */
export const INSIDE: unique symbol = Symbol.for("vendor.sdk");

/** The parts of a client that tools look at, and whose methods they may replace. */
export interface Inside {
  /** Where it runs. */
  readonly environment: Environment;
  /** What it tells the developer. */
  readonly report: Report;
  /** What isn't an event yet. */
  readonly capture: Capture;
  /** What waits to be sent. */
  readonly queue: Queue;
}
