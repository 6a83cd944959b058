import type { Rule } from "./ruled_event.ts";

/**
 * Keeps the named parameters of queries, and drops all others and the fragment: of the page's URL and of the referrer.
 *
 * @param names Names of parameters, in their exact spelling; `*` at the end stands for any rest.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { addRules, keepQuery } from "@vendor/sdk/rules";
 *
 * addRules(Vendor, keepQuery(["utm_*", "q"]));
 * ```
 */
export function keepQuery(
  names: readonly string[],
  options?: { readonly keepFragment?: boolean },
): Rule {
  const { keepFragment = false } = options ?? {}; // null is no default
  // A text alone would be read as the list of its characters.
  const kept = [names].flat();
  const isKept = (name: string): boolean =>
    kept.some((wanted) => wanted.endsWith("*") ? name.startsWith(wanted.slice(0, -1)) : name === wanted);
  const isKeptPart = (part: string): boolean => [...new URLSearchParams(part).keys()].some(isKept);
  // As it was written: some queries are in other encodings than UTF-8.
  const clean = (query: string): string => query.split("&").filter(isKeptPart).join("&");
  const cleanFragment = (fragment: string): string => {
    const [, path = "", query = ""] = /^#?([^?]*)\??(.*)$/s.exec(fragment) ?? [];
    // Whoever signs somebody in may hand over a token as a parameter in the place of the path, or behind it.
    const cleanPath = path.replace(/[^&#;/]*=[^&#]*/g, (part) => isKeptPart(part) ? part : "")
      .replace(/&{2,}/g, "&").replace(/^[&#;]+|[&#;]+$/g, "");
    return cleanPath + clean(query).replace(/^(?=.)/, "?");
  };
  return createUrlRule((url) => {
    url.search = clean(url.search.slice(1));
    // Routers that have their paths in the fragment have their queries there.
    url.hash = keepFragment ? cleanFragment(url.hash) : "";
  });
}

/**
 * Drops queries and fragments: of the page's URL and of the referrer.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { addRules, dropQuery } from "@vendor/sdk/rules";
 *
 * addRules(Vendor, dropQuery());
 * ```
 */
export function dropQuery(options?: { readonly keepFragment?: boolean }): Rule {
  return keepQuery([], options);
}

/**
 * Replaces a part of paths: of the page's URL and of the referrer.
 *
 * @param pattern What to replace in the path, which begins with a slash and is percent-encoded; with the flag `g` each
 * place.
 * @param replacement What to put there; `$1` and the like work as in `String.replace()`.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { addRules, maskPath } from "@vendor/sdk/rules";
 *
 * addRules(Vendor, maskPath(/\/users\/[^/]+/, "/users/:id"));
 * ```
 */
export function maskPath(pattern: RegExp, replacement: string): Rule {
  // One with the flag `y` goes on where it stopped at the event before.
  const stateless = typeof pattern === "string" ? pattern : new RegExp(pattern.source, pattern.flags.replace("y", ""));
  return createUrlRule((url) => {
    url.pathname = url.pathname.replace(stateless, replacement);
  });
}

function createUrlRule(change: (url: URL) => void): Rule {
  const rewrite = (text: string): string => {
    if (!text) return "";
    const url = new URL(text);
    change(url);
    return url.href;
  };
  return (event) => ({ ...event, url: rewrite(event.url), referrer: rewrite(event.referrer) });
}
