import { assertEquals } from "@std/assert";
import { createBrowserTest, flush, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { readSdkKeys } from "./storage_keys.ts";

const browserTest = createBrowserTest(["Chromium", "Firefox"]);

/** What a service worker may answer in place of a request that failed. */
const MADE_UP = {
  "a text of its own": "new Response('Offline')",
  "a page of the site": "caches.match('/offline')",
};

/** Opens a page that a service worker controls, which makes answers up where the network fails. */
async function openControlled(stage: Stage, answer: string): ReturnType<Stage["open"]> {
  const worker = `
    addEventListener("install", (event) => {
      skipWaiting();
      event.waitUntil(caches.open("site").then((cache) => cache.add("/offline")));
    });
    addEventListener("activate", (event) => event.waitUntil(clients.claim()));
    addEventListener("fetch", (event) => event.respondWith(fetch(event.request).catch(() => ${answer})));`;
  stage.site.handle("/worker.js", () => new Response(worker, { headers: { "Content-Type": "text/javascript" } }));
  stage.site.serve("/offline", { scripts: [] });
  stage.site.serve("/register", {
    scripts: [],
    after: script(() => void navigator.serviceWorker.register("/worker.js")),
  });
  stage.site.serve("/", { after: stage.init({ maxBatchSize: 1 }) });
  const page = await stage.open("/register");
  await page.waitForFunction(() => !!navigator.serviceWorker.controller);
  await page.goto(`${stage.site.origin}/`);
  return page;
}

for (const [what, answer] of Object.entries(MADE_UP)) {
  browserTest(`${what} that a service worker makes up is no acknowledgement`, async (stage) => {
    const { ingest } = stage;
    ingest.respondWith(() => ingest.requests.length > 1 ? undefined : "reset");
    const page = await openControlled(stage, answer);

    await page.evaluate(() => Vendor.step("kept"));

    assertEquals((await ingest.untilStored(1)).map(({ name }) => name), ["kept"]);
    assertEquals(new Set(ingest.requests.map(({ body }) => body.batchId)).size, 1);
  });
}

browserTest("a firewall's 403 costs the batch that it refuses: not the page, and not a later load", async (stage) => {
  const { ingest } = stage;
  ingest.respondWith(({ text }) =>
    text.includes("union select")
      ? new Response("<h1>Forbidden</h1>", { status: 403, headers: { "Access-Control-Allow-Origin": "*" } })
      : undefined
  );
  const page = await openControlled(stage, "Response.error()");
  await page.evaluate(() => Vendor.step("search", { q: "1' union select" }));
  await ingest.untilRequested(1);
  await quiet();

  await page.evaluate(() => Vendor.step("same page"));
  await ingest.untilStored(1);
  await flush(page);
  const keys = await readSdkKeys(page);
  await page.reload();
  await page.evaluate(() => Vendor.step("later load"));
  await ingest.untilStored(2);
  await flush(page);

  assertEquals(ingest.stored.map(({ name }) => name), ["same page", "later load"]);
  assertEquals([ingest.requests.length, keys.filter((key) => key.includes("outbox"))], [3, []]);
});
