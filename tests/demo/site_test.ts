import { assertEquals } from "@std/assert";
import { type SiteTab, withSite } from "./site_tab.ts";

const PRESSED = '.states [aria-pressed="true"]';
const TITLE = "#collected-title";
const BANNER = "#banner-title";
const COUNTED = "Pages are counted, people aren’t";

const look = ({ read }: SiteTab): unknown => ({
  pressed: read(PRESSED),
  title: read(TITLE),
  isAsked: read(BANNER) !== null,
});

Deno.test("the panel describes the mode in force in its tab, not the one that another tab saved", () =>
  withSite(({ scope, click, read }) => {
    scope.localStorage.setItem("tidewater.mode", "false");

    click('.states [data-consent="pending"]');

    assertEquals(read(TITLE), COUNTED);
  }));

Deno.test("the panel describes the mode in force where storage is blocked", () =>
  withSite(({ click, read }) => {
    const start = read(TITLE);

    click('[name="mode"][value="true"]');

    assertEquals([start, read(TITLE)], [COUNTED, "Nothing is collected yet"]);
  }, (scope) => {
    Object.defineProperty(scope, "localStorage", {
      get() {
        throw new DOMException("denied", "SecurityError");
      },
    });
  }));

Deno.test("the page asks again after another tab has emptied the storage, which is no denial", () =>
  withSite(async (tab) => {
    tab.click('[data-consent="granted"]');
    const before = look(tab);

    tab.scope.localStorage.clear();
    await tab.hearStorage(null);

    assertEquals(before, { pressed: "granted", title: "Full analytics", isAsked: false });
    assertEquals(look(tab), { pressed: "pending", title: COUNTED, isAsked: true });
  }));

Deno.test("the page shows the denial when the visitor is gone, and the saved choice stays", () =>
  withSite(async (tab) => {
    tab.click('[data-consent="granted"]');
    // A new instance listens after the page does.
    tab.click('[name="mode"][value="true"]');
    await new Promise((resolve) => setTimeout(resolve, 50)); // the SDK listens one task later

    tab.scope.localStorage.removeItem("vendor.sdk.visitor");
    await tab.hearStorage("vendor.sdk.visitor");

    assertEquals(look(tab), { pressed: "denied", title: "Nothing is collected", isAsked: false });
  }));

Deno.test("the banner stays open that was opened while another tab goes on", () =>
  withSite(async (tab) => {
    tab.click('[data-consent="granted"]');
    tab.click("#open-banner");

    await tab.hearStorage("vendor.sdk.session");

    assertEquals(look(tab), { pressed: "granted", title: "Full analytics", isAsked: true });
  }));

Deno.test("the loss of the feed is announced, once", () =>
  withSite(({ scope, tellFeed }) => {
    const state = scope.document.querySelector("#feed-state");
    tellFeed("open");
    tellFeed("error");
    const text = state?.firstChild;

    tellFeed("error");

    assertEquals(state?.getAttribute("role"), "status");
    assertEquals(state?.textContent, "lost, is the demo still running?");
    assertEquals(state?.firstChild === text, true);
  }));

Deno.test("who accepts while the page's aggregate is on its way hears that it was counted without them", () =>
  withSite(({ click, read, tellFeed }) => {
    click('[data-consent="granted"]');
    const before = read("#last-note");
    const timestamp = new Date().toISOString();
    const event = { collection: "aggregate", timestamp, context: { pageUrl: "http://tidewater.example/" } };

    tellFeed("row", { isReplay: false, row: { kind: "accepted", at: timestamp, event } });

    const rest = "rom here on events carry your visitor ID and session.";
    assertEquals(before, `F${rest}`);
    assertEquals(read("#last-note"), `This page was already counted without you; f${rest}`);
  }));

Deno.test("what isn't a JSON object goes into no step", () =>
  withSite(({ scope, click, read }) => {
    click('[data-consent="granted"]');
    const properties = scope.document.querySelector("textarea");
    for (const value of ["[1]", "{", "null"]) {
      if (properties) properties.value = value;
      properties?.dispatchEvent(new scope.Event("input"));
      click("#step-form .button--strong");
    }
    const before = read("#last-call");
    if (properties) properties.value = "";
    properties?.dispatchEvent(new scope.Event("input"));

    click("#step-form .button--strong");

    assertEquals([before, read("#last-call")], ['Vendor.setConsent("granted")', 'Vendor.step("newsletter_joined")']);
  }));

Deno.test("who is signed in to the shop is told to the SDK again after a load", () =>
  withSite(({ read }) => {
    assertEquals(read("#sign"), "Sign out ada");
    assertEquals(read("#visitor-facts dd:last-child"), "ada waits in memory until you accept");
  }, (scope) => scope.localStorage.setItem("tidewater.user", "ada")));
