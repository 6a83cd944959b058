/**
 * Parts of the SDK that an ingest shares: the bodies that are sent, who says that it sent them, and the check of an
 * application's plan. `@vendor/ingest` imports nothing else of this package; an ingest of your own may do the same.
 *
 * @example
 * ```ts
 * import { createPlanCheck, type EventRequestPayload } from "@vendor/sdk/contract";
 *
 * const check = createPlanCheck({ logout: undefined });
 * const countUnknown = ({ events }: EventRequestPayload): number =>
 *   events.filter((event) => check(event)?.kind === "unknown").length;
 *
 * if (check({ name: "logout" }) !== undefined) throw new Error("the plan has this step");
 * console.log(countUnknown);
 * ```
 *
 * @module
 */
export type {
  AggregatePageviewPayload,
  EventContext,
  EventRequestPayload,
  Identity,
  StepEvent,
} from "../client/base/types.ts";
export { SDK_NAME, SDK_VERSION } from "../client/base/version.ts";
export type { Plan } from "./infer_steps.ts";
export { createPlanCheck, type PlanCheck, type PlannedStep, type Violation, type ViolationKind } from "./plan_check.ts";
