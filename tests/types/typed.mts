// Compiled against the packed npm package with every TypeScript since 5.2, with and without the DOM's types.
import { Vendor } from "@vendor/sdk";
import { createClient } from "@vendor/sdk/client";
import type { Arguments, StepArguments, Typed } from "@vendor/sdk/typed";

interface Steps {
  readonly signup: { readonly tier: "free" | "pro"; readonly coupon?: string };
  readonly checkout: { items: number; readonly tags?: readonly string[] } | { readonly gift: true };
  readonly logout: undefined;
  readonly search: { readonly query?: string };
  readonly share: { readonly channel: string } | undefined;
}
interface Traits {
  readonly company: string;
}

const client = createClient({ apiKey: "pk_test" });
const analytics: Typed<Steps> = Vendor;
const withTraits: Typed<Steps, Traits> = client;
const withType: Typed<{ signup: { tier: string } }, { company?: string } | undefined> = Vendor;

analytics.step("signup", { tier: "pro" });
analytics.step("signup", { tier: "pro", coupon: "TEA" } as const);
analytics.step("checkout", { items: 1, tags: ["green", "black"] as const });
analytics.step("checkout", { gift: true });
analytics.step("logout");
analytics.step("search");
analytics.step("search", { query: "sencha" });
analytics.step("share");
analytics.step("share", { channel: "mail" });
analytics.identify("user-42");
analytics.identify("user-42", { anything: 1 });
withTraits.step("logout");
withTraits.identify("user-42", { company: "Tea House" });
withType.identify("user-42");
withType.step("signup", { tier: "any" });
analytics.reset();
analytics.page();
analytics.setConsent("granted");
export const flushed: Promise<void> = analytics.flush();
export const isPending: boolean = analytics.getConsent() === "pending";

/** A function that passes a step on. */
export function record<Name extends keyof Steps>(name: Name, ...properties: StepArguments<Steps, Name>): void {
  analytics.step(name, ...properties);
}
record("signup", { tier: "free" });
record("logout");
export const rest: Arguments<Traits | undefined> = [];

// What nobody has typed yet.
// deno-lint-ignore no-explicit-any
const untyped: Typed<{ signup: any }> = Vendor;
untyped.step("signup", { tier: "any" });

// The properties of one of several names suit all of them.
declare const either: "search" | "share";
analytics.step(either, { query: "sencha", channel: "mail" });

// @ts-expect-error -- no such name
analytics.step("signp", { tier: "pro" });
// @ts-expect-error -- no such name, without properties
analytics.step("logot");
// @ts-expect-error -- any text
analytics.step(String("signup"), { tier: "pro" });
// @ts-expect-error -- no properties
analytics.step("signup");
// @ts-expect-error -- a property is missing
analytics.step("signup", { coupon: "TEA" });
// @ts-expect-error -- a property is surplus
analytics.step("signup", { tier: "pro", colour: "green" });
// @ts-expect-error -- a property is surplus where all are optional
analytics.step("search", { text: "sencha" });
// @ts-expect-error -- a wrong value
analytics.step("signup", { tier: "gold" });
// @ts-expect-error -- a wrong value in one of several forms
analytics.step("checkout", { items: "one" });
// @ts-expect-error -- a step without properties
analytics.step("logout", { at: "noon" });
// @ts-expect-error -- absent is not undefined (exactOptionalPropertyTypes)
analytics.step("search", { query: undefined });
// @ts-expect-error -- what suits one of several names only
analytics.step(either, { query: "sencha" });
// @ts-expect-error -- a name that may need properties
analytics.step(String() ? "logout" : "signup");
// @ts-expect-error -- no traits
withTraits.identify("user-42");
// @ts-expect-error -- a wrong trait
withTraits.identify("user-42", { company: 1 });
// @ts-expect-error -- a surplus trait
withTraits.identify("user-42", { company: "Tea House", size: 2 });
// @ts-expect-error -- the properties pass through as they are
record("signup");
// @ts-expect-error -- properties are an object
export const wrong: Typed<{ signup: string }> = Vendor;
