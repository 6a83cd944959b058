import type { PathRules } from "../../../../src/ingest/events/path_rules.ts";
import type { Locate } from "./read_event.ts";

export function writePath(path: string, rules: PathRules, locate: Locate): string {
  const { patterns, dropsTrailingSlash, ignoresCase } = rules;
  const drop = (text: string): string =>
    dropsTrailingSlash && text !== "/" && text.endsWith("/") ? text.slice(0, -1) : text;
  const written = drop(ignoresCase ? lower(path) : path);
  return patterns.find((pattern) => fitsPattern(written, pattern, { rules, locate })) ?? written;
}

/** The digits of a byte behind a % are capitals. */
function lower(text: string): string {
  return text.replace(/%[0-9A-F]{2}|./g, (part) => part.length > 1 ? part : part.toLowerCase());
}

export function fitsPattern(
  written: string,
  pattern: string,
  { rules: { dropsTrailingSlash, ignoresCase }, locate }: { readonly rules: PathRules; readonly locate: Locate },
): boolean {
  const isLike = (one: string, other: string): boolean => ignoresCase ? lower(one) === lower(other) : one === other;
  const encoded = pattern.startsWith("/") ? locate(`https://site.example${pattern}`).path : pattern;
  const isLong = dropsTrailingSlash && encoded !== "/" && encoded.endsWith("/");
  return fits(written.split("/"), (isLong ? encoded.slice(0, -1) : encoded).split("/"), isLike);
}

function fits(
  segments: readonly string[],
  pattern: readonly string[],
  isLike: (one: string, other: string) => boolean,
): boolean {
  const [head, ...heads] = pattern;
  const [segment, ...rest] = segments;
  if (head === undefined) return segment === undefined;
  const isLast = heads.length === 0;
  if (isLast && head.endsWith("*")) {
    const start = head.replace(/\*+$/, "");
    return segment !== undefined && isLike(segments.join("/").slice(0, start.length), start);
  }
  if (head === "**") return segments.some((_, index) => fits(segments.slice(index), heads, isLike));
  if (segment === undefined || !fits(rest, heads, isLike)) return false;
  if (head === "*" || (head.length > 1 && head.startsWith(":"))) return segment !== "";
  const [start = "", end] = head.split("*");
  if (end === undefined) return isLike(segment, head);
  return segment.length >= start.length + end.length && isLike(segment.slice(0, start.length), start) &&
    (end === "" || isLike(segment.slice(-end.length), end));
}
