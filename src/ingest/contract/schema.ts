import type * as v from "valibot";

/** A schema of something that a sender may send. */
export type Schema<T> = v.GenericSchema<unknown, T>;

/** Whether two types are the same, optional and readonly fields included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** What a schema of an object yields, as its consumers may treat it. */
type Yielded<S extends v.GenericSchema> = Readonly<v.InferOutput<S>>;

/**
 * Ties a schema to the type of the specification that it describes: a field that one of them has and the other
 * lacks fails the type check.
 */
export function describes<T>(): <S extends v.GenericSchema>(
  schema: S & (Same<Yielded<S>, T> extends true ? unknown : never),
) => Schema<T> {
  return (schema) => schema as unknown as Schema<T>;
}
