import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Page } from "playwright-core";
import { bundle } from "../../scripts/support/bundle.ts";
import type { auto } from "../../src/addons/auto/mod.ts";
import { createBrowserTest, flush, type Stage } from "./harness.ts";

declare global {
  /** What an application imports, in a page of this test. */
  var Auto: { readonly auto: typeof auto };
}

const browserTest = createBrowserTest(["Chromium", "Firefox"]);

/** The entry point. */
const MODULE = bundle({ entry: "src/addons/auto/mod.ts", format: "iife", minify: true, globalName: "Auto" });

const ALL = "Auto.auto(Vendor, { engagement: true, outbound: true, downloads: true, forms: true, clicks: true });";

/** Opens a page that records by itself. */
function open({ site, init, open }: Stage, body: string, config: Parameters<Stage["init"]>[0] = {}): Promise<Page> {
  site.serve("/", { title: "Teas", after: MODULE + ALL + init({ flushInterval: 60_000, ...config }), body });
  return open("/");
}

/** Returns name and properties of what arrived, but for pageviews and engagement. */
function clicksOf({ ingest }: Stage): readonly (readonly [string, unknown])[] {
  return ingest.stored.filter(({ name }) => !/^\$(pageview|engagement)$/.test(name)).map((event) => [
    event.name,
    event.properties,
  ]);
}

browserTest("a click on an outbound link arrives, though the page goes with it", async (stage) => {
  stage.otherSite.serve("/away", { scripts: [] });
  const { origin } = stage.otherSite;
  const page = await open(stage, `<a href="${origin}/away?token=1#x">away</a>`);
  await page.click("a");
  await page.waitForURL(`${origin}/away**`);
  await stage.ingest.untilStored(1);
  assertEquals(clicksOf(stage), [["$outbound", { url: `${origin}/away` }]]);
});

browserTest("keyboard, middle button, shadow DOM, SVG, forms and marked elements count", async (stage) => {
  const { origin } = stage.otherSite;
  stage.otherSite.serve("/away", { scripts: [] });
  const page = await open(
    stage,
    `<a id="plain" href="${origin}/away">away</a><svg><a href="${origin}/svg"><text id="svg" y="20">svg</text></a></svg>` +
      `<p id="host"></p><button data-vendor-step="signup" data-vendor-plan="pro">go</button>` +
      `<label data-vendor-step="agree"><span id="label">yes</span><input type="checkbox"></label>` +
      `<form id="search" action="/find?x=1"><input name="q" value="secret"><button id="send">find</button></form>`,
  );
  await page.evaluate((href) => {
    const root = document.querySelector("#host")?.attachShadow({ mode: "open" });
    if (root) root.innerHTML = `<a id="inner" href="${href}">inner</a>`;
    addEventListener("click", (event) => (event.target as Element).closest("#send") || event.preventDefault());
    addEventListener("submit", (event) => event.preventDefault());
  }, `${origin}/shadow`);
  await page.focus("#plain");
  await page.keyboard.press("Enter");
  await page.click("#svg");
  await page.click("#inner");
  await page.click("button[data-vendor-step]");
  await page.click("#send");
  await page.click("#plain", { button: "middle" });
  await page.bringToFront();
  await flush(page);
  assertEquals(clicksOf(stage), [
    ["$outbound", { url: `${origin}/away` }],
    ["$outbound", { url: `${origin}/svg` }],
    ["$outbound", { url: `${origin}/shadow` }],
    ["signup", { plan: "pro" }],
    ["$form", { form: "search", path: "/find" }],
    ["$outbound", { url: `${origin}/away` }],
  ]);
});

browserTest("a click on a marked label counts once", async (stage) => {
  const page = await open(stage, `<label data-vendor-step="agree"><span>yes</span><input type="checkbox"></label>`);
  await page.click("span");
  await flush(page);
  assertEquals(clicksOf(stage), [["agree", {}]]);
});

/** Elements whose click makes the page click once more, and what the visitor clicks on. */
const DOUBLE_CLICKS: Readonly<Record<string, string>> = {
  "a card that clicks its link": `<div id="card" data-vendor-step="opened">card <a href="#x">more</a></div>
    <script>card.onclick = (event) => event.target === card && card.querySelector("a").click();</script>`,
  "a card that clicks its link later": `<div id="card" data-vendor-step="opened">card <a href="#x">more</a></div>
    <script>card.onclick = (event) =>
      event.target === card && setTimeout(() => card.querySelector("a").click(), 50);</script>`,
  "a card that clicks a marked button": `<div id="card" data-vendor-step="opened">card</div>
    <button id="buy" data-vendor-step="bought">buy</button>
    <script>card.onclick = () => document.querySelector("#buy").click();</script>`,
  "a label in an open shadow tree": `<div id="card" data-vendor-step="opened"></div><script>
    card.attachShadow({ mode: "open" }).innerHTML = "<label>yes <input type=checkbox></label>";</script>`,
  "a label in a closed shadow tree": `<div id="card" data-vendor-step="opened"></div><script>
    card.attachShadow({ mode: "closed" }).innerHTML = "<label>yes <input type=checkbox></label>";</script>`,
  "a label that stands elsewhere": `<label id="card" for="box">yes</label>
    <input id="box" type="checkbox" data-vendor-step="opened">`,
};

for (const [what, body] of Object.entries(DOUBLE_CLICKS)) {
  browserTest(`a click on ${what} is one step, and the next one another`, async (stage) => {
    const page = await open(stage, body);
    await page.click("#card", { position: { x: 5, y: 8 } });
    await page.waitForTimeout(100);
    await page.click("#card", { position: { x: 5, y: 8 } });
    await page.waitForTimeout(100);
    await flush(page);
    assertEquals(clicksOf(stage), [["opened", {}], ["opened", {}]]);
  });
}

