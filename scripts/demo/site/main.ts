/**
 * The demo site: a tea shop that uses the SDK, with the SDK's inspector, beside what the ingest received.
 *
 * @module
 */
import { type ConsentState, Vendor } from "@vendor/sdk";
import { createAccount } from "./account.ts";
import { consent, ENDPOINT, startAnalytics } from "./analytics.ts";
import { setUpBanner } from "./banner.ts";
import { setUpDirectRequests } from "./direct_requests.ts";
import { byId } from "./dom.ts";
import { setUpInspector } from "./inspector.ts";
import { openFeed } from "./received.ts";
import { createRouter } from "./router.ts";
import { slugOf, type Tea } from "./teas.ts";
import { markStep, showNext } from "./tour.ts";

setUpInspector(); // first, so that it sees init()
startAnalytics();
const account = createAccount();
consent.onChange(account.identify); // now, and where another tab has accepted
consent.onChange(() => markChoice(consent.saved()));

createRouter({ addToBasket, onNavigate: () => markStep("browse") }).start();
setUpBanner((choice) => {
  if (choice === "granted") account.identify(); // a denial has made the SDK forget who it was
  markChoice(choice);
});
setUpDirectRequests();
openFeed();
showNext();
byId("reports", HTMLAnchorElement).href = `${new URL(ENDPOINT).origin}/reports?site=${location.origin}`;

// The style needs the banner's height: that changes with text, width and the visitor's font size.
const banner = byId("banner", HTMLElement);
new ResizeObserver(() => document.documentElement.style.setProperty("--banner-height", `${banner.offsetHeight}px`))
  .observe(banner);

/** Ticks off what a choice answers. From then on no page is counted without the visitor, which is the first step. */
function markChoice(choice: ConsentState): void {
  if (choice === "pending") return;
  markStep("browse");
  markStep(choice === "granted" ? "accept" : "decline");
}

function addToBasket(tea: Tea): void {
  const basket = byId("basket-count", HTMLElement);
  basket.textContent = String(Number(basket.textContent) + 1);
  Vendor.step("basket_add", { tea: slugOf(tea), grams: 50, price: tea.price });
  markStep("buy");
}
