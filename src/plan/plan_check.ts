import { PAGEVIEW_NAME } from "../client/base/draft.ts";
import type { Plan } from "./infer_steps.ts";
import type { StandardResult, StandardSchema } from "./standard_schema.ts";

/**
 * Kind of violation: the plan doesn't have the step's name, a property that the plan asks for is missing, or a property
 * isn't as the plan has it, which one that is surplus is as well.
 */
export type ViolationKind = "unknown" | "missing" | "invalid";

/** A breach of the plan by a step. */
export interface Violation {
  /** Kind of the breach. */
  readonly kind: ViolationKind;
  /** The breach in the words of the schema. */
  readonly message: string;
}

/** A step as it is sent. */
export interface PlannedStep {
  /** Its name. */
  readonly name: string;
  /** Its properties; absent for a step without any. */
  readonly properties?: Readonly<Record<string, unknown>>;
}

/**
 * Checks a step. Returns what is wrong, and undefined where nothing is. Throws where a schema throws or is asynchronous:
 * then nobody knows.
 */
export type PlanCheck = (step: PlannedStep) => Violation | undefined;

const AUTOMATIC_NAMES: readonly string[] = ["$engagement", "$outbound", "$download", "$form", "$consent"];

/** In front of a property that any step may have. */
const COMMON_PREFIX = "$common.";

const NO_PROPERTIES: StandardSchema = {
  "~standard": {
    version: 1,
    vendor: "@vendor/sdk",
    validate: (value) => value === undefined ? {} : { issues: [{ message: "the step takes no properties" }] },
  },
};

/**
 * Creates the check of steps against a plan. Pageviews keep every plan, and so do the automatic events that it doesn't
 * name. Any step may have the plan's common properties, and none has to: backends don't add them.
 *
 * @throws {TypeError} For a plan that holds something else than schemas.
 */
export function createPlanCheck(plan: Plan): PlanCheck {
  const [schemas, common] = [new Map<string, StandardSchema>(), new Map<string, StandardSchema>()];
  for (const [name, given] of Object.entries(plan)) {
    const isCommon = name.startsWith(COMMON_PREFIX);
    const schema = given ?? (isCommon ? undefined : NO_PROPERTIES);
    if (typeof schema?.["~standard"]?.validate !== "function") {
      throw new TypeError(`${JSON.stringify(name)} in the plan is no schema that follows Standard Schema`);
    }
    if (isCommon) common.set(name.slice(COMMON_PREFIX.length), schema);
    else schemas.set(name, schema);
  }

  return ({ name, properties = {} }) => {
    if (name === PAGEVIEW_NAME) return undefined;
    const schema = schemas.get(name);
    if (schema === undefined && AUTOMATIC_NAMES.includes(name)) return undefined;
    if (schema === undefined) return { kind: "unknown", message: "the plan has no step of this name" };
    const own = Object.fromEntries(Object.entries(properties).filter(([key]) => !common.has(key)));
    const shared = [...common].filter(([key]) => Object.hasOwn(properties, key));
    // As the types have it: properties may be left out where `undefined` or `{}` would do.
    const values = Object.keys(own).length === 0 ? [undefined, {}] : [own];
    // The step may have properties of common names of its own, and need them: all, all but one, or one.
    const names = shared.map(([key]) => key);
    const without = (isLeftOut: (key: string) => boolean): Readonly<Record<string, unknown>> =>
      Object.fromEntries(Object.entries(properties).filter(([key]) => !names.includes(key) || !isLeftOut(key)));
    const tries = names.length === 0 ? values : [
      properties,
      ...names.map((name) => without((key) => key === name)),
      ...names.map((name) => without((key) => key !== name)),
      ...values,
    ];
    const violation = findViolation(schema, tries);
    if (violation !== undefined) return violation;
    for (const [key, schema] of shared) {
      const issues = validate(schema, properties[key]);
      if (issues !== undefined) {
        return { kind: "invalid", message: `${key}: ${describe(issues, properties[key]).message}` };
      }
    }
    return undefined;
  };
}

/** Returns how the last of several values breaks a schema; undefined where one of them doesn't. */
function findViolation(schema: StandardSchema, values: readonly unknown[]): Violation | undefined {
  let violation: Violation | undefined;
  for (const value of values) {
    const issues = validate(schema, value);
    if (issues === undefined) return undefined;
    violation = describe(issues, value);
  }
  return violation;
}

/** Returns what is wrong with a value; undefined where nothing is. */
function validate(schema: StandardSchema, value: unknown): StandardResult["issues"] {
  const result = schema["~standard"].validate(value);
  // It could keep a step waiting for ever.
  if (result instanceof Promise) throw new TypeError("a schema of a plan must be synchronous");
  return result.issues;
}

function describe([issue]: NonNullable<StandardResult["issues"]>, value: unknown): Violation {
  // Not `path.map()`: arktype's paths are lists of a kind of their own, whose copy of an empty one isn't empty.
  const path = Array.from(issue?.path ?? [], (part) => typeof part === "object" ? part.key : part);
  const place = path.map(String).join(".");
  const message = `${place}${place && ": "}${issue?.message ?? "the schema says no"}`;
  return { kind: path.length > 0 && !isThere(value, path) ? "missing" : "invalid", message };
}

/** Returns whether a value has something at a path. */
function isThere(value: unknown, path: readonly PropertyKey[]): boolean {
  let current = value;
  for (const key of path) {
    if (typeof current !== "object" || current === null || !Object.hasOwn(current, key)) return false;
    current = Reflect.get(current, key);
  }
  return current !== undefined;
}