browserTest("a click that makes the page click several files counts each of them", async (stage) => {
  const page = await open(
    stage,
    `<button data-vendor-step="export">all</button><a href="/a.pdf" download></a><a href="/b.pdf" download></a>
      <script>document.querySelector("button").onclick = () => {
        for (const link of [...document.links, ...document.links]) link.click();
      }; addEventListener("click", (event) => event.preventDefault());</script>`,
  );
  await page.click("button");
  await flush(page);
  const { origin } = stage.site;
  assertEquals(clicksOf(stage), [
    ["export", {}],
    ["$download", { url: `${origin}/a.pdf` }],
    ["$download", { url: `${origin}/b.pdf` }],
  ]);
});

browserTest("a click in a label that clicks no control counts once", async (stage) => {
  const page = await open(
    stage,
    `<p data-vendor-step="terms"><label><input type="checkbox"> I read <a href="#terms">them</a></label></p>` +
      `<p data-vendor-step="off"><label><span>off</span><input type="checkbox" disabled></label></p>`,
  );
  await page.click("a");
  await page.click("span", { force: true }); // Playwright waits until its control is enabled
  await flush(page);
  assertEquals(clicksOf(stage), [["terms", {}], ["off", {}]]);
});

browserTest("nothing before granted, and nothing after a withdrawal", async (stage) => {
  const page = await open(stage, `<button data-vendor-step="signup">go</button>`, { consent: "pending" });
  await page.click("button");
  await page.evaluate(() => Vendor.setConsent("granted"));
  await flush(page);
  assertEquals(clicksOf(stage), []);
  await page.click("button");
  await flush(page);
  assertEquals(clicksOf(stage), [["signup", {}]]);
  await page.evaluate(() => Vendor.setConsent("denied"));
  await page.click("button");
  await page.evaluate(() => Vendor.setConsent("granted"));
  await flush(page);
  assertEquals(clicksOf(stage), [["signup", {}]]);
});

browserTest("engagement leaves with the page, and is of its pageview", async (stage) => {
  stage.otherSite.serve("/away", { scripts: [] });
  const page = await open(stage, `<div style="height: 5000px"></div>`, { trackPageviews: true });
  await page.bringToFront();
  await page.evaluate(() => scrollTo(0, document.documentElement.scrollHeight));
  await page.waitForTimeout(1300);
  await page.goto(`${stage.otherSite.origin}/away`);
  await stage.ingest.untilStored(2);
  const pageview = stage.ingest.stored.find(({ name }) => name === "$pageview");
  const engagement = stage.ingest.stored.find(({ name }) => name === "$engagement");
  assertEquals(engagement?.properties?.pageviewId, pageview?.id);
  assertEquals(engagement?.properties?.scrollPercent, 100);
  assertMatch(String(engagement?.properties?.engagedMs), /^[12]\d{3}$/);
});

browserTest("a form counts whose fields have the names of its properties", async (stage) => {
  const page = await open(
    stage,
    `<form id="order" action="/order" data-vendor-step="order" data-vendor-plan="pro"><input name="attributes">` +
      `<input name="action"><input name="id"><input name="baseURI"><input name="name"><button id="send">go</button></form>`,
  );
  await page.evaluate(() => addEventListener("submit", (event) => event.preventDefault()));

  await page.click("#send");
  await flush(page);

  assertEquals(clicksOf(stage), [["order", { plan: "pro" }], ["$form", { form: "order", path: "/order" }]]);
});

browserTest("time counts while the focus is in a frame", async (stage) => {
  stage.otherSite.serve("/frame", { scripts: [], body: "<input>" });
  stage.otherSite.serve("/away", { scripts: [] });
  const page = await open(stage, `<input id="own"><iframe src="${stage.otherSite.origin}/frame"></iframe>`, {
    trackPageviews: true,
  });
  await page.bringToFront();
  await page.click("#own");
  const sinceMs = await page.evaluate(() => performance.now());
  await page.frameLocator("iframe").locator("input").click();
  await page.waitForTimeout(3000);
  const lookedMs = await page.evaluate(() => performance.now()) - sinceMs;
  await page.goto(`${stage.otherSite.origin}/away`);
  await stage.ingest.untilStored(2);

  const engagement = stage.ingest.stored.find(({ name }) => name === "$engagement");
  const engagedMs = Number(engagement?.properties?.engagedMs);
  assert(engagedMs > 0.9 * lookedMs, `${engagedMs} of ${lookedMs}`);
});

for (
  const [what, body] of [
    ["in a part of it", `<main style="height: 100vh; overflow: auto"><p style="height: 5000px"></p></main>`],
    [
      "in its body",
      `<style>html { overflow: hidden; height: 100% } body { margin: 0; height: 100%; overflow: auto }</style>
        <p style="height: 5000px"></p>`,
    ],
    [
      "in a part that fills later",
      `<style>body { margin: 0 }</style><main style="height: 100vh; overflow: auto"></main><script>
        setTimeout(() => document.querySelector("main").innerHTML = "<p style='height: 5000px'></p>", 1100);</script>`,
    ],
  ] as const
) {
  browserTest(`a page that scrolls ${what} has no depth`, async (stage) => {
    stage.otherSite.serve("/away", { scripts: [] });
    const page = await open(stage, body, { trackPageviews: true });
    await page.bringToFront();
    await page.waitForTimeout(1500);
    await page.goto(`${stage.otherSite.origin}/away`);
    await stage.ingest.untilStored(2);

    const engagement = stage.ingest.stored.find(({ name }) => name === "$engagement");
    assertEquals([engagement?.name, engagement?.properties?.scrollPercent], ["$engagement", undefined]);
  });
}
