import { assertEquals } from "@std/assert";
import { createBrowserTest, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { openLoading, serveLoader } from "./loader_page.ts";
import { readViews } from "./views.ts";

const browserTest = createBrowserTest();

const NONCE = "c3RhdGljLW5vbmNl";
const QUEUE_ONE = script(() => Vendor.step("queued"));

/** Expects a page without the SDK to go on as if it were there: no exception, no wait, nothing kept. */
async function expectLost(stage: Stage): Promise<void> {
  const page = await openLoading(stage, "/");
  const state = await page.evaluate(async () => {
    await Vendor.flush();
    Vendor.step("later");
    Vendor.setConsent("denied");
    return { queue: Reflect.get(Vendor, "queue"), consent: Vendor.getConsent() };
  });
  await quiet();

  assertEquals(state, { queue: [], consent: "denied" });
  assertEquals(stage.ingest.requests.length + stage.ingest.preflights.length, 0);
}

browserTest("a file that isn't there leaves the page alone", async (stage) => {
  serveLoader(stage, "/", { after: stage.init() + QUEUE_ONE, src: "/missing.js" });
  await expectLost(stage);
});

browserTest("a file that was changed on the way isn't run", async (stage) => {
  const integrity = `sha384-${"A".repeat(64)}`;
  const arrive = serveLoader(stage, "/", { after: stage.init() + QUEUE_ONE, integrity });
  arrive();
  await expectLost(stage);
});

browserTest("a file that a policy blocks leaves the page alone", async (stage) => {
  const headers = { "Content-Security-Policy": "script-src 'unsafe-inline'" };
  const arrive = serveLoader(stage, "/", { after: stage.init() + QUEUE_ONE, headers });
  arrive();
  await expectLost(stage);
});

browserTest("the loader needs a nonce and nothing else of a strict policy", async (stage) => {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${NONCE}'`,
    `connect-src ${new URL(stage.ingest.endpoint).origin}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "img-src data:", // the page's own icon
  ].join("; ");
  const before = script(() => {
    const violations: string[] = [];
    Object.assign(globalThis, { violations });
    addEventListener("securitypolicyviolation", ({ violatedDirective }) => void violations.push(violatedDirective));
  });
  const arrive = serveLoader(stage, "/", {
    before,
    after: stage.init({ trackPageviews: true }) + QUEUE_ONE,
    nonce: NONCE,
    headers: { "Content-Security-Policy": policy },
  });
  const page = await openLoading(stage, "/");
  arrive();

  assertEquals(await readViews(stage, 2), ["full $pageview site:/", "full queued site:/"]);
  assertEquals(await page.evaluate(() => Reflect.get(globalThis, "violations")), []);
});

browserTest("tags that are in the page twice count once", async (stage) => {
  const arrive = serveLoader(stage, "/", { after: stage.init({ trackPageviews: true }) + QUEUE_ONE, times: 2 });
  const page = await openLoading(stage, "/");
  arrive();
  await page.waitForFunction(() => !Reflect.get(Vendor, "queue"));
  await page.waitForLoadState("load");
  await page.evaluate(() => Vendor.step("live"));
  await stage.ingest.untilStored(3);
  await quiet();

  assertEquals(stage.ingest.stored.map(({ name }) => name), ["$pageview", "queued", "live"]);
});

browserTest("an init() that throws in the queue is an error of the page, and the next one works", async (stage) => {
  const before = script(() => {
    const errors: string[] = [];
    Object.assign(globalThis, { errors });
    addEventListener("error", (event) => {
      errors.push(event.message);
      event.preventDefault();
    });
  });
  const after = script(() => Vendor.init({ apiKey: "" })) + stage.init() + QUEUE_ONE;
  const arrive = serveLoader(stage, "/", { before, after });
  const page = await openLoading(stage, "/");
  arrive();

  assertEquals(await readViews(stage, 1), ["full queued site:/"]);
  assertEquals(await page.evaluate(() => Reflect.get(globalThis, "errors")), [
    "Uncaught Error: Missing required configuration",
  ]);
});

browserTest("calls before init() are warned of, and nothing of them is kept", async (stage) => {
  const arrive = serveLoader(stage, "/", { after: QUEUE_ONE + stage.init() + script(() => Vendor.step("counted")) });
  await openLoading(stage, "/");
  arrive();

  assertEquals(await readViews(stage, 1), ["full counted site:/"]);
  await quiet(); // the browser hands messages over later
  assertEquals(stage.messages, ["[Vendor] step() ignored: call init() first"]);
});

/** What a page may have under the name `Vendor` before our tags. */
const NAMESAKES: Readonly<Record<string, string>> = {
  "an element": `<meta id="Vendor">`,
  "a form with fields of our names":
    `<form id="Vendor"><input name="init"><input name="setConsent"><input name="queue"><input name="done"></form>`,
  "two elements": `<a id="Vendor"></a><a id="Vendor" name="setConsent"></a>`,
  "an image": `<img name="Vendor" src="data:,">`,
  "a frame": `<iframe name="Vendor"></iframe>`,
  "a frame of another origin": `<iframe name="Vendor" sandbox srcdoc=""></iframe>`,
  "a function of the page's own": `<script>function Vendor() {} Vendor.init = () => {}; Vendor.queue = [];</script>`,
};

const engineTest = createBrowserTest(["Chromium", "Firefox"]);

for (const [what, html] of Object.entries(NAMESAKES)) {
  engineTest(`${what} named Vendor doesn't stand in the way of the tags`, async (stage) => {
    const arrive = serveLoader(stage, "/", { html, after: stage.init() + QUEUE_ONE });
    await openLoading(stage, "/");
    arrive();

    assertEquals(await readViews(stage, 1), ["full queued site:/"]);
  });

  engineTest(`${what} named Vendor doesn't stand in the way of the file alone`, async (stage) => {
    const arrive = serveLoader(stage, "/unused", {});
    arrive();
    const file = `<script src="/vendor.global.js"></script><script>${stage.init()}${QUEUE_ONE}</script>`;
    stage.site.serve("/", { scripts: [], body: html + file });
    await openLoading(stage, "/");

    assertEquals(await readViews(stage, 1), ["full queued site:/"]);
  });
}
