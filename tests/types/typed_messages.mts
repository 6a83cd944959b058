// Compiled with every TypeScript since 5.2, also without its `@ts-expect-error`: what follows that is in the message.
import { Vendor } from "@vendor/sdk";
import type { Typed } from "@vendor/sdk/typed";

interface Steps {
  readonly logout: undefined;
  readonly signup: { readonly tier: "free" | "pro"; readonly coupon?: string };
}
const analytics: Typed<Steps, { readonly company: string }> = Vendor;

// @ts-expect-error '"signp"' is not assignable to parameter of type '"logout" | "signup"'.
analytics.step("signp", { tier: "pro" });
// @ts-expect-error '"logot"' is not assignable to parameter of type '"logout" | "signup"'.
analytics.step("logot");
// @ts-expect-error 'string' is not assignable to parameter of type '"logout" | "signup"'.
analytics.step(String("signup"));
// @ts-expect-error Expected 2 arguments, but got 1.
analytics.step("signup");
// @ts-expect-error Property 'tier' is missing in type '{ coupon: string; }'
analytics.step("signup", { coupon: "TEA" });
// @ts-expect-error Type '"gold"' is not assignable to type '"free" | "pro"'.
analytics.step("signup", { tier: "gold" });
// @ts-expect-error Object literal may only specify known properties, and 'colour' does not exist
analytics.step("signup", { tier: "pro", colour: "green" });
// @ts-expect-error Expected 1 arguments, but got 2.
analytics.step("logout", { at: "noon" });
// @ts-expect-error Type 'number' is not assignable to type 'string'.
analytics.identify("user-42", { company: 1 });
// @ts-expect-error Type 'string' is not assignable to type 'object'.
export const wrong: Typed<{ signup: string }> | undefined = undefined;
