// Compiled with every TypeScript since 5.2.
import { Vendor } from "@vendor/sdk";
import type { InferSteps, Plan, Typed } from "@vendor/sdk/typed";
import * as v from "valibot";

const plan = {
  signup: v.object({ plan: v.picklist(["free", "pro"]), coupon: v.optional(v.string()) }),
  checkout: v.object({ items: v.pipe(v.number(), v.integer(), v.toMinValue(1)) }),
  logout: undefined,
} satisfies Plan;

type Steps = InferSteps<typeof plan>;
const analytics: Typed<Steps> = Vendor;

// None of the types has turned into `any`.
const isExact: unknown extends Steps["signup" | "checkout"] | Steps["signup"]["plan"] ? never : true = true;
console.log(isExact);

analytics.step("signup", { plan: "free" });
analytics.step("signup", { plan: "pro", coupon: "TEA" });
analytics.step("logout");
// What the page passes, before the schema changes it.
analytics.step("checkout", { items: 1 });

// @ts-expect-error -- no such name
analytics.step("signp", { plan: "pro" });
// @ts-expect-error -- a property is missing
analytics.step("signup", { coupon: "TEA" });
// @ts-expect-error -- a property is surplus
analytics.step("signup", { plan: "pro", colour: "green" });
// @ts-expect-error -- a wrong value
analytics.step("signup", { plan: "gold" });
// @ts-expect-error -- what the schema makes of it isn't what it takes
analytics.step("checkout", { items: "1" });
// @ts-expect-error -- a step without properties
analytics.step("logout", { at: "noon" });
