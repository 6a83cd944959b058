import { assertEquals } from "@std/assert";
import { createBrowserTest, type Stage } from "./harness.ts";
import { script } from "./html.ts";

const browserTest = createBrowserTest();

const stepNames = ({ ingest }: Stage): string[] => ingest.stored.map(({ name }) => name);

browserTest("objects of the page throw nothing, and the next event arrives", async (stage) => {
  const frame = `<iframe src="${stage.otherSite.origin}/frame"></iframe><form id="form"><input name="toJSON"></form>`;
  stage.otherSite.serve("/frame", { scripts: [] });
  stage.site.serve("/", { after: stage.init({ maxBatchSize: 100 }), body: frame });
  const page = await stage.open("/");

  const labels = await page.evaluate(() => {
    const revoked = Proxy.revocable({}, {});
    revoked.revoke();
    const foreignWindow = document.querySelector("iframe")?.contentWindow;
    const values: Readonly<Record<string, unknown>> = {
      window,
      document,
      foreignWindow,
      foreignLocation: { get: () => foreignWindow?.location }.get(),
      body: document.body,
      clobberedForm: document.querySelector("form"),
      text: document.createTextNode("text"),
      nodeList: document.querySelectorAll("*"),
      attributes: document.body.attributes,
      style: document.body.style,
      computedStyle: getComputedStyle(document.body),
      event: new MouseEvent("click", { view: window }),
      error: new DOMException("message", "AbortError"),
      location,
      history,
      navigator,
      localStorage,
      performance,
      fetch,
      customElements,
      request: new Request("/", { method: "POST", body: "x" }),
      response: new Response("body"),
      headers: new Headers({ a: "b" }),
      formData: new FormData(),
      url: new URL(location.href),
      blob: new Blob(["x"]),
      file: new File(["x"], "x.txt"),
      stream: new ReadableStream(),
      promise: Promise.resolve(1),
      weakMap: new WeakMap(),
      largeBuffer: new Uint8Array(100_000),
      buffer: new ArrayBuffer(8),
      dataView: new DataView(new ArrayBuffer(8)),
      abortSignal: new AbortController().signal,
      observer: new MutationObserver(() => {}),
      canvas: document.createElement("canvas").getContext("2d"),
      revoked: revoked.proxy,
      symbol: Symbol("s"),
      generator: (function* () {})(),
      date: new Date(NaN),
      regExp: /x/g,
      crypto,
      intl: new Intl.NumberFormat(),
    };
    for (const [label, value] of Object.entries(values)) {
      Vendor.step(label, { value });
      Vendor.step(`${label} itself`, value as object);
      Vendor.identify("u-1", value as object);
      Vendor.identify("u-1", { value });
    }
    Vendor.identify("u-2", { plan: "pro" });
    Vendor.step("next", { isFine: true });
    return Object.keys(values);
  });

  await page.evaluate(() => Vendor.flush());
  const next = stage.ingest.stored.find(({ name }) => name === "next");
  const kept = new Set(stepNames(stage));
  assertEquals(next?.properties, { isFine: true });
  assertEquals(next?.identity?.traits, { plan: "pro" });
  assertEquals(labels.filter((label) => !kept.has(label)), []);
  assertEquals(stage.ingest.refused, []);
});

browserTest("nodes and windows are left out of properties, and null in an array", async (stage) => {
  stage.site.serve("/", { after: stage.init(), body: `<iframe src="about:blank"></iframe>` });
  const page = await stage.open("/");

  await page.evaluate(() => {
    const { body } = document;
    const frame = document.querySelector("iframe")?.contentWindow;
    const inFrame = frame?.document.body;
    Vendor.step("left out", { body, window, frame, inFrame, list: [body, window, 1], open, label: "kept" });
  });

  const [event] = await stage.ingest.untilStored(1);
  assertEquals(event?.properties, { list: [null, null, 1], label: "kept" });
});

browserTest("handlers that pass an event on, and names that are none, throw nothing", async (stage) => {
  stage.site.serve("/", { after: stage.init(), body: `<button>Buy</button>` });
  const page = await stage.open("/");

  await page.evaluate(() => {
    const button = document.querySelector("button");
    button?.addEventListener("click", Vendor.step as unknown as EventListener);
    button?.addEventListener("click", Vendor.identify as unknown as EventListener);
    button?.addEventListener("click", Vendor.setConsent as unknown as EventListener);
    button?.addEventListener("click", (event) => Vendor.step("Bought", event));
  });
  await page.click("button");

  const [event] = await stage.ingest.untilStored(1);
  assertEquals(event?.name, "Bought");
  assertEquals(event?.properties?.isTrusted, true);
  assertEquals(stage.messages, [
    "[Vendor] step() ignored: name must be 1-100 characters",
    "[Vendor] identify() ignored: userId must be 1-1000 characters",
    '[Vendor] setConsent() ignored: consent must be "pending", "granted", or "denied"',
  ]);
});

browserTest("elements that clobber the document's title and referrer cost no event", async (stage) => {
  stage.site.serve("/", {
    body: `<img name="title"><form name="referrer"></form>`,
  });
  const page = await stage.open("/");

  await page.evaluate(stage.init({ trackPageviews: true }));
  await page.evaluate(() => Vendor.step("clobbered"));

  const events = await stage.ingest.untilStored(2);
  assertEquals(events.map(({ context }) => [context?.pageTitle, context?.referrer]), [
    [undefined, undefined],
    [undefined, undefined],
  ]);
  assertEquals(stage.ingest.refused, []);
});

browserTest("a page whose libraries extend the prototypes sends what any other does", async (stage) => {
  const extend = script(() => {
    for (const { prototype } of [Array, String, Number, Date] as readonly { readonly prototype: object }[]) {
      Object.defineProperty(prototype, "toJSON", { value: () => '"extended"', configurable: true });
      Object.assign(prototype, { extension: () => "extended" });
    }
  });
  const track = script(() => {
    Vendor.identify("u-1", { plan: "pro" });
    Vendor.step("extended", { text: "text", amount: 1 });
  });
  stage.site.serve("/", { before: extend, after: stage.init({ trackPageviews: true }) + track });

  await stage.open("/");

  const [view, step] = await stage.ingest.untilStored(2);
  assertEquals([view?.name, step?.name], ["$pageview", "extended"]);
  assertEquals(step?.identity?.userId, "u-1");
  assertEquals(step?.properties, { text: "text", amount: 1 });
  assertEquals(stage.ingest.refused, []);
});
