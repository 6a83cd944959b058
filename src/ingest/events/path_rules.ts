import { createLocator } from "./place.ts";

/** Rules by which paths are written before they are counted: a setting that holds for the past as well. */
export interface PathRules {
  /**
   * Patterns such as `/teas/:tea`: a path that fits one is counted under it, the first that fits. `:name`, or `*`, is one
   * segment, `*` within a segment any part of it, `*` at the end any rest, `**` any number of segments.
   */
  readonly patterns: readonly string[];
  /** Whether `/teas/` is `/teas`. */
  readonly dropsTrailingSlash: boolean;
  /** Whether `/Teas` is `/teas`. */
  readonly ignoresCase: boolean;
}

/** A segment that stands for any number of them. */
const ANY = "**";

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
  return /\/:[^/]|\*/.test(text);
}

/** Says what is wrong with a pattern, or a path; undefined for nothing. */
export function findPatternProblem(pattern: string): string | undefined {
  if (!pattern.startsWith("/")) return "must begin with a slash";
  const segments = pattern.split("/");
  const isHard = segments.some((segment) => segment !== ANY && segment.split("*").length > 2);
  // Each further one would take as many times as long as a path is.
  if (isHard || segments.filter((segment) => segment === ANY).length > 1) {
    return "may have one * in a segment, and ** once, as a segment of its own: /teas/:tea, /*/edit, /order-*, /**/help";
  }
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
    const isLast = index === all.length - 1;
    const slash = isLast ? "" : "\\/";
    if (segment === ANY && !isLast) return "(?:.*\\/)?";
    if ((segment.startsWith(":") && segment.length > 1) || (segment === "*" && !isLast)) return `[^/]+${slash}`;
    const [head = "", ...tails] = segment.split("*").map(escape);
    if (tails.length === 0) return head + slash;
    const isOpen = isLast && segment.endsWith("*");
    return `${head}${isOpen ? ".*" : `[^/]*${tails.join("")}`}${slash}`;
  }).join("");
  return new RegExp(`^${source}$`, ignoresCase ? "iu" : "u");
}

function escape(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, "\\$&");
}
