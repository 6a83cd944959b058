import { assertEquals } from "@std/assert";
import { chromium } from "playwright-core";
import { CHROMIUM_ARGS, CHROMIUM_PATH } from "./chromium.ts";
import { script } from "./html.ts";
import { KEY, startIngest } from "./ingest_server.ts";
import { VENDOR_SCRIPT } from "./sdk_bundle.ts";

/** The key of the extension, which its id comes from. */
const PUBLIC_KEY = "ZXh0ZW5zaW9uIG9mIHRoZSB0ZXN0cw==";

/** Returns the id that Chromium gives an extension of a key: half of its hash, with letters for digits. */
async function idOf(key: string): Promise<string> {
  const bytes = Uint8Array.from(atob(key), (char) => char.charCodeAt(0));
  const hash = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes)).toHex().slice(0, 32);
  return hash.replace(/./g, (digit) => String.fromCharCode(97 + parseInt(digit, 16)));
}

Deno.test("a popup of an extension collects in both forms, and stores the visitor", async () => {
  const folder = await Deno.makeTempDir({ prefix: "vendor_sdk_extension_" });
  const origin = `chrome-extension://${await idOf(PUBLIC_KEY)}`;
  const ingest = await startIngest([origin]);
  const config = {
    apiKey: KEY,
    endpoint: ingest.endpoint,
    flushInterval: 20,
    trackPageviews: "auto",
    consent: "pending",
  } as const;
  const files = {
    "manifest.json": JSON.stringify({
      manifest_version: 3,
      name: "Teas",
      version: "1",
      key: PUBLIC_KEY,
      action: { default_popup: "popup.html" },
    }),
    // Its policy allows no script within the page.
    "popup.html": `<title>Teas</title><script src="sdk.js"></script><script src="start.js"></script>`,
    "sdk.js": VENDOR_SCRIPT,
    "start.js": script((config) => Vendor.init(config), config),
  };
  await Deno.mkdir(`${folder}/extension`);
  for (const [name, text] of Object.entries(files)) await Deno.writeTextFile(`${folder}/extension/${name}`, text);
  const context = await chromium.launchPersistentContext(`${folder}/profile`, {
    executablePath: CHROMIUM_PATH,
    args: [...CHROMIUM_ARGS, `--load-extension=${folder}/extension`],
    ignoreDefaultArgs: ["--disable-extensions"],
  });
  try {
    const page = await context.newPage();
    await page.goto(`${origin}/popup.html?tab=1`);
    await ingest.untilStored(1);
    await page.evaluate(() => {
      history.pushState(null, "", "?tab=2");
      Vendor.setConsent("granted");
      Vendor.step("opened");
      return Vendor.flush();
    });
    const events = await ingest.untilStored(2);

    assertEquals(events.map(({ collection, name, context }) => [collection, name, context?.pageUrl]), [
      ["aggregate", "$pageview", `${origin}/popup.html`],
      ["full", "opened", `${origin}/popup.html?tab=2`],
    ]);
    assertEquals(ingest.requests.map(({ headers }) => headers.origin), [origin, origin]);
    assertEquals(
      await page.evaluate(() => localStorage.getItem("vendor.sdk.visitor")),
      events[1]?.identity?.anonymousId,
    );
    assertEquals(ingest.refused, []);
  } finally {
    await context.close();
    await ingest.close();
    await Deno.remove(folder, { recursive: true });
  }
});
