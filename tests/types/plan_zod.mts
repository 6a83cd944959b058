// Compiled with every TypeScript since 5.4, the oldest that compiles zod's own types.
import { Vendor } from "@vendor/sdk";
import type { InferSteps, Plan, Typed } from "@vendor/sdk/typed";
import { z } from "zod";

const plan = {
  signup: z.object({ tier: z.enum(["free", "pro"]), coupon: z.string().optional() }),
  checkout: z.object({ items: z.number().transform(String) }),
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
