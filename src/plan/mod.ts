/**
 * Names and properties of an application's own steps for the compiler: types alone, without a byte in the page.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import type { Typed } from "@vendor/sdk/typed";
 *
 * const analytics: Typed<{ signup: { tier: "free" | "pro" }; logout: undefined }> = Vendor;
 *
 * analytics.step("signup", { tier: "pro" });
 * analytics.step("logout");
 * ```
 *
 * @module
 */
export type { InferCommon, InferSteps, Plan, WithCommon } from "./infer_steps.ts";
export type { StandardResult, StandardSchema } from "./standard_schema.ts";
export type { Arguments, StepArguments, Typed } from "./typed.ts";
