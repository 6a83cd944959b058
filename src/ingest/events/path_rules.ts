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
  const dropSlash = (path: string): string => rules.dropsTrailingSlash && path !== "/" ? path.replace(/\/$/, "") : path;
  const locate = createLocator();
  const patterns = rules.patterns.map((pattern) => {
    // A pattern is written by hand, `/café/:tea`, and a path as a URL has it.
    const path = pattern.startsWith("/") ? locate(`https://site.example${pattern}`).path : pattern;
    return { pattern, expression: toExpression(dropSlash(path), rules) };
  });
  return (path) => {
    const whole = dropSlash(rules.ignoresCase ? lowerCase(path) : path);
    return patterns.find(({ expression }) => expression.test(whole))?.pattern ?? whole;
  };
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
