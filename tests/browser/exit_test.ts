import { assert, assertEquals } from "@std/assert";
import { startBareChromium } from "./bare_chromium.ts";
import { createBrowserTest, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { KEY } from "./ingest_server.ts";
import { takeReports } from "./reports.ts";
import { withServers } from "./servers.ts";

const browserTest = createBrowserTest();

/** Names of the events that a page tracks before it goes. */
const THIRTY: readonly string[] = Array.from({ length: 30 }, (_, index) => `step ${index}`);

/** Tracks thirty events that nothing but the page's end sends. */
const TRACK_THIRTY = script((names: readonly string[]) => {
  for (const [index, name] of names.entries()) Vendor.step(name, { index });
}, THIRTY);

const LATE = { flushInterval: 60_000 } as const;

const names = ({ ingest }: Pick<Stage, "ingest">): string[] => ingest.stored.map(({ name }) => name);

browserTest("30 events leave with the page when it goes to another origin", async (stage) => {
  stage.otherSite.serve("/", { scripts: [] });
  stage.site.serve("/", { after: stage.init(LATE) + TRACK_THIRTY });
  const page = await stage.open("/");
  await quiet();
  assertEquals(stage.ingest.requests.length, 0);

  await page.goto(`${stage.otherSite.origin}/`);

  await stage.ingest.untilStored(30);
  await quiet();
  assertEquals(names(stage), THIRTY);
  assertEquals(stage.ingest.requests.length, 1);
  assertEquals(stage.ingest.requests[0]?.headers["x-api-key"], KEY);
});

browserTest("30 events leave with the tab when it is closed", async (stage) => {
  stage.otherSite.serve("/", { scripts: [] });
  stage.site.serve("/", { after: stage.init(LATE) + TRACK_THIRTY });
  const kept = await stage.context.newPage();
  await kept.goto(`${stage.otherSite.origin}/`);
  const page = await stage.open("/");

  await page.close();

  await stage.ingest.untilStored(30);
  assertEquals(names(stage), THIRTY);
});

browserTest("30 events leave with the tab when batches are small", async (stage) => {
  stage.otherSite.serve("/", { scripts: [] });
  stage.site.serve("/", { after: stage.init({ ...LATE, maxBatchSize: 10 }) });
  stage.ingest.respondWith(() => stage.ingest.requests.length > 1 ? undefined : stage.ingest.hang());
  const kept = await stage.context.newPage();
  await kept.goto(`${stage.otherSite.origin}/`);
  const page = await stage.open("/");
  await page.evaluate(TRACK_THIRTY);
  await stage.ingest.untilRequested(1);

  await page.close();

  await stage.ingest.untilStored(30);
  await quiet();
  assertEquals(new Set(names(stage)), new Set(THIRTY));
  assertEquals(stage.ingest.stored.length, 30);
  assert(stage.ingest.requests.every(({ body }) => body.events.length <= 10));
});

browserTest("30 events leave with a page that reloads", async (stage) => {
  stage.site.serve("/", {
    after: stage.init(LATE) + script((names: readonly string[]) => {
      if (performance.getEntriesByType("navigation").some((entry) => Reflect.get(entry, "type") === "reload")) return;
      for (const name of names) Vendor.step(name);
    }, THIRTY),
  });
  const page = await stage.open("/");

  await page.reload();

  await stage.ingest.untilStored(30);
  assertEquals(names(stage), THIRTY);
});

browserTest("what the page's own handlers track while it goes leaves too", async (stage) => {
  stage.otherSite.serve("/", { scripts: [] });
  stage.site.serve("/", {
    before: script(() => addEventListener("pagehide", () => Vendor.step("before the SDK's handler"))),
    after: stage.init(LATE) + script(() => {
      addEventListener("pagehide", () => Vendor.step("after the SDK's handler"));
      document.addEventListener("visibilitychange", () => Vendor.step(document.visibilityState));
    }),
  });
  const page = await stage.open("/");

  await page.goto(`${stage.otherSite.origin}/`);

  await stage.ingest.untilStored(3);
  // Each leaves with a request of its own, and those overtake one another.
  assertEquals(names(stage).sort(), ["after the SDK's handler", "before the SDK's handler", "hidden"]);
});

browserTest("a view that awaits its title leaves with the page", async (stage) => {
  stage.otherSite.serve("/", { scripts: [] });
  stage.site.serve("/", { after: stage.init({ ...LATE, trackPageviews: true }) });
  const page = await stage.open("/");

  await page.evaluate((url) => {
    history.pushState(null, "", "/leaving");
    location.assign(url);
  }, `${stage.otherSite.origin}/`);

  await stage.ingest.untilStored(2);
  assertEquals(stage.ingest.stored.map(({ context }) => context?.pageUrl?.replace(stage.site.origin, "")), [
    "/",
    "/leaving",
  ]);
});

browserTest("aggregates leave with the page while consent is pending", async (stage) => {
  stage.otherSite.serve("/", { scripts: [] });
  stage.site.serve("/", { after: stage.init({ ...LATE, trackPageviews: "auto", consent: "pending" }) });
  const page = await stage.open("/");

  await page.goto(`${stage.otherSite.origin}/`);

  await stage.ingest.untilStored(1);
  assertEquals(stage.ingest.stored.map(({ collection }) => collection), ["aggregate"]);
});

Deno.test("30 events leave when the visitor turns to another tab", () =>
  withServers(async ({ site, ingest, init }) => {
    const reports = takeReports(site);
    site.serve("/tab", { scripts: [] });
    site.serve("/", {
      after: init(LATE) + TRACK_THIRTY + script(() => {
        document.addEventListener("visibilitychange", () => {
          const body = JSON.stringify(document.visibilityState);
          void fetch("/report", { method: "POST", body });
        });
        fetch("/go").then(() => open("/tab"));
      }),
    });
    const chromium = await startBareChromium(`${site.origin}/`);
    try {
      await quiet();
      assertEquals(ingest.requests.length, 0);

      reports.go();

      assertEquals(await reports.next(), "hidden");
      await ingest.untilStored(30);
      assertEquals(ingest.stored.map(({ name }) => name), THIRTY);
    } finally {
      reports.go();
      await chromium.close();
    }
  }));
