import { type ConsentState, Vendor } from "@vendor/sdk";
import { byId } from "./dom.ts";
import { onChoice, readChoice, saveChoice } from "./settings.ts";

/** Wires the consent banner: the application saves the choice, and tells the SDK. `onConsent` runs after each choice. */
export function setUpBanner(onConsent: (consent: ConsentState) => void): void {
  const banner = byId("banner", HTMLElement);
  const opener = byId("open-banner", HTMLElement);

  function apply(consent: ConsentState): void {
    Vendor.setConsent(consent);
    onConsent(consent);
  }

  for (const button of banner.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const { consent } = button.dataset;
      const choice = consent === "granted" || consent === "denied" ? consent : "pending";
      saveChoice(choice);
      banner.hidden = true;
      opener.focus({ preventScroll: true });
      apply(choice);
    });
  }
  opener.addEventListener("click", () => {
    banner.hidden = false;
    banner.querySelector("button")?.focus();
  });
  onChoice(() => {
    banner.hidden = readChoice() !== "pending";
    apply(readChoice());
  });
  banner.hidden = readChoice() !== "pending";
}
