import type { TestBrowser } from "../../src/testing/mod.ts";
import type { StepEvent } from "../../src/client/base/types.ts";
import { namesOf } from "./visit.ts";

/** Returns the keys of what is undelivered. */
export function entryKeys({ storage }: TestBrowser): readonly string[] {
  return [...storage.keys()].filter((key) => key.startsWith("vendor.sdk.outbox."));
}

/** Returns the events of an entry, a line each. */
export function eventsOf(entry: string | null | undefined): readonly StepEvent[] {
  return entry ? entry.split("\n").map((line) => JSON.parse(line)) : [];
}

/** Returns the names of all undelivered events on the device, those of an entry together. */
export function savedNames(browser: TestBrowser): readonly string[] {
  return entryKeys(browser).flatMap((key) => namesOf(eventsOf(browser.storage.get(key))));
}
