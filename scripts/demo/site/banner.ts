import type { ConsentState } from "@vendor/sdk";
import { consent } from "./analytics.ts";
import { byId } from "./dom.ts";

/** Wires the consent banner. `onChoice` runs after each choice. */
export function setUpBanner(onChoice: (choice: ConsentState) => void): void {
  const banner = byId("banner", HTMLElement);
  const opener = byId("open-banner", HTMLElement);

  for (const button of banner.querySelectorAll("button")) {
    button.addEventListener("click", () => {
      const { consent: given } = button.dataset;
      const choice = given === "granted" || given === "denied" ? given : "pending";
      consent.choose(choice);
      banner.hidden = true; // until later, where that is the answer
      opener.focus({ preventScroll: true });
      onChoice(choice);
    });
  }
  opener.addEventListener("click", (event) => {
    event.preventDefault(); // the link is no navigation
    banner.hidden = false;
    banner.querySelector("button")?.focus();
  });
  consent.onChange((mustAsk) => banner.hidden = !mustAsk);
}
