import { MIN_KEEP_DAYS } from "../../events/erasures.ts";

/** Reads an age such as `395d`; undefined for what is none, or shorter than the SDK repeats a batch. */
export function parseAge(text: string): number | undefined {
  const [, digits] = /^(\d{1,6})d$/.exec(text) ?? [];
  const days = Number(digits);
  return days >= MIN_KEEP_DAYS ? days : undefined;
}
