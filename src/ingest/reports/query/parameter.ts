/**
 * Parameters of a single view: their form in a URL, and their description in OpenAPI.
 *
 * @module
 */
import type { Problem, ProblemCode } from "./query.ts";

/** A piece of JSON Schema. */
export type Schema = Readonly<Record<string, unknown>>;

/** A parameter of a view. */
export interface Parameter<T> {
  /** Name in a URL. */
  readonly name: string;
  /** Schema of its texts; of a list where it may be repeated. */
  readonly schema: Schema;
  /** A sentence for the OpenAPI document. */
  readonly description: string;
  /** Reads its texts in a URL. An empty one counts as missing. */
  read(texts: readonly string[]): T | Problem;
  /** Writes what {@linkcode Parameter.read} reads; nothing for the default, but where it should be seen. */
  write(value: T): readonly string[];
}

/** The parameters that a query is read from. */
export type ParametersOf<Q> = { readonly [Name in keyof Q]-?: Parameter<Q[Name]> };

/** Options of {@linkcode oneOf}. */
export interface WordsOptions<T extends string> {
  /** The words. The first is the default. */
  readonly words: readonly T[];
  /** A sentence for the OpenAPI document. */
  readonly description: string;
  /** Why another word is refused. */
  readonly code: ProblemCode;
  /**
   * Whether it is written where it's the default.
   *
   * @default {false}
   */
  readonly isAlwaysWritten?: boolean;
}

/** Builds a parameter that is one of several words. */
export function oneOf<T extends string>(
  name: string,
  { words, description, code, isAlwaysWritten = false }: WordsOptions<T>,
): Parameter<T> {
  const message = `${name} must be one of ${words.join(", ")}`;
  return {
    name,
    schema: { enum: words, default: words[0] },
    description,
    read: ([text]) => words.find((word) => word === (text || words[0])) ?? { status: 400, code, message },
    write: (word) => word === words[0] && !isAlwaysWritten ? [] : [word],
  };
}

/** Builds a parameter that is any text. */
export function anyText(name: string, description: string): Parameter<string | undefined> {
  return {
    name,
    schema: { type: "string" },
    description,
    read: ([text]) => text || undefined,
    write: (text) => text === undefined ? [] : [text],
  };
}
