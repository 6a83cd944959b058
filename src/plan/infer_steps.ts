import type { StandardSchema } from "./standard_schema.ts";

/**
 * An application's steps as values: a schema of the properties by name, `undefined` for a step without any. The ingest
 * checks what arrives against it.
 *
 * `$common.release` is the schema of the property `release`, which any step may have beside its own: one that
 * `addProperties()` of `./rules` adds.
 *
 * @example
 * ```ts
 * import type { Plan } from "@vendor/sdk/typed";
 * import * as v from "valibot";
 *
 * export const plan = {
 *   signup: v.object({ tier: v.picklist(["free", "pro"]) }),
 *   logout: undefined,
 * } satisfies Plan;
 * ```
 */
export type Plan = Readonly<Record<string, StandardSchema | undefined>>;

/**
 * The steps of a {@linkcode Plan}, for {@linkcode Typed}: what each schema takes in, before it changes anything. Import
 * the plan as a type, and no byte of it reaches the page.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import type { InferSteps, Typed } from "@vendor/sdk/typed";
 * import * as v from "valibot";
 *
 * const plan = { signup: v.object({ tier: v.picklist(["free", "pro"]) }), logout: undefined };
 * const analytics: Typed<InferSteps<typeof plan>> = Vendor;
 *
 * analytics.step("signup", { tier: "pro" });
 * ```
 */
export type InferSteps<Schemas extends { readonly [Name in keyof Schemas]: StandardSchema | undefined }> = WithCommon<
  {
    readonly [Name in keyof Schemas as Name extends `$common.${string}` ? never : Name]: Schemas[Name] extends
      StandardSchema<infer Input> ? Input : undefined;
  },
  InferCommon<Schemas>
>;

/**
 * The properties that a {@linkcode Plan} lets any step have, for the call of `addProperties()`.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { addProperties, addRules } from "@vendor/sdk/rules";
 * import type { InferCommon } from "@vendor/sdk/typed";
 * import * as v from "valibot";
 *
 * const plan = { "$common.release": v.string(), logout: undefined };
 *
 * addRules(Vendor, addProperties({ release: "2026.11" } satisfies InferCommon<typeof plan>));
 * ```
 */
export type InferCommon<Schemas extends { readonly [Name in keyof Schemas]: StandardSchema | undefined }> = {
  readonly [Name in keyof Schemas as Name extends `$common.${infer Property}` ? Property : never]: Schemas[Name] extends
    StandardSchema<infer Input> ? Input : never;
};

/**
 * Steps with properties that each of them may have beside its own, for {@linkcode Typed}. A step that has one of that
 * name already has to suit both.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import type { Typed, WithCommon } from "@vendor/sdk/typed";
 *
 * interface Steps {
 *   readonly signup: { readonly tier: "free" | "pro" };
 *   readonly logout: undefined;
 * }
 * const analytics: Typed<WithCommon<Steps, { readonly release: string }>> = Vendor;
 *
 * analytics.step("signup", { tier: "pro" });
 * analytics.step("logout", { release: "2026.11" });
 * ```
 */
export type WithCommon<Steps, Common> = [keyof Common] extends [never] ? Steps
  // `infer` takes each member of a union on its own: properties that may be left out still may.
  : {
    readonly [Name in keyof Steps]: Steps[Name] extends infer Value
      ? Value extends undefined ? Partial<Common> | undefined : Value & Partial<Common>
      : never;
  };
