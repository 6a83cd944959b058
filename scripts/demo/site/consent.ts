/**
 * The banner and the switch: two ways to the same choice, which the application saves itself.
 *
 * @module
 */
import { type ConsentState, Vendor } from "@vendor/sdk";
import { byId } from "./dom.ts";
import type { Settings } from "./settings.ts";

/** What else the choice changes. */
export interface ConsentOptions {
  /** Called after the SDK knows the new state. */
  readonly onChange: (consent: ConsentState) => void;
}

/** Wires the consent banner and the switch of the panel. */
export function setUpConsent(settings: Settings, { onChange }: ConsentOptions): void {
  const banner = byId("banner", HTMLElement);
  const opener = byId("open-banner", HTMLElement);

  function apply(consent: ConsentState): void {
    Vendor.setConsent(consent);
    showPressed(consent);
    onChange(consent);
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
  banner.hidden = settings.choice() !== null;
  showPressed(Vendor.getConsent());
}

function stateButtons(): NodeListOf<HTMLButtonElement> {
  return document.querySelectorAll<HTMLButtonElement>(".states [data-state]");
}

function parseConsent(value: string | undefined): ConsentState {
  return value === "granted" || value === "denied" ? value : "pending";
}

function showPressed(consent: ConsentState): void {
  for (const button of stateButtons()) button.setAttribute("aria-pressed", String(button.dataset.state === consent));
}
