/**
 * The banner and the switch: two ways to the same choice, which the application saves itself.
 *
 * @module
 */
import { type ConsentState, Vendor } from "@vendor/sdk";
import { SDK_KEY_PREFIX } from "./analytics.ts";
import { byId } from "./dom.ts";
import type { Settings } from "./settings.ts";

/** What else the choice changes. */
export interface ConsentOptions {
  /** Called after the SDK knows the new state. */
  readonly onChange: (consent: ConsentState) => void;
  /** Called after the SDK has denied by itself, as the visitor is gone from the device. */
  readonly onDenial: () => void;
}

/** Wires the consent banner and the switch of the panel. */
export function setUpConsent(settings: Settings, { onChange, onDenial }: ConsentOptions): void {
  const banner = byId("banner", HTMLElement);
  const opener = byId("open-banner", HTMLElement);

  let shown = Vendor.getConsent();

  function show(consent: ConsentState): void {
    shown = consent;
    for (const button of stateButtons()) button.setAttribute("aria-pressed", String(button.dataset.state === consent));
  }

  function apply(consent: ConsentState): void {
    Vendor.setConsent(consent);
    show(consent);
    onChange(consent);
  }

  /** Shows the denial that the SDK took from another tab's storage. */
  function follow(): void {
    // Most of what is heard is another tab's session going on, and no reason to close a banner that was opened.
    if (Vendor.getConsent() === shown) return;
    banner.hidden = settings.choice() !== null;
    show(Vendor.getConsent());
    onDenial();
  }

  function choose(consent: ConsentState): void {
    settings.saveChoice(consent);
    apply(consent);
  }

  for (const button of banner.querySelectorAll<HTMLButtonElement>("[data-consent]")) {
    button.addEventListener("click", () => {
      banner.hidden = true;
      choose(parseConsent(button.dataset.consent));
      opener.focus({ preventScroll: true });
    });
  }
  opener.addEventListener("click", () => {
    banner.hidden = false;
    banner.querySelector<HTMLElement>("button")?.focus();
  });
  // Buttons, not radios: with the arrow keys, the way from one radio to another could lead through "granted".
  for (const button of stateButtons()) {
    button.addEventListener("click", () => {
      banner.hidden = button.dataset.state !== "pending";
      choose(parseConsent(button.dataset.state));
    });
  }
  settings.onChoice(() => {
    banner.hidden = settings.choice() !== null;
    apply(settings.choice() ?? "pending");
  });
  addEventListener("storage", ({ key }) => {
    // The SDK hears of it too, before this page or after: each init() registers its listener anew.
    if (key?.startsWith(SDK_KEY_PREFIX)) setTimeout(follow);
  });
  // What it covers changes with its text, its width and the visitor's font size; hidden, it's nothing.
  new ResizeObserver(() => document.documentElement.style.setProperty("--banner-height", `${banner.offsetHeight}px`))
    .observe(banner);
  banner.hidden = settings.choice() !== null;
  show(shown);
}

function stateButtons(): NodeListOf<HTMLButtonElement> {
  return document.querySelectorAll<HTMLButtonElement>(".states [data-state]");
}

function parseConsent(value: string | undefined): ConsentState {
  return value === "granted" || value === "denied" ? value : "pending";
}
