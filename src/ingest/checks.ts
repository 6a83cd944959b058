/**
 * Small composable checks of parsed JSON. A check returns what is wrong, or undefined; the path is put
 * together only on the way back from a fault, so that a valid body costs no strings.
 *
 * @module
 */

/** What is wrong, and where below the checked value. */
export interface Fault {
  /** JSON path relative to the checked value: `""`, `.name`, `[3].id`. */
  readonly path: string;
  /** The broken rule, to be read after the path: `must be a string`. */
  readonly rule: string;
}

/** Looks at one value. */
export type Check = (value: unknown) => Fault | undefined;

/** Checks by field name. */
export type Fields = Readonly<Record<string, Check>>;

const UTC_TIME = /^\d{4}-\d\d-(\d\d)T\d\d:\d\d:\d\d(?:\.\d{1,9})?Z$/;

/** Returns whether the value is a JSON object. */
export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Builds a check from a predicate. */
export function satisfies(rule: string, holds: (value: unknown) => boolean): Check {
  const fault: Fault = { path: "", rule };
  return (value) => holds(value) ? undefined : fault;
}

/** Accepts exactly the given strings. */
export function oneOf(...allowed: readonly string[]): Check {
  const rule = `must be ${allowed.map((text) => JSON.stringify(text)).join(" or ")}`;
  return satisfies(rule, (value) => typeof value === "string" && allowed.includes(value));
}

/** Accepts a string of any length. */
export const isText: Check = satisfies("must be a string", (value) => typeof value === "string");

/** Accepts a string of 1 to `max` characters, counted as code points like JSON Schema does (CONTRACT 7). */
export function characters(max: number): Check {
  const fault: Fault = { path: "", rule: `must be 1-${max} characters` };
  return (value) => {
    if (typeof value !== "string") return isText(value);
    // A code point is one or two units: only between the two bounds does it take a count.
    if (value === "" || value.length > 2 * max) return fault;
    return value.length > max && [...value].length > max ? fault : undefined;
  };
}

const isShortText = characters(128);

/**
 * Accepts an identifier of 1 to 128 characters. The specification shows no format beyond "string" for most of
 * them. Lone surrogates are refused: a store that keeps UTF-8 would take two such ids for one.
 */
export const isIdentifier: Check = (value) => {
  const fault = isShortText(value);
  if (fault !== undefined) return fault;
  return typeof value === "string" && value.isWellFormed() ? undefined : { path: "", rule: "must be well-formed text" };
};

/** Accepts an ISO 8601 time in UTC, `2026-01-31T12:00:00.000Z`, of a day that exists. */
export const isUtcTime: Check = satisfies("must be an ISO 8601 UTC time", (value) => {
  const day = typeof value === "string" ? UTC_TIME.exec(value)?.[1] : undefined;
  // Engines roll the 30th of February over to March instead of refusing it.
  return day !== undefined && new Date(String(value)).getUTCDate() === Number(day);
});

/** Accepts a number that JSON can hold; `1e999` parses to Infinity, which it can't. */
export const isNumber: Check = satisfies("must be a number", Number.isFinite);

/** Accepts any JSON object. */
export const isRecord: Check = satisfies("must be an object", isObject);

/** Accepts an object with all of the required and any of the optional fields; others are not looked at. */
export function object(required: Fields, optional: Fields = {}): Check {
  const fields = [
    ...Object.entries(required).map(([name, check]) => ({ name, check, isRequired: true })),
    ...Object.entries(optional).map(([name, check]) => ({ name, check, isRequired: false })),
  ];
  return (value) => {
    if (!isObject(value)) return isRecord(value);
    for (const { name, check, isRequired } of fields) {
      const isMissing = !Object.hasOwn(value, name);
      if (isMissing && isRequired) return { path: `.${name}`, rule: "is required" };
      const fault = isMissing ? undefined : check(value[name]);
      if (fault !== undefined) return { path: `.${name}${fault.path}`, rule: fault.rule };
    }
  };
}

/** Accepts an array whose items all pass. */
export function arrayOf(check: Check): Check {
  return (value) => {
    if (!Array.isArray(value)) return { path: "", rule: "must be an array" };
    for (const [index, item] of value.entries()) {
      const fault = check(item);
      if (fault !== undefined) return { path: `[${index}]${fault.path}`, rule: fault.rule };
    }
  };
}

/** Accepts what passes all of the checks, asked in order. */
export function all(...checks: readonly Check[]): Check {
  return (value) => {
    for (const check of checks) {
      const fault = check(value);
      if (fault !== undefined) return fault;
    }
  };
}

/** Writes a fault as a sentence: `events[3].name must be 1-100 characters`. */
export function describeFault({ path, rule }: Fault): string {
  return `${path === "" ? "body" : path.replace(/^\./, "")} ${rule}`;
}
