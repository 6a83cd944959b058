import type { TestBrowser } from "../../src/testing/mod.ts";
import type { StepEvent } from "../../src/types.ts";
import { namesOf, only } from "./visit.ts";

/** Returns the keys of what is undelivered. */
export function entryKeys({ storage }: TestBrowser): readonly string[] {
  return [...storage.keys()].filter((key) => key.startsWith("vendor.sdk.outbox."));
}

/** Returns the events of an entry. */
export function eventsOf(entry: string | null | undefined): readonly StepEvent[] {
  const [, ...lines] = `${entry ?? ""}`.split("\n");
  let tail = "";
  return lines.map((line) => {
    const tab = line.indexOf("\t");
    if (tab >= 0) tail = line.slice(tab + 1);
    return JSON.parse((tab >= 0 ? line.slice(0, tab) : line) + tail);
  });
}

/** Returns the one entry: its head, and the names of its events. */
export function onlyEntry(
  browser: TestBrowser,
): { readonly head: readonly unknown[]; readonly names: readonly string[] } {
  const entry = `${browser.storage.get(only(entryKeys(browser)))}`;
  const [head = ""] = entry.split("\n");
  return { head: JSON.parse(head), names: namesOf(eventsOf(entry)) };
}
