/**
 * The panel: what the current state collects, and what the SDK keeps on the device.
 *
 * @module
 */
import { Vendor } from "@vendor/sdk";
import { SDK_KEY_PREFIX } from "./analytics.ts";
import { describeCollection, type Level } from "./collection.ts";
import { byId, el } from "./dom.ts";
import type { Mode } from "./settings.ts";

/** The panel on the page. */
export interface Panel {
  /** Shows the state and the mode in force, and the device anew. */
  update(mode: Mode): void;
}

const DEVICE_REFRESH_MS = 1_000;
const MARKS: Readonly<Record<Level, string>> = { full: "●", aggregate: "◐", none: "○" };

/** Creates the panel and keeps its view of the device fresh. */
export function createPanel(): Panel {
  const panel = byId("collected", HTMLElement);
  const device = byId("device", HTMLElement);
  let shown = "";

  function showDevice(): void {
    // Reading storage is access to the device, and so is looking at it for a demo: not while pending.
    const keys = Vendor.getConsent() === "pending" ? null : readSdkKeys();
    const content = JSON.stringify(keys);
    if (content === shown) return;
    shown = content;
    device.replaceChildren(keys === null ? untouched() : keys.length === 0 ? nothing() : keyList(keys));
  }

  setInterval(() => {
    if (document.visibilityState === "visible") showDevice();
  }, DEVICE_REFRESH_MS);

  return {
    update(mode): void {
      const consent = Vendor.getConsent();
      const { title, summary, facts } = describeCollection(consent, mode);
      panel.dataset.state = consent;
      byId("collected-title", HTMLElement).textContent = title;
      byId("collected-summary", HTMLElement).textContent = summary;
      byId("collected-facts", HTMLElement).replaceChildren(
        ...facts.flatMap(({ topic, level, text }) => [
          el("dt", { text: topic, attributes: { "data-level": level, "data-mark": MARKS[level] } }),
          el("dd", { text }),
        ]),
      );
      showDevice();
    },
  };
}

function readSdkKeys(): readonly (readonly [string, string])[] {
  try {
    return Object.keys(localStorage)
      .filter((key) => key.startsWith(SDK_KEY_PREFIX))
      .sort()
      .map((key) => [key, localStorage.getItem(key) ?? ""] as const);
  } catch {
    // Browsers that block storage throw; then the SDK keeps its identifiers in memory.
    return [];
  }
}

function untouched(): HTMLElement {
  return el("p", { text: "Not looked at: before a choice, even reading storage is access to the device." });
}

function nothing(): HTMLElement {
  return el("p", { text: "No key of the SDK is on this device." });
}

function keyList(keys: readonly (readonly [string, string])[]): HTMLElement {
  return el("ul", {
    children: keys.map(([key, value]) =>
      el("li", { children: [el("code", { text: key }), el("code", { text: value })] })
    ),
  });
}
