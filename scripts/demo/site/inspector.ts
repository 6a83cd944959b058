import { Vendor } from "@vendor/sdk";
import { inspect, type Inspector } from "@vendor/sdk/inspector";
import { byId } from "./dom.ts";

/** The style keeps a place free for the panel in a window of this size. */
const HAS_PLACE = "(min-width: 1100px) and (min-height: 600px)";

/**
 * Opens the SDK's inspector where it has a place, or where `?inspect` asks for it, and wires the button that opens and
 * closes it. A real site loads it on demand: docs/inspector.md.
 */
export function setUpInspector(): void {
  let inspector: Inspector | undefined;
  byId("inspect", HTMLElement).addEventListener("click", () => {
    if (inspector?.isOpen) inspector.close();
    else inspector = inspect(Vendor);
  });
  const isAsked = new URLSearchParams(location.search).has("inspect");
  if (isAsked || matchMedia(HAS_PLACE).matches) inspector = inspect(Vendor);
}
