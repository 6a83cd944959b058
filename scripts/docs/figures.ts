import * as limits from "../../src/client/base/limits.ts";

/** The guide that tells the limits. */
export const REFERENCE_GUIDE = "docs/reference.md";

const MARKED = /<!-- (\w+) -->[\d,]+(?: (?:days?|hours?|minutes?|seconds?|ms|MiB|KiB|bytes?)\b)?/g;

const DURATIONS = [[86_400_000, "day"], [3_600_000, "hour"], [60_000, "minute"], [1000, "second"]] as const;
const SIZES = [[1_048_576, "MiB"], [1024, "KiB"]] as const;

/** Returns the guide's text with the limits of today behind the comments that name them, `<!-- TIMEOUT_MS -->`. */
export function updateLimits(markdown: string): string {
  const values: Readonly<Record<string, number>> = limits;
  return markdown.replace(MARKED, (_, name: string) => {
    const value = values[name];
    if (value === undefined) {
      throw new Error(`${REFERENCE_GUIDE} names ${name}, which src/client/base/limits.ts hasn't`);
    }
    return `<!-- ${name} -->${formatLimit(name, value)}`;
  });
}

/** Returns a limit as people read it: a duration, a size or a number, by the end of its name. */
function formatLimit(name: string, value: number): string {
  const whole = (units: readonly (readonly [number, string])[]) => units.find(([size]) => value % size === 0);
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
