import type { StandardSchema } from "./standard_schema.ts";

/**
 * An application's steps as values: a schema of the properties by name, `undefined` for a step without any. The ingest
 * checks what arrives against it.
 *
 * @example
 * ```ts
 * import type { Plan } from "@vendor/sdk/typed";
 * import * as v from "valibot";
 *
 * export const plan = {
 *   signup: v.object({ plan: v.picklist(["free", "pro"]) }),
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
 * const plan = { signup: v.object({ plan: v.picklist(["free", "pro"]) }), logout: undefined };
 * const analytics: Typed<InferSteps<typeof plan>> = Vendor;
 *
 * analytics.step("signup", { plan: "pro" });
 * ```
 */
export type InferSteps<Schemas extends { readonly [Name in keyof Schemas]: StandardSchema | undefined }> = {
  readonly [Name in keyof Schemas]: Schemas[Name] extends StandardSchema<infer Input> ? Input : undefined;
};
