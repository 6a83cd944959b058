import { assertEquals } from "@std/assert";
import { createBrowserTest, flush, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { KEY } from "./ingest_server.ts";
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

/** Makes the page one of an engine where history has to be wrapped. */
const NO_NAVIGATION_API = "delete window.navigation;";

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
    }, 350) // what follows sooner is a redirect
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

browserTest("close() leaves an inert wrapper where another library wrapped history later", async (stage) => {
  stage.site.serve("/a", { before: NO_NAVIGATION_API, scripts: ["/client.js"] });
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

/** Pages that no wrapper of `pushState` hears, or where the Navigation API can't be heard. */
const PAGES: readonly (readonly [what: string, before: string])[] = [
  ["a router that bound pushState before", "window.push = history.pushState.bind(history);"],
  [
    "a script that puts back the pushState that it saved",
    `
    const saved = history.pushState;
    addEventListener("load", () => history.pushState = saved);
  `,
  ],
  ["the Navigation API alone", "window.push = (_, __, url) => navigation.navigate(url);"],
  [
    "links that are intercepted",
    `
    navigation.addEventListener("navigate", (event) => event.intercept({}));
    window.push = (_, __, url) => Object.assign(document.createElement("a"), { href: url }).click();
  `,
  ],
  ["no Navigation API", "delete window.navigation;"],
  ["something else under the name of the Navigation API", "var navigation = {};"],
  ["an entry of something else under that name", "var navigation = { currentEntry: {} };"],
  ["an element of that name", `delete window.navigation; document.write("<nav id=navigation></nav>");`],
];

for (const [what, before] of PAGES) {
  browserTest(`views are recorded once each with ${what}`, async (stage) => {
    serve(stage, { before: `navigation.addEventListener("navigate", (event) => event.intercept({}));${before}` });
    const page = await stage.open("/a");
    await page.evaluate(async () => {
      const push = Reflect.get(globalThis, "push") ?? history.pushState.bind(history);
      push(null, "", "/b");
      await new Promise((resolve) => setTimeout(resolve, 350));
      history.replaceState(null, "", "/c");
      await new Promise((resolve) => setTimeout(resolve, 50));
      history.back();
      await new Promise((resolve) => setTimeout(resolve, 100));
    });
    await flush(page);

    assertEquals(await readViews(stage, 4), [...VIEWS, "full $pageview site:/a from site:/c"]);
  });
}

browserTest("history stays as it is where the Navigation API can be heard", async (stage) => {
  serve(stage, {});
  const page = await stage.open("/a");

  assertEquals(await page.evaluate(() => [Object.keys(history), `${history.pushState}`.includes("[native code]")]), [
    [],
    true,
  ]);
});

browserTest("views are recorded in a sandboxed frame, where the Navigation API is silent", async (stage) => {
  stage.site.serve("/", { scripts: [], body: `<iframe sandbox="allow-scripts" src="/a"></iframe>` });
  serve(stage, {
    after: script(() => {
      setTimeout(() => {
        history.pushState(null, "", "/b");
        Vendor.flush();
      }, 100);
    }),
  });
  await stage.open("/");

  assertEquals(await readViews(stage, 2), ["full $pageview site:/a from site:/", VIEWS[1]]);
});
