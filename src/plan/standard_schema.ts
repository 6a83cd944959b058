/**
 * The part of a schema that follows [Standard Schema](https://standardschema.dev), version 1, which is read here.
 * valibot, zod and arktype make such schemas.
 */
export interface StandardSchema<Input = unknown> {
  /** The members that the standard asks of a schema. */
  readonly "~standard": {
    /** The standard's version. */
    readonly version: 1;
    /** The library that made the schema. */
    readonly vendor: string;
    /** Checks a value. A failure is a value, or a promise of one. */
    readonly validate: (value: unknown) => StandardResult | Promise<StandardResult>;
    /** Exists for the compiler alone. */
    readonly types?: { readonly input: Input } | undefined;
  };
}

/** The result of a check: the value holds exactly where there are no issues. */
export interface StandardResult {
  /** Faults of the value. Absent where there is none. */
  readonly issues?:
    | readonly {
      /** The fault in words. */
      readonly message: string;
      /** Where, as keys from the outside in. */
      readonly path?: readonly (PropertyKey | { readonly key: PropertyKey })[] | undefined;
    }[]
    | undefined;
}
