import type { ListChoice } from "../../ports/report_query.ts";
import { anyText, oneOf, type Parameter, type ParametersOf } from "./parameter.ts";

/** Which rows of a list are asked for, and in which order. */
export interface ListQuery {
  /** Column that they are sorted by; the usual order where it's absent. */
  readonly sort?: string | undefined;
  /** Whether the largest or the smallest come first. */
  readonly direction: "desc" | "asc";
  /** Text that each has in its name. */
  readonly contains?: string | undefined;
  /** Number that is passed over. */
  readonly offset: number;
}

/** Asks for a list as it is by default. */
export const WHOLE_LIST: ListQuery = { sort: undefined, direction: "desc", contains: undefined, offset: 0 };

/** Begins each list of a view anew. */
export const FIRST_ROWS = { offset: 0, violationOffset: 0 } as const;

/** Most digits of an offset. */
const OFFSET_DIGITS = /^\d{1,9}$/;

/** Builds a parameter that says how many rows are passed over. */
export function offsetNamed(name: string, description: string): Parameter<number> {
  return {
    name,
    schema: { type: "integer", minimum: 0, default: 0 },
    description,
    read: ([text]) =>
      OFFSET_DIGITS.test(text || "0")
        ? Number(text || "0")
        : { status: 400, code: "bad_offset", message: `${name} must be a whole number from 0 on` },
    write: (offset) => offset === 0 ? [] : [String(offset)],
  };
}

/** The rows of a list that are passed over. */
export const OFFSET: Parameter<number> = offsetNamed("offset", "How many rows of the list are passed over.");

/** Builds the parameters of a list with these columns. */
export function listParametersWith(columns: readonly string[]): ParametersOf<ListQuery> {
  return {
    sort: {
      ...anyText("sort", "Column that the list is sorted by; what has nothing there comes last."),
      schema: { enum: columns },
    },
    direction: oneOf("direction", {
      words: ["desc", "asc"],
      description: "With sort: whether the largest or the smallest come first.",
      code: "bad_direction",
    }),
    contains: anyText("contains", "Text that each row of the list has in its name, in any case."),
    offset: OFFSET,
  };
}

/** Returns what a reader is asked for; `columns` has the one that is sorted by. */
export function toChoice<C extends string>(
  { sort, direction, contains, offset }: ListQuery,
  columns: readonly C[],
): ListChoice<C> {
  const column = columns.find((one) => one === sort);
  return {
    ...(column !== undefined && { sort: column, isAscending: direction === "asc" }),
    ...(contains !== undefined && { contains }),
    skip: offset,
  };
}

/** Returns whether some rows are left out by their names. */
export function isNarrow({ contains, offset }: ListQuery): boolean {
  return contains !== undefined || offset > 0;
}
