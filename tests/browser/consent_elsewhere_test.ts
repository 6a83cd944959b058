/**
 * What a visitor decides on one page, on a page that heard nothing of it: one that was prerendered, or lay in the
 * back/forward cache.
 *
 * @module
 */
import { assertEquals } from "@std/assert";
import { startBareChromium } from "./bare_chromium.ts";
import { buildConsentSites, CONSENT_SITES, type ConsentSite } from "./consent_sites.ts";
import { createBrowserTest, goBack, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { takeReports } from "./reports.ts";
import { type Servers, withServers } from "./servers.ts";
import { readSdkKeys } from "./storage_keys.ts";

const browserTest = createBrowserTest(["Chromium", "Firefox"]);

Deno.test.beforeAll(buildConsentSites);

/** Reports, from a page without DevTools, what it looks like now. */
const REPORT = script(() => {
  const report = (): void =>
    void fetch("/report", {
      method: "POST",
      body: JSON.stringify({
        isPrerendering: Reflect.get(document, "prerendering"),
        consent: Vendor.getConsent(),
        hasVisitor: !!localStorage.getItem("vendor.sdk.visitor"),
      }),
    });
  setTimeout(report, 100);
  document.addEventListener("prerenderingchange", () => setTimeout(() => Vendor.flush().then(report), 300));
});

/** Returns what arrived of a page: its form and its name. */
function storedOf({ ingest }: Servers, path: string): readonly string[] {
  return ingest.stored.filter(({ context }) => new URL(`${context?.pageUrl}`).pathname === path)
    .map(({ collection, name }) => `${collection} ${name}`);
}

/** Decides on a page, before and after another one is prerendered, goes to that one, and returns what that reports. */
async function decideBeforeActivation(
  site: ConsentSite,
  answers: { readonly before?: "accept"; readonly after: "accept" | "decline" },
  check: (servers: Servers, report: unknown) => void,
): Promise<void> {
  await withServers(async (servers) => {
    const reports = takeReports(servers.site);
    site.serve(servers, "/next", REPORT);
    site.serve(
      servers,
      "/",
      script(({ before, after }) => {
        const rules = document.createElement("script");
        rules.type = "speculationrules";
        rules.textContent = JSON.stringify({ prerender: [{ urls: ["/next"], eagerness: "immediate" }] });
        setTimeout(() => {
          if (before) decide(before);
          setTimeout(() => document.head.append(rules), 200);
        }, 200);
        fetch("/go").then(() => {
          decide(after);
          setTimeout(() => location.assign("/next"), 500); // nobody goes on within the moment of a choice
        });
      }, answers),
    );
    const chromium = await startBareChromium(`${servers.site.origin}/`);
    try {
      const { isPrerendering, consent } = await reports.next() as Readonly<Record<string, unknown>>;
      assertEquals([isPrerendering, consent], [true, answers.before ? "granted" : "pending"]);
      await quiet();
      reports.go();
      check(servers, await reports.next());
    } finally {
      reports.go();
      await chromium.close();
    }
  });
}

for (const site of CONSENT_SITES) {
  const { name, isReadable } = site;

  Deno.test(`${name}: who declines, and goes to the page that was prerendered, isn't recorded there`, () =>
    decideBeforeActivation(site, { before: "accept", after: "decline" }, (servers, report) => {
      assertEquals(report, { isPrerendering: false, consent: "denied", hasVisitor: false });
      assertEquals(storedOf(servers, "/next"), []);
    }));

  if (isReadable) {
    Deno.test(`${name}: who accepts, and goes to the page that was prerendered, is recorded there`, () =>
      decideBeforeActivation(site, { after: "accept" }, (servers, report) => {
        assertEquals(report, { isPrerendering: false, consent: "granted", hasVisitor: true });
        assertEquals(storedOf(servers, "/next"), ["full $pageview"]);
      }));
  }

  browserTest(`${name}: who declines, and goes back, isn't recorded there`, async (stage) => {
    const page = await openTwo(stage, site, "accept");
    await page.evaluate(() => decide("decline"));
    const before = storedOf(stage, "/").length;
    await goBack(page, "/");
    await quiet();

    assertEquals([await page.evaluate(() => Vendor.getConsent()), await readSdkKeys(page)], ["denied", []]);
    assertEquals(storedOf(stage, "/").slice(before).filter((text) => text.startsWith("full")), []);
    assertEquals(stage.site.visits.filter((path) => path === "/").length, 1);
  });

  if (isReadable) {
    browserTest(`${name}: who accepts, and goes back, is recorded there`, async (stage) => {
      const page = await openTwo(stage, site);
      await page.evaluate(() => decide("accept"));
      await goBack(page, "/");
      await page.evaluate(() => Vendor.flush());

      assertEquals(await page.evaluate(() => Vendor.getConsent()), "granted");
      assertEquals(storedOf(stage, "/"), ["aggregate $pageview", "full $pageview"]);
      assertEquals(stage.site.visits.filter((path) => path === "/").length, 1);
    });
  }
}

/** Opens a page, says something there, and goes on to another one of the same site. */
async function openTwo(stage: Stage, site: ConsentSite, answer?: "accept"): ReturnType<Stage["open"]> {
  site.serve(stage, "/");
  site.serve(stage, "/b");
  const page = await stage.open("/");
  await page.waitForFunction(() => Reflect.has(globalThis, "decide"));
  await page.evaluate(() => Vendor.flush());
  if (answer) await page.evaluate((answer) => decide(answer), answer);
  await page.evaluate(() => Vendor.flush());
  await page.goto(`${stage.site.origin}/b`);
  await page.waitForFunction(() => Reflect.has(globalThis, "decide"));
  await page.evaluate(() => Vendor.flush());
  return page;
}
