import { Window } from "happy-dom";
import { createClient } from "@vendor/sdk/client";
import { createBrowserEnvironment } from "../../src/client/platform/browser.ts";
import { DEMO_KEY } from "../../src/ingest/server/demo/demo_key.ts";

/** Origin of the shop that the scripted visit pretends to be on; https would make the plain ingest mixed content. */
export const SHOP_ORIGIN = "http://tidewater.example";

const SDK_KEY_PREFIX = "vendor.sdk.";

/**
 * Visits the shop as a script: undecided, then with consent, then after its withdrawal. Each call is one that an
 * application makes; what must come of it stands in `once_events.ts`.
 *
 * @param endpoint Address of the ingest.
 * @returns The SDK's keys that are on the device at the end; there must be none.
 */
export async function visit(endpoint: string): Promise<readonly string[]> {
  const window = new Window({ url: `${SHOP_ORIGIN}/?utm_source=letter#top` });
  window.document.title = "Tidewater Tea";
  const { history } = window;
  try {
    const client = createClient(
      { apiKey: DEMO_KEY, endpoint, consent: "pending", trackPageviews: "auto" },
      createBrowserEnvironment(window),
    );

    history.pushState(null, "", "/teas");
    history.replaceState(null, "", "/teas?kind=green");
    client.step("too_early");
    client.identify("ada", { plan: "team" });
    await client.flush();

    client.setConsent("granted");
    history.pushState(null, "", "/teas/sencha?ref=list");
    client.step("basket_add", { tea: "sencha", grams: 50 });
    const cycle: Record<string, unknown> = {};
    cycle.self = cycle;
    client.step("cycle", cycle);
    history.pushState(null, "", "/sale");
    history.replaceState(null, "", "/teas?kind=black");
    await client.flush();
    client.page();
    client.reset();
    client.step("signed_out");
    await goBack(window);
    await client.flush();

    client.step("withdrawn_with_consent");
    client.setConsent("denied");
    client.identify("ada");
    client.step("too_late");
    client.page();
    history.pushState(null, "", "/story");
    await client.flush();
    window.dispatchEvent(new window.Event("pagehide"));
    return Object.keys(window.localStorage).filter((key) => key.startsWith(SDK_KEY_PREFIX));
  } finally {
    await window.happyDOM.close();
  }
}

function goBack(window: Window): Promise<void> {
  return new Promise((resolve) => {
    window.addEventListener("popstate", () => resolve(), { once: true });
    window.history.back();
  });
}
