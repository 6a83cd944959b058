import type { Operations } from "../client/operations.ts";

/**
 * The arguments that follow a step's name, for functions that pass them on.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import type { StepArguments, Typed } from "@vendor/sdk/typed";
 *
 * interface Steps {
 *   readonly signup: { readonly tier: "free" | "pro" };
 *   readonly logout: undefined;
 * }
 * const analytics: Typed<Steps> = Vendor;
 *
 * function record<Name extends keyof Steps>(name: Name, ...properties: StepArguments<Steps, Name>): void {
 *   console.log(name);
 *   analytics.step(name, ...properties);
 * }
 * record("signup", { tier: "pro" });
 * record("logout");
 * ```
 */
export type StepArguments<Steps, Name> = [Name] extends [keyof Steps]
  // Where the name is one of several, the properties have to suit all: a function that may be any of several takes
  // what suits each.
  ? { [One in Name]: (value: Steps[One]) => void }[Name] extends (value: infer Value extends object | undefined) => void
    ? Arguments<Value>
  : never
  // A wrong name: the compiler is to complain of the name, not of the number of arguments.
  : [value?: object];

/**
 * The rest of a call that takes a value: nothing for `undefined`, and a value that may be left out where `undefined` or
 * `{}` would do.
 *
 * @example
 * ```ts
 * import type { Arguments } from "@vendor/sdk/typed";
 *
 * const none: Arguments<undefined> = [];
 * const needed: Arguments<{ tier: string }> = [{ tier: "pro" }];
 * const optional: Arguments<{ query?: string }> = [];
 * ```
 */
export type Arguments<Value> = [Value] extends [never] ? [value: never]
  // `any`, which extends everything: nobody knows.
  : 0 extends 1 & Value ? [value?: Value]
  // A tuple around a type keeps the compiler from asking for each member of a union on its own.
  : [Value] extends [undefined] ? []
  : undefined extends Value ? [value?: Value]
  // deno-lint-ignore ban-types -- the literal `{}`
  : {} extends Value ? [value?: Value]
  : [value: Value];

/**
 * `Vendor`, or a client, with the names and properties of an application's own steps. A type alone: what runs is the
 * object that it's given to.
 *
 * `Steps` maps each name to its properties; `undefined` stands for none. `Traits` are those of `identify()`; by default
 * any. Properties may be left out where all of them are optional.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import type { Typed } from "@vendor/sdk/typed";
 *
 * interface Steps {
 *   readonly signup: { readonly tier: "free" | "pro"; readonly coupon?: string };
 *   readonly logout: undefined;
 * }
 * const analytics: Typed<Steps, { readonly company: string }> = Vendor;
 *
 * analytics.step("signup", { tier: "pro" });
 * analytics.step("logout");
 * analytics.identify("user-42", { company: "Tea House" });
 * ```
 */
export interface Typed<
  Steps extends { readonly [Name in keyof Steps]: object | undefined },
  Traits extends object | undefined = object | undefined,
> extends Omit<Operations, "step" | "identify"> {
  // SPEC 2.6
  /**
   * Records an event while consent is granted.
   *
   * @param name A name of `Steps`.
   * @param properties What `Steps` says of that name; where the name is one of several, what suits all of them.
   */
  step<Name extends string>(
    name: [Name] extends [keyof Steps] ? Name : keyof Steps & string,
    ...properties: StepArguments<Steps, Name>
  ): void;
  // SPEC 2.4
  /**
   * Sets who the visitor is, from the next event on.
   *
   * @param userId 1-1,000 characters (Unicode code points).
   * @param traits Replace earlier traits wholesale.
   */
  identify(userId: string, ...traits: Arguments<Traits>): void;
}
