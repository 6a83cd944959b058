import { inspect, type Inspectable, type Inspector } from "./mod.ts";

/** Where the panel of a page is, also for a second run of the script. */
const OPENED: unique symbol = Symbol.for("vendor.inspector");

/** The part of a page's global object in use. */
export interface InspectedScope {
  /** The SDK of the script tag. */
  readonly Vendor?: Inspectable;
  /** The panel. */
  [OPENED]?: Inspector;
}

/** Opens the panel of a page with the script tag, or closes it: what a bookmarklet does with each click. */
export function toggleInspector(scope: InspectedScope): void {
  const opened = scope[OPENED];
  if (opened?.isOpen) opened.close();
  else scope[OPENED] = inspect(scope.Vendor as Inspectable);
}
