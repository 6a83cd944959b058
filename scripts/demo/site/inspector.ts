/**
 * The SDK's inspector, loaded when somebody asks for it: by the button, or by `?inspect` in the address.
 *
 * @module
 */
import { Vendor } from "@vendor/sdk";
import type { Inspector } from "@vendor/sdk/inspector";
import { byId } from "./dom.ts";

/** Wires the button, and opens the inspector at once where the address says so. */
export function setUpInspector(): void {
  let inspector: Inspector | undefined;
  const open = async (): Promise<void> => {
    const { inspect } = await import("@vendor/sdk/inspector");
    if (!inspector?.isOpen) inspector = inspect(Vendor);
  };
  byId("inspect", HTMLElement).addEventListener("click", open);
  if (new URLSearchParams(location.search).has("inspect")) open();
}
