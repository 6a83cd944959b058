import { createLocator } from "./place.ts";

/** How paths are written before they are counted: a setting that holds for the past as well. */
export interface PathRules {
  /**
   * Patterns such as `/teas/:tea`: a path that fits one is counted under it, the first that fits; `:name` is one segment,
   * `*` at the end any rest.
   */
  readonly patterns: readonly string[];
  /** Whether `/teas/` is `/teas`. */
  readonly dropsTrailingSlash: boolean;
  /** Whether `/Teas` is `/teas`. */
  readonly ignoresCase: boolean;
}

/** Rules that leave every path as it is. */
export const NO_PATH_RULES: PathRules = { patterns: [], dropsTrailingSlash: false, ignoresCase: false };

/** Creates the function that writes a path as the rules say. */
export function createPathWriter(rules: PathRules): (path: string) => string {
  const patterns = rules.patterns.map((pattern) => ({ pattern, expression: toPathExpression(pattern, rules) }));
  return (path) => {
    const whole = dropSlash(rules.ignoresCase ? lowerCase(path) : path, rules);
    return patterns.find(({ expression }) => expression.test(whole))?.pattern ?? whole;
  };
}

/** Returns whether a text stands for several paths. */
export function isPathPattern(text: string): boolean {
  return /\/:[^/]|\/\*$/.test(text);
}

/** Builds the expression that fits the paths of a pattern, as the rules write them. */
export function toPathExpression(pattern: string, rules: PathRules): RegExp {
  return toExpression(dropSlash(encodePath(pattern), rules), rules);
}

/** Writes a path that somebody wrote by hand, `/café`, as a URL has it. */
export function encodePath(path: string): string {
  return path.startsWith("/") ? createLocator()(`https://site.example${path}`).path : path;
}

function dropSlash(path: string, { dropsTrailingSlash }: PathRules): string {
  return dropsTrailingSlash && path !== "/" ? path.replace(/\/$/, "") : path;
}

/** Percent-encoding keeps its capitals: RFC 3986, section 6.2.2.1. */
function lowerCase(path: string): string {
  return path.replace(/%[\dA-F]{2}|[^%]+/gi, (part) => part.startsWith("%") ? part : part.toLowerCase());
}

function toExpression(pattern: string, { ignoresCase }: PathRules): RegExp {
  const source = pattern.split("/").map((segment, index, all) => {
    if (segment.startsWith(":") && segment.length > 1) return "[^/]+";
    if (segment === "*" && index === all.length - 1) return ".*";
    return segment.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
  }).join("\\/");
  return new RegExp(`^${source}$`, ignoresCase ? "iu" : "u");
}
