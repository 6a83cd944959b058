import { warnDeveloper } from "../page/page.ts";
import type { Rule } from "./ruled_event.ts";

/** Number of the hash's values, 2 ** 32. */
const HASH_VALUES = 4_294_967_296;

/**
 * Keeps the events of a part of the visitors, and drops those of the others. A visitor's answer is the same on each
 * page and each visit, and a visitor who is in at a rate is in at a higher one. An aggregate has no visitor: each is kept by
 * chance, at the same rate.
 *
 * @param rate Part of the visitors to keep, from 0 to 1. Anything else keeps all and is a warning in the console.
 *
 * @example
 * ```ts
 * import { Vendor } from "@vendor/sdk";
 * import { addRules, sampleVisitors } from "@vendor/sdk/rules";
 *
 * addRules(Vendor, sampleVisitors(0.1)); // one visitor of ten
 * ```
 */
export function sampleVisitors(rate: number): Rule {
  if (!(typeof rate === "number" && rate >= 0 && rate <= 1)) {
    warnDeveloper("sampleVisitors() takes a rate from 0 to 1: all visitors are kept");
    return (event) => event;
  }
  return (event, anonymousId) => {
    const share = anonymousId === undefined ? Math.random() : hash(anonymousId) / HASH_VALUES;
    return share < rate ? event : null;
  };
}

/** FNV-1a with 32 bits, and MurmurHash3's last steps, by which each bit of the text counts in the high ones. */
function hash(text: string): number {
  let value = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) value = Math.imul(value ^ text.charCodeAt(i), 0x01000193);
  value = Math.imul(value ^ (value >>> 16), 0x85ebca6b);
  value = Math.imul(value ^ (value >>> 13), 0xc2b2ae35);
  return (value ^ (value >>> 16)) >>> 0;
}
