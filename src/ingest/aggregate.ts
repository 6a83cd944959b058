/**
 * The rules that keep a visitor out of an aggregate body (SPEC 2.8, CONTRACT 13 and 29).
 *
 * @module
 */
import { all, type Check, type Fault, isObject, isText, object, oneOf, satisfies } from "./checks.ts";
import { SDK_NAME } from "../version.ts";

const FORBIDDEN_NAMES: ReadonlySet<string> = new Set([
  "identity",
  "sessionId",
  "anonymousId",
  "userId",
  "traits",
  "properties",
]);

const KNOWN_NAMES: ReadonlySet<string> = new Set([...FORBIDDEN_NAMES, "events", "context"]);

const CONTEXT_NAMES: readonly string[] = ["sdkName", "sdkVersion", "pageUrl", "referrer"];

const isOriginAndPath = satisfies("must be an origin and path, without query, fragment or credentials", (value) => {
  if (typeof value !== "string" || /[?#]/.test(value) || !URL.canParse(value)) return false;
  const { protocol, username, password } = new URL(value);
  return /^https?:$/.test(protocol) && username === "" && password === "";
});

const isOriginOnly = satisfies("must be an origin only", (value) => {
  return typeof value === "string" && URL.canParse(value) && new URL(value).origin === value;
});

const isRestricted = satisfies(`must hold nothing but ${CONTEXT_NAMES.join(", ")}`, (value) => {
  return isObject(value) && Object.keys(value).every((name) => CONTEXT_NAMES.includes(name));
});

/** Accepts the restricted context of an aggregate pageview. */
export const isAggregateContext: Check = all(
  object(
    { sdkName: oneOf(SDK_NAME), sdkVersion: isText },
    { pageUrl: all(isText, isOriginAndPath), referrer: all(isText, isOriginOnly) },
  ),
  isRestricted,
);

/** Finds an identity or a session anywhere in the value, unknown fields included. */
export const isAnonymous: Check = (value) => {
  if (typeof value !== "object" || value === null) return undefined;
  const isList = Array.isArray(value);
  for (const [name, item] of Object.entries(value)) {
    const step = isList ? `[${name}]` : buildStep(name);
    if (!isList && FORBIDDEN_NAMES.has(name)) return { path: step, rule: "must not be in an aggregate body" };
    const fault: Fault | undefined = isAnonymous(item);
    if (fault !== undefined) return { path: step + fault.path, rule: fault.rule };
  }
};

// A name that the sender made up may itself be personal: a message never repeats it.
function buildStep(name: string): string {
  return KNOWN_NAMES.has(name) ? `.${name}` : ".*";
}
