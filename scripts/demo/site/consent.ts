/**
 * The banner and the switch: two ways to the same choice, which the application saves itself.
 *
 * @module
 */
import { type ConsentState, Vendor } from "@vendor/sdk";
import { byId, radios } from "./dom.ts";
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
  banner.hidden = settings.choice() !== null;
  showChecked(Vendor.getConsent());

  function choose(consent: ConsentState): void {
    settings.saveChoice(consent);
    Vendor.setConsent(consent);
    showChecked(consent);
    onChange(consent);
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
  for (const radio of radios("consent")) {
    radio.addEventListener("change", () => {
      banner.hidden = radio.value !== "pending";
      choose(parseConsent(radio.value));
    });
  }
}

function parseConsent(value: string | undefined): ConsentState {
  return value === "granted" || value === "denied" ? value : "pending";
}

function showChecked(consent: ConsentState): void {
  for (const radio of radios("consent")) radio.checked = radio.value === consent;
}
