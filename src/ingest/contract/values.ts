/**
 * The values that the bodies consist of. The checks that JSON Schema has words for say them in their metadata: the
 * published schemas are made from these definitions. A message is read after the path of its value, and may begin with
 * what continues that path.
 *
 * @module
 */
import * as v from "valibot";

/** A schema of something that a sender may send. */
export type Schema<T> = v.GenericSchema<unknown, T>;

/** Whether two types are the same, optional and readonly fields included. */
type Same<A, B> = (<T>() => T extends A ? 1 : 2) extends (<T>() => T extends B ? 1 : 2) ? true : false;

/** The result of a schema of an object, as its consumers may treat it. */
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

/** Longest identifier in characters. The specification shows no format beyond "string" for most of them. */
export const MAX_IDENTIFIER_CHARACTERS = 128;

const NOT_TEXT = "must be a string";

const UTC_TIME_PATTERN = "^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d(\\.\\d{1,9})?(Z|\\+00:00)$";

/** Returns whether the value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Any JSON object. */
export const RECORD: Schema<Readonly<Record<string, unknown>>> = v.custom<Readonly<Record<string, unknown>>>(
  isObject,
  "must be an object",
);

/** A string of any length. */
export const TEXT: Schema<string> = v.string(NOT_TEXT);

/** A number that JSON can hold; `1e999` parses to Infinity, which it can't. */
export const NUMBER: Schema<number> = v.pipe(
  v.number("must be a number"),
  v.finite("must be a number"),
);

/** Exactly one of the strings. */
export function oneOf<const T extends string>(...allowed: readonly T[]): Schema<T> {
  const message = `must be ${allowed.map((text) => JSON.stringify(text)).join(" or ")}`;
  const [only, ...others] = allowed;
  return only !== undefined && others.length === 0 ? v.literal(only, message) : v.picklist(allowed, message);
}

/** A string of 1 to `max` characters, counted as code points as JSON Schema does. */
export function characters(max: number): Schema<string> {
  return v.pipe(
    v.string(NOT_TEXT),
    // A code point is one or two units: only between the two bounds does it take a count.
    v.check((text) => text !== "" && (text.length <= max || isAtMost(text, max)), `must be 1-${max} characters`),
    v.metadata({ minLength: 1, maxLength: max }),
  );
}

function isAtMost(text: string, max: number): boolean {
  return text.length <= 2 * max && [...text].length <= max;
}

/**
 * An identifier. Lone surrogates are refused: a store that keeps UTF-8 would take two such ids for one. The schema says so
 * in words, for languages differ in what their patterns know of Unicode.
 */
export const IDENTIFIER: Schema<string> = v.pipe(
  characters(MAX_IDENTIFIER_CHARACTERS),
  v.check((text) => text.isWellFormed(), "must be well-formed text"),
  v.description("Well-formed Unicode: a lone surrogate is refused."),
);

/**
 * An ISO 8601 time in UTC, `2026-01-31T12:00:00.000Z` or `…+00:00`, of a day that exists. It yields the one with `Z`:
 * what is stored has one form, by which it is sorted and cut.
 */
export const UTC_TIME: Schema<string> = v.pipe(
  v.string("must be an ISO 8601 UTC time"),
  v.check(isUtcTime, "must be an ISO 8601 UTC time"),
  v.transform(toZulu),
  v.metadata({ format: "date-time", pattern: UTC_TIME_PATTERN }),
);

const UTC_TIME_FORMAT = new RegExp(UTC_TIME_PATTERN);

const DAY_START = "2026-01-".length;

/** Returns whether a text is a time in UTC, of a day that exists. */
export function isUtcTime(text: string): boolean {
  if (!UTC_TIME_FORMAT.test(text)) return false;
  // Engines roll the 30th of February over to March instead of refusing it.
  return new Date(text).getUTCDate() === Number(text.slice(DAY_START, DAY_START + 2));
}

/** Writes a time in UTC with `Z`. */
export function toZulu(time: string): string {
  return time.endsWith("Z") ? time : `${time.slice(0, -"+00:00".length)}Z`;
}

/**
 * An object with the fields given; others are left out of what it yields (SPEC shows no rule against them). An
 * array is none, though it is one to the language.
 */
export function fields<const T extends v.ObjectEntries>(
  entries: T,
): v.SchemaWithPipe<readonly [Schema<Readonly<Record<string, unknown>>>, v.ObjectSchema<T, undefined>]> {
  return v.pipe(RECORD, v.object(entries));
}
