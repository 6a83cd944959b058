import { findInspector } from "./find_inspector.ts";
import type { Operations } from "../../client/operations.ts";
import { inspect } from "./mod.ts";

/** The part of a page's global object in use. */
export interface InspectedScope {
  /** The SDK of the script tag. */
  readonly Vendor?: Pick<Operations, "getConsent">;
}

/** Opens the panel of a page with the script tag, or closes it: what a bookmarklet does with each click. */
export function toggleInspector({ Vendor }: InspectedScope): void {
  const opened = findInspector(Vendor);
  if (opened) opened.close();
  else inspect(Vendor as Pick<Operations, "getConsent">);
}
