import { assertEquals } from "@std/assert";
import { KEY, startIngest } from "../browser/ingest_server.ts";
import { type Application, prepareApplication } from "./driver/application.ts";
import { compareViews } from "./driver/compare_views.ts";
import { describeEvent } from "./driver/describe_view.ts";
import { serveDirectory } from "./driver/static_server.ts";
import { repeatStalled, withVisitor } from "./driver/visitor.ts";

/** After a title was read, one second after its page: sending reads it at once. */
const FLUSH_INTERVAL_MS = 1_200;

/** What the ingest has to get, by the visitor's consent. */
const VIEWS = {
  granted: [
    'full $pageview / "Home"',
    'full $pageview /teas/ "Teas" from /',
    'full $pageview /about/ "About" from /teas/',
    'full $pageview /teas/ "Teas" from /about/',
  ],
  pending: [
    "aggregate $pageview /",
    "aggregate $pageview /teas/ from site:",
    "aggregate $pageview /about/ from site:",
    "aggregate $pageview /teas/ from site:",
  ],
} as const;

/** What Astro leaves unhandled when it skips a transition, since the next one came soon. */
const SKIPPED_TRANSITION = "exception: AbortError: Transition was skipped. skipTransition() called";

/** Follows two links, and goes back. */
async function visit({ directory }: Application, consent: keyof typeof VIEWS): Promise<void> {
  const site = serveDirectory(`${directory}/dist`);
  const ingest = await startIngest([site.origin]);
  const settings = {
    apiKey: KEY,
    endpoint: ingest.endpoint,
    flushInterval: FLUSH_INTERVAL_MS,
    trackPageviews: "auto",
    consent,
  };
  try {
    await withVisitor({ origin: site.origin, settings }, async (context, complaints) => {
      const page = await context.newPage();
      const documents: string[] = [];
      page.on("request", (request) => {
        if (request.isNavigationRequest()) documents.push(request.url());
      });
      await page.goto(`${site.origin}/`);
      for (const title of ["Teas", "About"]) {
        await page.getByRole("link", { name: title }).click();
        await page.getByRole("heading", { name: title }).waitFor();
        // A navigation during a transition waits for it.
        await page.waitForFunction(() => document.getAnimations().length === 0);
      }
      await page.evaluate(() => history.back());
      await page.getByRole("heading", { name: "Teas" }).waitFor();
      await ingest.untilStored(VIEWS[consent].length).catch(() => {}); // what's missing is shown below
      compareViews(
        ingest.stored.map((event) => describeEvent(event, { site: site.origin, mail: "-" })),
        VIEWS[consent],
      );
      assertEquals(documents, [`${site.origin}/`], "other documents were loaded");
      assertEquals(ingest.refused, []);
      assertEquals(complaints.filter((complaint) => complaint !== SKIPPED_TRANSITION), []);
    });
  } finally {
    await Promise.all([site.close(), ingest.close()]);
  }
}

Deno.test("pages of Astro 5.0, whose router bound pushState before the SDK started, are counted once each", async (t) => {
  const application = await prepareApplication("astro_bound");
  await t.step("with consent", () => repeatStalled(() => visit(application, "granted")));
  await t.step("while consent is pending", () => repeatStalled(() => visit(application, "pending")));
});
