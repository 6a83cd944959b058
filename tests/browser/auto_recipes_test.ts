/**
 * The recipes of docs/auto.md, as they are printed.
 *
 * @module
 */
import { assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { runProcess } from "../../scripts/support/process.ts";
import { createBrowserTest, flush, type Stage } from "./harness.ts";
import { readExample } from "./read_example.ts";

const browserTest = createBrowserTest();

const JAVASCRIPT = { headers: { "Content-Type": "text/javascript" } };

/** Bundles the library, in the version that the guide's check takes. */
async function bundleWebVitals(): Promise<string> {
  const path = await Deno.makeTempFile({ suffix: ".js" });
  try {
    const args = ["bundle", "--quiet", "--no-lock", "--platform", "browser", "--output", path, "npm:web-vitals@6.2.3"];
    const { code, output } = await runProcess(Deno.execPath(), { args, isQuiet: true });
    if (code !== 0) throw new Error(`web-vitals can't be bundled:\n${output}`);
    return await Deno.readTextFile(path);
  } finally {
    await Deno.remove(path);
  }
}

/** Opens a page that starts the SDK and then runs the recipe of a heading. */
async function openRecipe({ site, ingest, init, open }: Stage, heading: string): Promise<Page> {
  const code = readExample("docs/auto.md", { after: `### ${heading}`, endpoint: ingest.endpoint })
    .replace('"web-vitals"', '"/web-vitals.mjs"');
  const start = `import { Vendor } from "/sdk.mjs";\nglobalThis.Vendor = Vendor;\n${init({ flushInterval: 60_000 })}`;
  site.handle("/start.js", () => new Response(start, JAVASCRIPT));
  site.handle("/recipe.js", () => new Response(`${code}\ndocument.title = "Ready";`, JAVASCRIPT));
  site.serve("/", {
    scripts: [],
    body: `<h1>Teas</h1><button>Sencha</button><script type="module" src="/start.js"></script>
      <script type="module" src="/recipe.js"></script>`,
  });
  const page = await open("/");
  await page.waitForFunction(() => document.title === "Ready");
  return page;
}

/** Waits until the browser has an entry of a kind, which the library has seen before. */
async function untilMeasured(page: Page, type: string): Promise<void> {
  await page.evaluate(
    (type) =>
      new Promise((resolve) => new PerformanceObserver(resolve).observe({ type, buffered: true })).then(() => {}),
    type,
  );
}

/** Returns name and properties of what arrived. */
function storedOf({ ingest }: Stage): readonly unknown[] {
  return ingest.stored.map(({ name, properties }) => [name, properties]);
}

browserTest("docs/auto.md: a page that isn't there, and a variant, are recorded", async (stage) => {
  await flush(await openRecipe(stage, "Pages that aren't there"));
  await flush(await openRecipe(stage, "Flags and variants"));

  assertEquals(storedOf(stage), [
    ["page_not_found", undefined],
    ["experiment_seen", { experiment: "checkout_form", variant: "short" }],
  ]);
});

browserTest("docs/auto.md: an error is recorded by its kind, and nothing of its message", async (stage) => {
  const page = await openRecipe(stage, "Errors");
  await page.evaluate(() => {
    dispatchEvent(new ErrorEvent("error", { error: new RangeError("ada@shop.example") }));
    dispatchEvent(new ErrorEvent("error")); // of a script from elsewhere
  });
  await flush(page);

  assertEquals(storedOf(stage), [["script_error", { kind: "RangeError" }], ["script_error", { kind: "unknown" }]]);
});

browserTest("docs/auto.md: how long a search took is recorded in milliseconds", async (stage) => {
  stage.site.handle("/search", async () => {
    await new Promise((resolve) => setTimeout(resolve, 100));
    return new Response("tea");
  });
  const page = await openRecipe(stage, "Timing");
  await page.evaluate(async (recipe) => (await import(recipe)).search(), "/recipe.js");
  await flush(page);

  assertMatch(JSON.stringify(storedOf(stage)), /^\[\["search_done",\{"tookMs":[1-9]\d{2,3}\}\]\]$/);
});

browserTest("docs/auto.md: web vitals leave with the page", async (stage) => {
  const library = await bundleWebVitals();
  stage.site.handle("/web-vitals.mjs", () => new Response(library, JAVASCRIPT));
  stage.otherSite.serve("/away", { scripts: [] });
  // The library reads an interaction once the page is idle, up to a second later, and forgets it where the page is hidden
  // before. Without the function, as in Safari, it reads it in the next task.
  await stage.context.addInitScript(() => Reflect.deleteProperty(globalThis, "requestIdleCallback"));
  const page = await openRecipe(stage, "Web vitals");
  await page.bringToFront();
  await untilMeasured(page, "largest-contentful-paint");
  await page.click("button");
  await untilMeasured(page, "first-input");
  await page.evaluate(() => new Promise((resolve) => setTimeout(resolve)));
  await page.goto(`${stage.otherSite.origin}/away`);
  const stored = await stage.ingest.untilStored(3);

  const metrics = stored.map(({ name, properties }) => [name, typeof properties?.value]);
  assertEquals(metrics.toSorted(), ["CLS", "INP", "LCP"].map((metric) => [`web_vital_${metric}`, "number"]));
});
