// Runs in a page: the consent platforms that npm has, for tests to start as a site does.
import { CmpApi } from "@iabtcf/cmpapi";
import { GVL, TCModel, TCString } from "@iabtcf/core";
import installTcfStub from "@iabtcf/stub";
import * as klaro from "klaro";
import * as cookieConsent from "vanilla-cookieconsent";
import type { KlaroLibrary } from "../../src/addons/consent/mod.ts";

/** What is used of Klaro's manager. */
type KlaroManager = ReturnType<KlaroLibrary["getManager"]> & {
  changeAll(value: boolean): void;
  saveAndApplyConsents(): void;
};

/** The platforms that npm has. Klaro and the stub bring no types. */
export interface PagePlatforms {
  readonly CmpApi: typeof CmpApi;
  readonly GVL: typeof GVL;
  readonly TCModel: typeof TCModel;
  readonly TCString: typeof TCString;
  readonly installTcfStub: () => void;
  readonly klaro: Omit<KlaroLibrary, "getManager"> & {
    setup(config: object): void;
    show(): void;
    /** The manager of the page's configuration, once that is set up. */
    getManager(config: object): KlaroManager;
  };
  readonly cookieConsent: typeof cookieConsent;
}

declare global {
  /** The platforms, in a page that loads the bundle of this file. */
  var platforms: PagePlatforms;
}

globalThis.platforms = { CmpApi, GVL, TCModel, TCString, installTcfStub, klaro, cookieConsent };
