/**
 * The demo site: a tea shop that uses the SDK, beside a view of what the ingest accepts.
 *
 * @module
 */
import { type ConsentState, Vendor } from "@vendor/sdk";
import type { StoredEvent } from "@vendor/sdk/ingest";
import { createAccount } from "./account.ts";
import { ENDPOINT, startAnalytics } from "./analytics.ts";
import { setUpCalls } from "./calls.ts";
import { describeChange } from "./collection.ts";
import { setUpConsent } from "./consent.ts";
import { byId } from "./dom.ts";
import { openFeed, showRow } from "./feed_view.ts";
import { markStep, reportCall, showCall, showNext } from "./guide.ts";
import { setUpInspector } from "./inspector.ts";
import { createPanel } from "./panel.ts";
import { createRouter } from "./router.ts";
import { type Mode, parseMode, readChoice, readMode, saveMode } from "./settings.ts";
import type { Tea } from "./teas.ts";

/** The SDK takes the time of a navigation in its pushState, a moment before the router says so. */
const NAVIGATION_SLACK_MS = 100;

/** The mode in force in this tab: the saved one may be another tab's, or none where storage is blocked. */
let mode: Mode = readMode();
/** The page in view, since when it is, and whether the ingest has counted it without the visitor. */
let view = { path: location.pathname, sinceMs: Date.now(), isCounted: false };
startAnalytics(readChoice() ?? "pending", mode);

const account = createAccount(() => refresh());
const refresh = createPanel({ mode: () => mode, user: account.user });
account.identify();

createRouter({ addToBasket, onNavigate }).start();
setUpConsent({
  onChange: (from) => {
    const to = Vendor.getConsent();
    if (to === "granted") account.identify();
    showChange(from);
    if (to === "granted") markStep("accept");
    if (to === "denied") markStep("decline");
    refresh();
  },
  onDenial: () => {
    showCall('Vendor.getConsent() // "denied"', "the visitor ID is gone: denied in another tab");
    refresh();
  },
});
setUpModes();
setUpCalls(refresh);
setUpJumps();
setUpHeights();
setUpInspector();
openFeed(onEvent);
refresh();
showNext();
showCall(`Vendor.init({ trackPageviews: ${JSON.stringify(mode)}, … })`, `consent: ${Vendor.getConsent()}`);
byId("reports", HTMLAnchorElement).href = `${new URL(ENDPOINT).origin}/reports?site=${location.origin}`;

function onNavigate(path: string): void {
  markStep("browse");
  if (path !== view.path) view = { path, sinceMs: Date.now() - NAVIGATION_SLACK_MS, isCounted: false };
  const consent = Vendor.getConsent();
  const isHeld = consent === "denied" ? mode !== false : consent === "pending" && mode === true;
  if (isHeld) reportCall("page", `$pageview ${path}`);
}

function showChange(from: ConsentState): void {
  const to = Vendor.getConsent();
  const why = describeChange({ from, to, mode, isCounted: view.isCounted });
  showCall(`Vendor.setConsent("${to}")`, why);
  showRow({ kind: "consent", at: new Date().toISOString(), what: `setConsent("${to}")`, why });
}

function onEvent({ collection, timestamp, context }: StoredEvent): void {
  const isOfView = context?.pageUrl === location.origin + view.path && Date.parse(timestamp) >= view.sinceMs;
  if (collection !== "aggregate" || !isOfView) return;
  view.isCounted = true;
  // It was on its way when the visitor accepted.
  if (Vendor.getConsent() === "granted") showChange("pending");
}

function addToBasket(tea: Tea): void {
  const basket = byId("basket-count", HTMLElement);
  basket.textContent = String(Number(basket.textContent) + 1);
  const properties = { tea: tea.slug, grams: 50, price: tea.price };
  Vendor.step("basket_add", properties);
  reportCall("step", `Vendor.step("basket_add", ${JSON.stringify(properties)})`);
  markStep("buy");
  refresh();
}

function setUpModes(): void {
  for (const radio of document.querySelectorAll<HTMLInputElement>('input[name="mode"]')) {
    radio.checked = radio.value === String(mode);
    radio.addEventListener("change", () => {
      mode = parseMode(radio.value);
      saveMode(mode);
      startAnalytics(Vendor.getConsent(), mode);
      account.identify();
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
      target?.querySelector(":scope > details")?.setAttribute("open", "");
      target?.focus({ preventScroll: true });
      target?.scrollIntoView();
    });
  }
}

/** Tells the style how high the banner and the bar are: that changes with text, width and the visitor's font size. */
function setUpHeights(): void {
  for (const id of ["banner", "bar"]) {
    const element = byId(id, HTMLElement);
    new ResizeObserver(() => document.documentElement.style.setProperty(`--${id}-height`, `${element.offsetHeight}px`))
      .observe(element);
  }
}
