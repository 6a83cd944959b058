import { createPlanCheck, type ViolationKind } from "../plan/plan_check.ts";
import type { Plan } from "../plan/infer_steps.ts";
import type { StepEvent } from "../client/base/types.ts";

/** A breach of the plan by an event. */
export interface PlanViolation {
  /** Id of the event. */
  readonly id: string;
  /** Its name. */
  readonly name: string;
  /** Kind of the breach. */
  readonly kind: ViolationKind;
  /** The breach in the words of the schema. They may repeat a value: they are for developers, not for logs. */
  readonly message: string;
}

/**
 * Checks events against a plan, as the ingest does with `createIngest({ plan })`. Pageviews keep every plan.
 *
 * @param events Those of a captured page, for instance.
 * @param plan Schemas of the properties by the names of the steps.
 * @returns What is wrong, event by event; empty where all keep the plan.
 * @throws {TypeError} For a plan that holds something else than schemas that follow Standard Schema and are synchronous.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { captureVendor, checkPlan } from "@vendor/sdk/testing";
 * import * as v from "valibot";
 *
 * const plan = { signup: v.object({ tier: v.picklist(["free", "pro"]) }) };
 * const page = captureVendor(Vendor);
 * Vendor.step("signup", { tier: "gold" });
 *
 * const [violation] = checkPlan(page.events, plan);
 * if (violation?.kind !== "invalid") throw new Error("not noticed");
 * page.restore();
 * ```
 */
export function checkPlan(events: readonly StepEvent[], plan: Plan): readonly PlanViolation[] {
  const check = createPlanCheck(plan);
  return events.flatMap((event) => {
    const violation = check(event);
    return violation ? [{ id: event.id, name: event.name, ...violation }] : [];
  });
}
