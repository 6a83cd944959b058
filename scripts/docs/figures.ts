import * as limits from "../../src/client/base/limits.ts";
import { AIM_BYTES, LIMIT_BYTES, measure } from "../checks/size.ts";
import { bundle } from "../support/bundle.ts";

const MARKED = /<!-- ([A-Z_]+) -->\d[\d,]*(?:\.\d+)?(?: (?:days?|hours?|minutes?|seconds?|ms|MiB|KiB|kB|bytes?)\b)?/g;

/** A size of the client, or a number of events at a time, without the comment that says which. */
const UNMARKED = /(?<!-->)(?<![\d.,])\d[\d,.]*(?: kB\b(?=[^.|]{0,20}\bbrotli)|(?<=\bchunks? of [\d,.]+))/g;

const DURATIONS = [[86_400_000, "day"], [3_600_000, "hour"], [60_000, "minute"], [1000, "second"]] as const;
const SIZES = [[1_048_576, "MiB"], [1024, "KiB"]] as const;

const FIGURES: Readonly<Record<string, number>> = {
  ...limits,
  CLIENT_LIMIT_BYTES: LIMIT_BYTES,
  CLIENT_AIM_BYTES: AIM_BYTES,
  CLIENT_KB: measureEntry("mod.ts"),
  CONSENT_KB: measureEntry("src/addons/consent/mod.ts"),
};

/**
 * Returns a guide's text with the limits and sizes of today behind the comments that name them, such as
 * `<!-- TIMEOUT_MS -->`.
 *
 * @throws {Error} Where a comment names none.
 */
export function updateFigures(markdown: string): string {
  return markdown.replace(MARKED, (_, name: string) => {
    const value = FIGURES[name];
    if (value === undefined) throw new Error(`there is no limit and no size ${name}`);
    return `<!-- ${name} -->${formatFigure(name, value)}`;
  });
}

/** Returns the lines that name a size of the client, or a limit, without the comment that keeps it true. */
export function findUnmarkedFigures(markdown: string): readonly number[] {
  const lines = markdown.split("\n");
  return lines.flatMap((text, index) => text.match(UNMARKED) ? [index + 1] : []);
}

function measureEntry(entry: string): number {
  return measure(bundle({ entry, format: "esm", minify: true })).brotli;
}

/** Returns a figure as people read it: a duration, a size or a number, by the end of its name. */
function formatFigure(name: string, value: number): string {
  const whole = (units: readonly (readonly [number, string])[]) => units.find(([size]) => value % size === 0);
  if (name.endsWith("_KB")) return `${(value / 1000).toFixed(1)} kB`;
  if (name.endsWith("_MS")) {
    const [size, unit] = whole(DURATIONS) ?? [1, "ms"];
    return `${count(value / size)} ${unit}${size > 1 && value > size ? "s" : ""}`;
  }
  if (name.endsWith("_BYTES")) {
    const [size, unit] = whole(SIZES) ?? [1, "bytes"];
    return `${count(value / size)} ${unit}`;
  }
  return count(value);
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}
