// Compiled with every TypeScript since 5.2.
import { Vendor } from "@vendor/sdk";
import { addProperties, addRules } from "@vendor/sdk/rules";
import type { InferCommon, InferSteps, Plan, Typed, WithCommon } from "@vendor/sdk/typed";
import * as v from "valibot";

const plan = {
  signup: v.object({ tier: v.picklist(["free", "pro"]), coupon: v.optional(v.string()) }),
  checkout: v.object({ items: v.pipe(v.number(), v.integer(), v.toMinValue(1)) }),
  logout: undefined,
} satisfies Plan;

type Steps = InferSteps<typeof plan>;
const analytics: Typed<Steps> = Vendor;

// None of the types has turned into `any`.
const isExact: unknown extends Steps["signup" | "checkout"] | Steps["signup"]["tier"] ? never : true = true;
console.log(isExact);

analytics.step("signup", { tier: "free" });
analytics.step("signup", { tier: "pro", coupon: "TEA" });
analytics.step("logout");
// What the page passes, before the schema changes it.
analytics.step("checkout", { items: 1 });

// @ts-expect-error -- no such name
analytics.step("signp", { tier: "pro" });
// @ts-expect-error -- a property is missing
analytics.step("signup", { coupon: "TEA" });
// @ts-expect-error -- a property is surplus
analytics.step("signup", { tier: "pro", colour: "green" });
// @ts-expect-error -- a wrong value
analytics.step("signup", { tier: "gold" });
// @ts-expect-error -- what the schema makes of it isn't what it takes
analytics.step("checkout", { items: "1" });
// @ts-expect-error -- a step without properties
analytics.step("logout", { at: "noon" });

const withCommon = { ...plan, "$common.release": v.string() } satisfies Plan;
const common: Typed<InferSteps<typeof withCommon>> = Vendor;
addRules(Vendor, addProperties({ release: "1.4" } satisfies InferCommon<typeof withCommon>));
common.step("signup", { tier: "free" });
common.step("signup", { tier: "free", release: "1.5" });
common.step("logout");
common.step("logout", { release: "1.5" });
const byHand: Typed<WithCommon<{ logout: undefined; share: { by: string } | undefined }, { release: string }>> = Vendor;
byHand.step("share");
byHand.step("share", { by: "mail", release: "1.5" });

// @ts-expect-error -- a wrong common property
addRules(Vendor, addProperties({ release: 1 } satisfies InferCommon<typeof withCommon>));
// @ts-expect-error -- a common property is no step
common.step("$common.release");
// @ts-expect-error -- a wrong value of a common property
common.step("signup", { tier: "free", release: 1 });
// @ts-expect-error -- a property is surplus
common.step("logout", { at: "noon" });
