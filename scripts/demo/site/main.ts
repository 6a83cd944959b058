/**
 * The demo site: a tea shop that uses the SDK, beside a view of what the ingest accepts.
 *
 * @module
 */
import { Vendor } from "@vendor/sdk";
import { startAnalytics } from "./analytics.ts";
import { setUpCalls, showCall } from "./calls.ts";
import { describeCall } from "./collection.ts";
import { setUpConsent } from "./consent.ts";
import { byId, radios } from "./dom.ts";
import { openFeed } from "./feed_view.ts";
import { createPanel } from "./panel.ts";
import { createRouter } from "./router.ts";
import { createSettings, type Mode, parseMode } from "./settings.ts";
import type { Tea } from "./teas.ts";

const settings = createSettings();
/** The mode in force in this tab: the saved one may be another tab's, or none where storage is blocked. */
let mode: Mode = settings.mode();
startAnalytics(settings.choice() ?? "pending", mode);

const panel = createPanel();
const refresh = (): void => panel.update(mode);

createRouter({ addToBasket }).start();
setUpConsent(settings, {
  onChange: (consent) => {
    showCall(`Vendor.setConsent("${consent}")`, "the application saves the choice, the SDK doesn’t");
    refresh();
  },
  onDenial: () => {
    showCall(
      'Vendor.getConsent() // "denied"',
      "the visitor ID is gone: denied in another tab",
    );
    refresh();
  },
});
setUpModes();
setUpCalls(refresh);
setUpJumps();
openFeed();
refresh();
showCall(`Vendor.init({ trackPageviews: ${JSON.stringify(mode)}, … })`, `consent: ${Vendor.getConsent()}`);

function addToBasket(tea: Tea): void {
  const basket = byId("basket-count", HTMLElement);
  basket.textContent = String(Number(basket.textContent) + 1);
  const properties = { tea: tea.slug, grams: 50, price: tea.price };
  Vendor.step("basket_add", properties);
  showCall(`Vendor.step("basket_add", ${JSON.stringify(properties)})`, describeCall("step", Vendor.getConsent()));
  refresh();
}

function setUpModes(): void {
  for (const radio of radios("mode")) {
    radio.checked = radio.value === String(mode);
    radio.addEventListener("change", () => {
      mode = parseMode(radio.value);
      settings.saveMode(mode);
      startAnalytics(Vendor.getConsent(), mode);
      showCall(`Vendor.init({ trackPageviews: ${JSON.stringify(mode)}, … })`, "a fresh instance");
      refresh();
    });
  }
}

/** Jumps within the page without a fragment in the address: that would be a navigation, and an event. */
function setUpJumps(): void {
  for (const link of document.querySelectorAll<HTMLAnchorElement>(".skip, .tabs a")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      const target = document.querySelector<HTMLElement>(link.getAttribute("href") ?? "");
      if (target?.hasAttribute("tabindex") === false) target.tabIndex = -1;
      target?.focus({ preventScroll: true });
      target?.scrollIntoView();
    });
  }
}
