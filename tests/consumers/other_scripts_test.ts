import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { KEY, startIngest } from "../browser/ingest_server.ts";
import { type Application, prepareApplication } from "./driver/application.ts";
import { describeEvent } from "./driver/describe_view.ts";
import { compareViews } from "./driver/compare_views.ts";
import { startPage } from "./driver/scripts_page.ts";
import { withVisitor } from "./driver/visitor.ts";

declare global {
  /** Starts the SDK again. */
  var startSdk: () => void;
  /** What Datadog's script recorded. */
  var datadogEvents: readonly { readonly type: string; readonly id: string; readonly url: string }[];
}

const LIMIT_MS = 5_000;

/** What the visitor does: pages pushed, a way back, a page replaced, and one pushed after a second `init()`. */
async function navigate(page: Page): Promise<void> {
  await page.evaluate(async () => {
    const pause = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 60));
    await pause();
    for (const url of ["/teas", "/about"]) {
      history.pushState(null, "", url);
      await pause();
    }
    const isBack = new Promise((resolve) => addEventListener("popstate", resolve, { once: true }));
    history.back();
    await isBack;
    await pause();
    history.replaceState(null, "", "/brewing");
    await pause();
    startSdk();
    history.pushState(null, "", "/again");
    await pause();
  });
}

const OWN_VIEWS = [
  'full $pageview / "Shop"',
  'full $pageview /teas "Shop" from /',
  'full $pageview /about "Shop" from /teas',
  'full $pageview /teas "Shop" from /about',
  'full $pageview /brewing "Shop" from /teas',
  'full $pageview /again "Shop" from /brewing',
];

/** Plausible's script doesn't count `replaceState`. */
const PLAUSIBLE_VIEWS = ["/", "/teas", "/about", "/teas", "/again"];

const DATADOG_VIEWS = ["/", "/teas", "/about", "/teas", "/brewing", "/again"];

/** Reads a value until it will do, or for as long as it may take. */
async function readUntil<Value>(read: () => Promise<Value>, willDo: (value: Value) => boolean): Promise<Value> {
  const deadline = Date.now() + LIMIT_MS;
  for (;;) {
    const value = await read();
    if (willDo(value) || Date.now() > deadline) return value;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

async function countWith({ directory }: Application, scripts: readonly string[]): Promise<void> {
  const site = startPage(`${directory}/dist`, scripts);
  const ingest = await startIngest([site.origin]);
  const settings = { apiKey: KEY, endpoint: ingest.endpoint, flushInterval: 20, trackPageviews: true };
  try {
    await withVisitor({ origin: site.origin, settings }, async (context, complaints) => {
      const page = await context.newPage();
      await page.goto(site.origin);
      await navigate(page);
      await ingest.untilStored(OWN_VIEWS.length).catch(() => {}); // what's missing is shown below
      const requests = ingest.requests.length;
      // Datadog reports a request some time after it has ended.
      const isSeen = ({ type, url }: typeof datadogEvents[number]): boolean =>
        type === "resource" && url === ingest.endpoint;
      const datadog = await readUntil(
        () => page.evaluate(() => globalThis.datadogEvents),
        (events) => events.filter(isSeen).length >= requests,
      );
      const views = new Map(datadog.filter(({ type }) => type === "view").map(({ id, url }) => [id, url]));

      compareViews(
        ingest.stored.map((event) => describeEvent(event, { site: site.origin, mail: "-" })),
        OWN_VIEWS,
      );
      // Its requests overtake one another.
      assertEquals(site.plausibleViews().toSorted(), PLAUSIBLE_VIEWS.toSorted());
      assertEquals([...views.values()].map((url) => new URL(url).pathname), DATADOG_VIEWS);
      assertEquals(datadog.filter(isSeen).length, requests, "Datadog's fetch saw another number of requests");
      assertEquals(complaints, []);
    });
  } finally {
    await Promise.all([site.close(), ingest.close()]);
  }
}

Deno.test("other scripts that wrap history and fetch count as without ours, and ours as without them", async (t) => {
  const application = await prepareApplication("other_scripts");
  await t.step("Plausible before, Datadog after", () => countWith(application, ["plausible", "sdk", "datadog"]));
  await t.step("Datadog before, Plausible after", () => countWith(application, ["datadog", "sdk", "plausible"]));
});
