/**
 * The banner and the switch: two ways to the same choice, which the application saves itself.
 *
 * @module
 */
import { type ConsentState, Vendor } from "@vendor/sdk";
import { SDK_KEY_PREFIX } from "./analytics.ts";
import { byId } from "./dom.ts";
import { onChoice, readChoice, saveChoice } from "./settings.ts";

/** What else the choice changes. */
export interface ConsentOptions {
  /** Called after the SDK knows the new state, with the state before. */
  readonly onChange: (from: ConsentState) => void;
  /** Called after the SDK has denied by itself, as the visitor is gone from the device. */
  readonly onDenial: () => void;
}

/** Wires the consent banner and the switch of the panel. */
export function setUpConsent({ onChange, onDenial }: ConsentOptions): void {
  const banner = byId("banner", HTMLElement);
  const opener = byId("open-banner", HTMLElement);
  const states = document.querySelectorAll<HTMLButtonElement>(".states [data-consent]");
  let shown = Vendor.getConsent();

  function show(consent: ConsentState): void {
    shown = consent;
    for (const button of states) button.setAttribute("aria-pressed", String(button.dataset.consent === consent));
  }

  function apply(consent: ConsentState): void {
    const from = shown;
    Vendor.setConsent(consent);
    show(consent);
    onChange(from);
  }

  function choose(button: HTMLButtonElement): void {
    const { consent } = button.dataset;
    const choice = consent === "granted" || consent === "denied" ? consent : "pending";
    saveChoice(choice);
    apply(choice);
  }

  /** Shows the denial that the SDK took from another tab's storage. */
  function follow(): void {
    // Most of what is heard is another tab's session going on, and no reason to close a banner that was opened.
    if (Vendor.getConsent() === shown) return;
    banner.hidden = readChoice() !== null;
    show(Vendor.getConsent());
    onDenial();
  }

  for (const button of banner.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      banner.hidden = true;
      choose(button);
      opener.focus({ preventScroll: true });
    });
  }
  opener.addEventListener("click", () => {
    banner.hidden = false;
    banner.querySelector("button")?.focus();
  });
  // Buttons, not radios: with the arrow keys, the way from one radio to another could lead through "granted".
  for (const button of states) {
    button.addEventListener("click", () => {
      banner.hidden = button.dataset.consent !== "pending";
      choose(button);
    });
  }
  onChoice(() => {
    banner.hidden = readChoice() !== null;
    apply(readChoice() ?? "pending");
  });
  addEventListener("storage", ({ key }) => {
    // The SDK hears of it too, before this page or after: each init() registers its listener anew.
    if (key?.startsWith(SDK_KEY_PREFIX)) setTimeout(follow);
  });
  banner.hidden = readChoice() !== null;
  show(shown);
}
