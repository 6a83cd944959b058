import { assertEquals } from "@std/assert";
import type { Browser, Page } from "playwright-core";
import { KEY, startIngest } from "../browser/ingest_server.ts";
import { type Application, prepareApplication } from "./driver/application.ts";
import { compareViews } from "./driver/compare_views.ts";
import { describeEvent } from "./driver/describe_view.ts";
import { serveDirectory } from "./driver/static_server.ts";
import { repeatStalled, withBrowser, withVisitor } from "./driver/visitor.ts";

interface Form {
  /** Whether the visitor is recognised. */
  readonly consent: "granted" | "pending";
  /** What the ingest has to get. */
  readonly views: readonly string[];
}

/** After a title was read, one second after its page: sending reads it at once. */
const FLUSH_INTERVAL_MS = 1_200;
/** Longer than that: events too many have come by then. */
const QUIET_MS = 1_500;

const FORMS: readonly Form[] = [
  {
    consent: "granted",
    views: [
      'full $pageview / "Home"',
      'full $pageview /login "Log in" from /',
      'full $pageview / "Home" from /login',
      'full $pageview /login "Log in" from /',
      'full $pageview /offer "Offer" from /login',
      'full $pageview /teas "Teas" from /offer',
    ],
  },
  {
    consent: "pending",
    views: [
      "aggregate $pageview /",
      "aggregate $pageview /login from site:",
      "aggregate $pageview / from site:",
      "aggregate $pageview /login from site:",
      "aggregate $pageview /offer from site:",
      "aggregate $pageview /teas from site:",
    ],
  },
];

/** Goes to a page that asks for a login, back, to one that leads to that page, and to an offer that leads on once seen. */
async function navigate(page: Page): Promise<void> {
  const follow = async (link: string, heading: string): Promise<void> => {
    await page.getByRole("link", { name: link }).click();
    await page.getByRole("heading", { name: heading }).waitFor();
  };
  await follow("Account", "Log in");
  await page.evaluate(() => history.back());
  await page.getByRole("heading", { name: "Home" }).waitFor();
  await follow("Orders", "Log in");
  await follow("Offer", "Teas");
}

interface Visit extends Form {
  readonly browser: Browser;
  /** Where the application is. */
  readonly directory: string;
}

async function visit({ browser, directory, consent, views }: Visit): Promise<void> {
  const site = serveDirectory(directory, { isSinglePage: true });
  const ingest = await startIngest([site.origin]);
  const settings = {
    apiKey: KEY,
    endpoint: ingest.endpoint,
    flushInterval: FLUSH_INTERVAL_MS,
    trackPageviews: "auto",
    consent,
  };
  try {
    await withVisitor({ browser, settings, origin: site.origin }, async (context, complaints) => {
      const page = await context.newPage();
      await page.goto(site.origin);
      await page.getByRole("heading", { name: "Home" }).waitFor();
      await navigate(page);
      await ingest.untilStored(views.length).catch(() => {}); // what's missing is shown below
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      compareViews(ingest.stored.map((event) => describeEvent(event, { site: site.origin, mail: "-" })), views);
      assertEquals(ingest.refused, []);
      assertEquals(complaints, []);
    });
  } finally {
    await Promise.all([site.close(), ingest.close()]);
  }
}

async function visitBoth(browser: Browser, { directory }: Application, build: string): Promise<void> {
  await Promise.all(
    FORMS.map((form) => repeatStalled(() => visit({ ...form, browser, directory: `${directory}/dist/${build}` }))),
  );
}

Deno.test("a redirect that React Router 7 makes in an effect is one view of the page that it leads to", async (t) => {
  const application = await prepareApplication("redirects");
  await withBrowser(async (browser) => {
    await t.step("BrowserRouter", () => visitBoth(browser, application, "browser_router_production"));
    await t.step("createBrowserRouter", () => visitBoth(browser, application, "data_router_production"));
    // The development build makes effects twice.
    await t.step("BrowserRouter, StrictMode", () => visitBoth(browser, application, "browser_router_development"));
    await t.step("createBrowserRouter, StrictMode", () => visitBoth(browser, application, "data_router_development"));
  });
});
