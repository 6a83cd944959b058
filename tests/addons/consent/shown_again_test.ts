/**
 * What each source says when a page is shown that heard nothing for a while: what its platform has stored by then.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import type { ConsentState } from "../../../mod.ts";
import {
  type ConsentSource,
  followConsent,
  fromCookie,
  fromCookiebot,
  fromCookieConsent,
  fromKlaro,
  fromOneTrust,
  fromTcf,
} from "../../../src/addons/consent/mod.ts";
import { createTestClient, openPage } from "./page.ts";

/** What a platform that was loaded while the visitor had accepted remembers of it. */
const MEMORY = {
  CookieConsent: { validConsent: () => true, acceptedCategory: () => true, acceptedService: () => true },
  klaro: {
    addEventListener: (_type: string, render: (config: object) => void) => render({}),
    getManager: () => ({
      confirmed: true,
      savedConsents: { analytics: true },
      store: {
        get: () =>
          document.cookie.split("; ").find((text) => text.startsWith("klaro="))?.slice("klaro=".length) ?? null,
      },
      watch() {},
      unwatch() {},
    }),
  },
  Cookiebot: { hasResponse: true, isOutOfRegion: false, consent: { statistics: true, method: "explicit" } },
  OneTrust: { IsAlertBoxClosed: () => true, GetDomainData: () => ({ ShowAlertNotice: true }) },
  OnetrustActiveGroups: ",C0001,C0002,",
  __tcfapi: (_command: string, _version: number, hear: (data: object, isSuccess: boolean) => void) =>
    hear({
      eventStatus: "tcloaded",
      gdprApplies: true,
      tcString: "COw4XqLOw4XqLAAAAAENAXCAAAAAAAAAAAAAAAAAAAAA",
      purpose: { consents: { 1: true } },
    }, true),
};

const encode = (value: unknown): string => encodeURIComponent(JSON.stringify(value));

const COOKIE = fromCookie({ name: "choice", granted: "yes", denied: "no" });
const COOKIE_CONSENT = fromCookieConsent({ category: "analytics" });
const SERVICE = fromCookieConsent({ category: "analytics", service: "vendor" });
const KLARO = fromKlaro({ service: "analytics" });
const COOKIEBOT = fromCookiebot({ category: "statistics" });
const ONE_TRUST = fromOneTrust({ group: "C0002" });
const TCF = fromTcf({ purposes: [1], outsideGdpr: "pending" });

const CLOSED = "OptanonAlertBoxClosed=2026-11-28T10:00:00.000Z";
const DECLINED_BOT = "{stamp:'a==',necessary:true,preferences:true,statistics:false,marketing:true,method:'explicit'}";

