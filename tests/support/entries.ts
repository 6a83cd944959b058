import type { TestBrowser } from "../../src/testing/mod.ts";
import { namesOf, only } from "./visit.ts";

/** Returns the keys of what is undelivered. */
export function entryKeys({ storage }: TestBrowser): readonly string[] {
  return [...storage.keys()].filter((key) => key.startsWith("vendor.sdk.outbox."));
}

/** Returns the one entry: its head, and the names of its events. */
export function onlyEntry(
  browser: TestBrowser,
): { readonly head: readonly unknown[]; readonly names: readonly string[] } {
  const [head = "", ...events] = `${browser.storage.get(only(entryKeys(browser)))}`.split("\n");
  return { head: JSON.parse(head), names: namesOf(events.map((event) => JSON.parse(event))) };
}
