import type { TestBrowser } from "../../src/testing/mod.ts";
import type { StepEvent } from "../../src/types.ts";
import { namesOf, only } from "./visit.ts";

/** Returns the keys of what is undelivered. */
export function entryKeys({ storage }: TestBrowser): readonly string[] {
  return [...storage.keys()].filter((key) => key.startsWith("vendor.sdk.outbox."));
}

/** Returns the events of an entry. */
export function eventsOf(entry: string | null | undefined): readonly StepEvent[] {
  const [, shared = "", ...lines] = `${entry ?? ""}`.split("\n");
  return lines.map((line) => JSON.parse(line.split("\t").join(shared)));
}

/** Returns the one entry: its head, and the names of its events. */
export function onlyEntry(
  browser: TestBrowser,
): { readonly head: readonly unknown[]; readonly names: readonly string[] } {
  const entry = `${browser.storage.get(only(entryKeys(browser)))}`;
  const [head = ""] = entry.split("\n");
  return { head: JSON.parse(head), names: namesOf(eventsOf(entry)) };
}