/** The cookies that the page left with, those that it comes back to, and what becomes of consent. */
const CASES: readonly (readonly [string, ConsentSource, before: string, after: string, ConsentState])[] = [
  ["fromCookie()", COOKIE, "choice=yes", "choice=no", "denied"],
  ["fromCookie()", COOKIE, "choice=yes", "", "pending"],
  ["fromCookieConsent()", COOKIE_CONSENT, "", `cc_cookie=${encode({ categories: ["necessary"] })}`, "denied"],
  ["fromCookieConsent()", COOKIE_CONSENT, "", `cc_cookie=${encode({ categories: ["analytics"] })}`, "granted"],
  ["fromCookieConsent()", COOKIE_CONSENT, "", "", "pending"],
  [
    "fromCookieConsent() with a service",
    SERVICE,
    "",
    `cc_cookie=${encode({ categories: ["analytics"], services: { analytics: ["other"] } })}`,
    "denied",
  ],
  [
    "fromCookieConsent() with a service",
    SERVICE,
    "",
    `cc_cookie=${encode({ categories: ["analytics"], services: { analytics: ["other", "vendor"] } })}`,
    "granted",
  ],
  ["fromKlaro()", KLARO, `klaro=${encode({ analytics: true })}`, `klaro=${encode({ analytics: false })}`, "denied"],
  ["fromKlaro()", KLARO, `klaro=${encode({ analytics: true })}`, `klaro=${encode({ chat: true })}`, "pending"],
  ["fromKlaro()", KLARO, `klaro=${encode({ analytics: true })}`, "", "pending"],
  ["fromCookiebot()", COOKIEBOT, "", `CookieConsent=${encodeURIComponent(DECLINED_BOT)}`, "denied"],
  ["fromCookiebot()", COOKIEBOT, "", `CookieConsent=${DECLINED_BOT.replace("s:false", "s:true")}`, "granted"],
  ["fromCookiebot()", COOKIEBOT, "", "CookieConsent=-1", "granted"],
  ["fromCookiebot()", COOKIEBOT, "", "CookieConsent=0", "denied"],
  ["fromCookiebot()", COOKIEBOT, "", "", "pending"],
  ["fromOneTrust()", ONE_TRUST, "", `OptanonConsent=version=1&groups=C0001%3A1%2CC0002%3A0&x=1; ${CLOSED}`, "denied"],
  ["fromOneTrust()", ONE_TRUST, "", `OptanonConsent=version=1&groups=C0001%3A1%2CC0002%3A1; ${CLOSED}`, "granted"],
  ["fromOneTrust()", ONE_TRUST, "", "OptanonConsent=groups=C0001%3A1%2CC0002%3A1", "pending"],
  ["fromTcf()", TCF, "", "", "pending"],
];

for (const [name, source, before, after, expected] of CASES) {
  Deno.test(`${name} is ${expected} when the page comes back to "${after}"`, async () => {
    const document = Object.assign(new EventTarget(), { cookie: before });
    using _page = openPage({ ...MEMORY, document, cookieStore: new EventTarget() });
    const client = createTestClient();
    const stop = followConsent(client, source);
    const first = client.getConsent();

    dispatchEvent(Object.assign(new Event("pagehide"), { persisted: true }));
    document.cookie = after;
    dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
    await new Promise((resolve) => setTimeout(resolve));
    stop();

    assertEquals([first, client.getConsent()], ["granted", expected]);
  });
}

Deno.test("followConsent() asks what is stored when a prerendered page is activated, and steps for no grant of then", () => {
  const document = Object.assign(new EventTarget(), { cookie: "", referrer: "https://news.example/" });
  using _page = openPage({ document, cookieStore: new EventTarget(), location: { origin: "https://shop.example" } });
  const client = createTestClient();
  const steps: string[] = [];
  const stop = followConsent({ ...client, step: (name) => void steps.push(name) }, COOKIE);

  document.cookie = "choice=yes";
  dispatchEvent(new Event("prerenderingchange"));
  stop();

  assertEquals([client.states, steps], [["granted"], []]);
});

Deno.test("followConsent() applies a grant again where the client took emptied storage for a denial", async () => {
  using _page = openPage({ document: Object.assign(new EventTarget(), { cookie: "choice=yes" }) });
  const client = createTestClient();
  const stop = followConsent(client, COOKIE);
  // As the client does, which hears of the same events behind it.
  const deny = () => client.setConsent("denied");
  addEventListener("pageshow", deny, true);

  dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  await new Promise((resolve) => setTimeout(resolve));
  removeEventListener("pageshow", deny, true);
  stop();

  assertEquals(client.states, ["granted", "granted", "denied", "granted"]);
});

Deno.test("followConsent() leaves consent to a source that looks at nothing then", async () => {
  using _page = openPage({});
  const client = createTestClient();
  const stop = followConsent(client, (report) => {
    report("granted");
    return () => {};
  });

  client.setConsent("denied"); // as another tab makes it
  dispatchEvent(Object.assign(new Event("pageshow"), { persisted: true }));
  await new Promise((resolve) => setTimeout(resolve));
  stop();

  assertEquals(client.states, ["granted", "denied"]);
});
