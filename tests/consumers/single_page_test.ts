import { assertEquals, assertStringIncludes } from "@std/assert";
import type { Browser } from "playwright-core";
import type { StoredEvent } from "../../src/ingest/mod.ts";
import { KEY, startIngest } from "../browser/ingest_server.ts";
import { prepareApplication } from "./driver/application.ts";
import { compareViews } from "./driver/compare_views.ts";
import { checkDecline } from "./driver/decline_check.ts";
import { describeEvent, type Origins } from "./driver/describe_view.ts";
import { checkWithoutKey } from "./driver/key_check.ts";
import { readKeySource } from "./driver/key_source.ts";
import { startMailServer } from "./driver/mail_server.ts";
import { serveDirectory } from "./driver/static_server.ts";
import { repeatStalled, withBrowser, withVisitor } from "./driver/visitor.ts";

/** The title of a full pageview is read one second after its load or navigation, and sending would read it at once. */
const FLUSH_INTERVAL_MS = 1_500;

/** What the ingest gets of each application, whose HTML file has another title, and whose main module makes a step. */
const EVENTS = [
  'full $pageview /teas?utm_source=mail "Teas" from mail:/mail?id=1',
  "application opened",
  'full $pageview /teas/sencha "Sencha" from /teas?utm_source=mail',
] as const;

function describe(event: StoredEvent, origins: Origins): string {
  return event.name === "$pageview" ? describeEvent(event, origins) : event.name;
}

async function visit(browser: Browser, fixture: string, key: string): Promise<void> {
  const keySource = readKeySource(key);
  const { directory, scripts, build } = await prepareApplication(fixture, { keySource });
  assertStringIncludes(scripts["build"] ?? "", keySource.setting.replace("ng ", "")); // we start ng with a newer Node
  const site = serveDirectory(`${directory}/dist`, { isSinglePage: true });
  const mail = startMailServer(`${site.origin}/teas?utm_source=mail`);
  const ingest = await startIngest([site.origin]);
  const settings = {
    endpoint: ingest.endpoint,
    flushInterval: FLUSH_INTERVAL_MS,
    trackPageviews: true,
  };
  const visitor = { browser, settings, cookies: { consent: "granted" }, origin: site.origin };
  try {
    const complaints = ["warning: [Vendor] step() ignored: call init() first"]; // of the main module
    await checkWithoutKey({ browser, url: `${site.origin}/teas`, ingest, complaints });
    await build({ [keySource.variable]: KEY });
    const walk = async (): Promise<void> => {
      const first = ingest.stored.length;
      await withVisitor(visitor, async (context, complaints) => {
        const page = await context.newPage();
        await page.goto(`${mail.origin}/mail?id=1`);
        await page.getByRole("link", { name: "Tea shop" }).click();
        await ingest.untilStored(first + 2);
        await page.getByRole("link", { name: "Sencha" }).click();
        await page.getByRole("heading", { name: "Sencha" }).waitFor();
        const events = await ingest.untilStored(first + 3);
        assertEquals(complaints, [], "the console has warnings or errors");
        assertEquals(ingest.refused, [], "the ingest refused a request");
        compareViews(
          events.slice(first).map((event) => describe(event, { site: site.origin, mail: mail.origin })),
          EVENTS,
        );
      });
    };
    await repeatStalled(walk);
    await checkDecline({ browser, url: `${site.origin}/teas`, ingest });
  } finally {
    await Promise.all([site.close(), mail.close(), ingest.close()]);
  }
}

Deno.test("single-page applications have the title of each page in its pageview, and a banner that declines", async (t) => {
  await withBrowser(async (browser) => {
    await t.step("Vite and React: titles set in an effect", () => visit(browser, "vite_react", "Vite"));
    await t.step("Vite and Vue: titles set after a loader", () => visit(browser, "vite_vue", "Vite"));
    await t.step("Angular: titles of routes with a resolver", () => visit(browser, "angular", "Angular"));
  });
});
