import { script } from "./html.ts";
import { readExample } from "./read_example.ts";
import { buildPlatformScripts, type PlatformScripts } from "./platform_scripts.ts";
import { type Platform, PLATFORMS } from "./platforms.ts";
import type { Servers } from "./servers.ts";

declare global {
  /** Says what the visitor says, on a page of {@linkcode ConsentSite}. */
  var decide: (answer: "accept" | "decline") => void;
}

/** A site that asks for consent, in one of the ways of the guides. */
export interface ConsentSite {
  /** How it asks. */
  readonly name: string;
  /** Whether a page can ask for the choice that another one has stored. */
  readonly isReadable: boolean;
  /** Serves a page that starts the SDK, and what else it runs behind that. */
  serve(servers: Servers, path: string, after?: string): void;
}

let scripts: PlatformScripts;

/** Builds what the sites load. Call it before their tests. */
export async function buildConsentSites(): Promise<void> {
  scripts = await buildPlatformScripts();
}

const QUICK_START: ConsentSite = {
  name: "README's quick start",
  isReadable: true,
  serve({ site, ingest }, path, after = "") {
    const code = readExample("README.md", { endpoint: ingest.endpoint });
    const decide = script(() => {
      globalThis.decide = (answer) => {
        if (!document.querySelector("vendor-banner")) {
          const link = Object.assign(document.createElement("a"), { href: "#consent" });
          document.body.append(link);
          link.click();
          link.remove();
        }
        const buttons = document.querySelector("vendor-banner")?.shadowRoot?.querySelectorAll("button");
        buttons?.[answer === "accept" ? 0 : 1]?.click();
      };
    });
    const module = `${code}\nglobalThis.Vendor = Vendor;${decide}${after}`;
    site.serve(path, { scripts: [], body: `<script type="module">${module}</script>` });
  },
};

/** What a visitor's click on a button does, by platform. */
const DECISIONS: Readonly<Record<string, string>> = {
  "vanilla-cookieconsent": script(() => {
    globalThis.decide = (answer) => platforms.cookieConsent.acceptCategory(answer === "accept" ? "all" : []);
  }),
  "Klaro": script(() => {
    globalThis.decide = (answer) => {
      const manager = platforms.klaro.getManager({});
      manager.changeAll(answer === "accept");
      manager.saveAndApplyConsents();
    };
  }),
  "@iabtcf/cmpapi": script(() => {
    globalThis.decide = (answer) => {
      if (!document.querySelector("dialog")) showTcfDialog();
      document.querySelector<HTMLElement>(`dialog button[name=${answer}]`)?.click();
    };
  }),
};

function toSite({ name, script: platform, source }: Platform): ConsentSite {
  return {
    name,
    isReadable: name !== "@iabtcf/cmpapi",
    serve({ site, init }, path, after = "") {
      scripts.serve(site);
      const start = init({ trackPageviews: "auto", consent: "pending" });
      const follow = `VendorConsent.followConsent(Vendor, ${source}); startPlatform();`;
      site.serve(path, {
        scripts: ["/sdk.js", "/consent.js", "/platforms.js"],
        body: `<script>${platform}${start}${follow}${DECISIONS[name]}${after}</script>`,
      });
    },
  };
}

/** A cookie of one's own, and the platforms that npm has. */
export const CONSENT_SITES: readonly ConsentSite[] = [QUICK_START, ...PLATFORMS.map(toSite)];
