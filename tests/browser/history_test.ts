import { assertEquals } from "@std/assert";
import { createBrowserTest, flush, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { KEY, OTHER_KEY } from "./ingest_server.ts";
import { readViews } from "./views.ts";

const browserTest = createBrowserTest();

/** Wraps history as other libraries do, and notes what passes through. */
const WRAP_HISTORY = script(() => {
  const seen: string[] = [];
  Object.assign(globalThis, { seen });
  for (const name of ["pushState", "replaceState"] as const) {
    const original = history[name];
    history[name] = function (...args: Parameters<History["pushState"]>) {
      seen.push(`${name} ${args[2]}`);
      return original.apply(this, args);
    };
  }
});

const serve = (stage: Stage, parts: { readonly before?: string; readonly after?: string }): void =>
  stage.site.serve("/a", {
    ...parts,
    after: stage.init({ trackPageviews: true }) + (parts.after ?? ""),
  });

/** Pushes and replaces, and returns what another library's wrapper noted. */
const navigate = (): Promise<unknown> => {
  history.pushState({ id: 1 }, "", "/b");
  return new Promise((resolve) =>
    setTimeout(() => {
      history.replaceState({ id: 2 }, "", "/c");
      resolve({ seen: Reflect.get(globalThis, "seen"), state: history.state, path: location.pathname });
    }, 40)
  );
};

const NAVIGATED = { seen: ["pushState /b", "replaceState /c"], state: { id: 2 }, path: "/c" };

const VIEWS = [
  "full $pageview site:/a",
  "full $pageview site:/b from site:/a",
  "full $pageview site:/c from site:/b",
];

browserTest("a library that wrapped history before the SDK still sees each call", async (stage) => {
  serve(stage, { before: WRAP_HISTORY });
  const page = await stage.open("/a");

  assertEquals(await page.evaluate(navigate), NAVIGATED);

  assertEquals(await readViews(stage, 3), VIEWS);
});

browserTest("a library that wraps history after the SDK leaves each view recorded once", async (stage) => {
  serve(stage, { after: WRAP_HISTORY });
  const page = await stage.open("/a");

  assertEquals(await page.evaluate(navigate), NAVIGATED);
  await flush(page);

  assertEquals(await readViews(stage, 3), VIEWS);
});

browserTest("a second init with the same key records no view again, and each later one once", async (stage) => {
  serve(stage, { after: stage.init({ trackPageviews: true }) });
  const page = await stage.open("/a");
  await stage.ingest.untilStored(1);

  await page.evaluate(stage.init({ trackPageviews: true }));
  await page.evaluate(navigate);
  await page.evaluate(stage.init({ trackPageviews: true }));
  await flush(page);

  assertEquals(await readViews(stage, 3), VIEWS);
});

browserTest("a second init with another key records the view for that one", async (stage) => {
  serve(stage, {});
  const page = await stage.open("/a");
  await stage.ingest.untilStored(1);

  await page.evaluate(stage.init({ trackPageviews: true, apiKey: OTHER_KEY }));

  assertEquals(await readViews(stage, 2), ["full $pageview site:/a", "full $pageview site:/a"]);
  // What the first one still awaited an answer to is sent once more.
  assertEquals(new Set(stage.ingest.requests.map(({ headers }) => headers["x-api-key"])), new Set([KEY, OTHER_KEY]));
});

browserTest("a second init without pageviews leaves history as it was before the first", async (stage) => {
  serve(stage, {
    before: script(() => Object.assign(globalThis, { before: [history.pushState, history.replaceState] })),
  });
  const page = await stage.open("/a");
  await stage.ingest.untilStored(1);

  await page.evaluate(stage.init());
  const isRestored = await page.evaluate(() => {
    const [pushState, replaceState] = Reflect.get(globalThis, "before");
    return history.pushState === pushState && history.replaceState === replaceState &&
      !Object.hasOwn(history, "pushState") && !Object.hasOwn(history, "replaceState");
  });
  await page.evaluate(navigate);
  await flush(page);

  assertEquals(isRestored, true);
  assertEquals(await readViews(stage, 1), ["full $pageview site:/a"]);
});

browserTest("an init that throws leaves the running instance as it was", async (stage) => {
  serve(stage, {});
  const page = await stage.open("/a");

  const message = await page.evaluate(() => {
    try {
      Vendor.init({ apiKey: "" });
    } catch (error) {
      return String(error);
    }
  });
  await page.evaluate(navigate);

  assertEquals(message, "Error: Missing required configuration");
  assertEquals(await readViews(stage, 3), VIEWS);
});

browserTest("close() leaves history as another library had wrapped it", async (stage) => {
  stage.site.serve("/a", { before: WRAP_HISTORY, scripts: ["/client.js"] });
  const page = await stage.open("/a");

  const isRestored = await page.evaluate(async (config) => {
    const { pushState } = history;
    const client = VendorClient.createClient(config);
    const isWrapped = history.pushState !== pushState;
    await client.flush();
    client.close();
    return isWrapped && history.pushState === pushState;
  }, { apiKey: KEY, endpoint: stage.ingest.endpoint, trackPageviews: true });
  assertEquals(await page.evaluate(navigate), NAVIGATED);
  await page.goto("about:blank"); // whatever waits leaves with the page
  await quiet();

  assertEquals(isRestored, true);
  assertEquals(await readViews(stage, 1), ["full $pageview site:/a"]);
});

browserTest("close() leaves an inert wrapper where another library wrapped history later", async (stage) => {
  stage.site.serve("/a", { scripts: ["/client.js"] });
  const page = await stage.open("/a");

  await page.evaluate((config) => {
    Object.assign(globalThis, { client: VendorClient.createClient(config) });
  }, { apiKey: KEY, endpoint: stage.ingest.endpoint, trackPageviews: true, flushInterval: 20 });
  await page.evaluate(WRAP_HISTORY);
  const isTheirs = await page.evaluate(() => {
    const { pushState } = history;
    Reflect.get(globalThis, "client").close();
    return history.pushState === pushState;
  });
  assertEquals(await page.evaluate(navigate), NAVIGATED);
  await page.goto("about:blank"); // whatever waits leaves with the page
  await quiet();

  assertEquals(isTheirs, true);
  assertEquals(await readViews(stage, 1), ["full $pageview site:/a"]);
});
