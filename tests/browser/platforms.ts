import type { Page } from "playwright-core";
import { script } from "./html.ts";
import type {} from "./platform_scripts.ts";

declare global {
  /** Starts the platform of {@linkcode Platform.script}. */
  var startPlatform: (isOptOut?: boolean) => void;
  /** Opens the dialog of the TCF platform, in place of the markup that a vendor brings. */
  var showTcfDialog: () => void;
}

/** What a visitor says. */
export type Answer = "accept" | "decline";

/** A consent platform on a site, as a visitor meets it. */
export interface Platform {
  /** Its name. */
  readonly name: string;
  /** A script that defines `startPlatform()`, which shows the dialog to those who haven't answered. */
  readonly script: string;
  /** An expression that makes the source. */
  readonly source: string;
  /** Answers the dialog. */
  answer(page: Page, answer: Answer): Promise<void>;
  /** Opens the dialog anew. */
  reopen(page: Page): Promise<void>;
}

const clickFirst = (page: Page, selector: string): Promise<void> => page.locator(selector).first().click();

const COOKIE_CONSENT: Platform = {
  name: "vanilla-cookieconsent",
  script: script(() => {
    globalThis.startPlatform = (isOptOut = false) => {
      void platforms.cookieConsent.run({
        mode: isOptOut ? "opt-out" : "opt-in",
        hideFromBots: false,
        categories: { necessary: { enabled: true, readOnly: true }, analytics: { enabled: isOptOut } },
        language: {
          default: "en",
          translations: {
            en: {
              consentModal: { title: "Cookies", acceptAllBtn: "Accept", acceptNecessaryBtn: "Decline" },
              preferencesModal: {
                title: "Your choice",
                acceptAllBtn: "Accept",
                acceptNecessaryBtn: "Decline",
                sections: [{ title: "Analytics", linkedCategory: "analytics" }],
              },
            },
          },
        },
      });
    };
  }),
  source: `VendorConsent.fromCookieConsent({ category: "analytics", library: platforms.cookieConsent })`,
  async answer(page, answer) {
    const dialog = await page.evaluate(() => document.documentElement.classList.contains("show--preferences"));
    const role = answer === "accept" ? "all" : "necessary";
    await clickFirst(page, `${dialog ? ".pm" : ".cm"} button[data-role="${role}"]`);
  },
  reopen: (page) => page.evaluate(() => platforms.cookieConsent.showPreferences()),
};

const KLARO: Platform = {
  name: "Klaro",
  script: script(() => {
    globalThis.startPlatform = (isOptOut = false) => {
      Object.assign(globalThis, { klaro: platforms.klaro });
      platforms.klaro.setup({
        version: 1,
        acceptAll: true,
        services: [
          { name: "analytics", title: "Analytics", purposes: ["analytics"], default: isOptOut, optOut: isOptOut },
        ],
      });
    };
  }),
  source: `VendorConsent.fromKlaro({ service: "analytics" })`,
  async answer(page, answer) {
    const isOpenAgain = await page.locator(".cookie-modal").count() > 0;
    const button = answer === "accept" ? ".cm-btn-success" : ".cn-decline";
    await clickFirst(page, isOpenAgain ? ".cookie-modal .cm-btn-accept" : `.cookie-notice ${button}`);
  },
  async reopen(page) {
    await page.evaluate(() => platforms.klaro.show());
    // What the visitor ticks isn't saved yet.
    await page.locator("#service-item-analytics").dispatchEvent("click");
  },
};

const TCF: Platform = {
  name: "@iabtcf/cmpapi",
  script: script(() => {
    const VENDOR_ID = 5;
    const PURPOSES = [1, 8];
    const encode = (isAccepted: boolean): string => {
      const gvl = new platforms.GVL(
        {
          gvlSpecificationVersion: 3,
          vendorListVersion: 1,
          tcfPolicyVersion: 5,
          lastUpdated: "2026-01-01T00:00:00Z",
          purposes: Object.fromEntries(PURPOSES.map((id) => [id, { id }])),
          specialPurposes: {},
          features: {},
          specialFeatures: {},
          stacks: {},
          vendors: {
            [VENDOR_ID]: {
              id: VENDOR_ID,
              name: "Shop",
              purposes: PURPOSES,
              legIntPurposes: [],
              flexiblePurposes: [],
              specialPurposes: [],
              features: [],
              specialFeatures: [],
            },
          },
        } as unknown as ConstructorParameters<typeof platforms.GVL>[0],
      );
      const model = new platforms.TCModel(gvl);
      Object.assign(model, { cmpId: 300, cmpVersion: 1, isServiceSpecific: true });
      model.vendorsDisclosed.set(VENDOR_ID);
      if (isAccepted) {
        model.purposeConsents.set(PURPOSES);
        model.vendorConsents.set(VENDOR_ID);
      }
      return platforms.TCString.encode(model);
    };
    globalThis.startPlatform = () => {
      const api = new platforms.CmpApi(300, 1, true);
      const saved = localStorage.getItem("tcstring");
      const answer = (isAccepted: boolean): void => {
        document.querySelector("dialog")?.remove();
        localStorage.setItem("tcstring", encode(isAccepted));
        api.update(encode(isAccepted), false);
      };
      globalThis.showTcfDialog = () => {
        api.update(localStorage.getItem("tcstring") ?? encode(false), true);
        const dialog = document.createElement("dialog");
        for (const [name, isAccepted] of [["accept", true], ["decline", false]] as const) {
          const button = document.createElement("button");
          button.name = name;
          button.onclick = () => answer(isAccepted);
          dialog.append(button);
        }
        document.body.append(dialog);
        dialog.show();
      };
      if (saved) api.update(saved, false);
      else showTcfDialog();
    };
  }) + "platforms.installTcfStub();",
  source: `VendorConsent.fromTcf({ purposes: [1, 8], vendorId: 5, outsideGdpr: "denied" })`,
  answer: (page, answer) => page.locator(`dialog button[name=${answer}]`).dispatchEvent("click"),
  reopen: (page) => page.evaluate(() => showTcfDialog()),
};

/** The platforms that can take no answer for a yes. */
export const OPT_OUT_PLATFORMS: readonly Platform[] = [COOKIE_CONSENT, KLARO];

/** The platforms that npm has. */
export const PLATFORMS: readonly Platform[] = [COOKIE_CONSENT, KLARO, TCF];
