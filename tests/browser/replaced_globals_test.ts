import { assertEquals, assertMatch } from "@std/assert";
import { UUID_V4 } from "../support/visit.ts";
import { createBrowserTest, quiet } from "./harness.ts";
import { script } from "./html.ts";
import { buildAnswer } from "./ingest_server.ts";

const browserTest = createBrowserTest();

/** What Prototype and MooTools, which many old pages load, make of the language. */
const OLD_LIBRARIES = script(() => {
  const copy = (list: ArrayLike<unknown>): unknown[] => Array.prototype.slice.call(list);
  Object.assign(Array, { from: copy });
  Reflect.deleteProperty(Array.prototype, "entries");
  Object.assign(Array.prototype, {
    toJSON(this: unknown[]) {
      return `[${this.map((item) => JSON.stringify(item)).join(", ")}]`;
    },
  });
  Object.defineProperty(crypto, "randomUUID", { value: undefined }); // as on plain http
});

/** How long what a page sent last may take to arrive before another page adopts it, and a little more. */
const EXIT_LEASE_MS = 2200;

browserTest("old libraries on a page change no ID, end no session and cost no event", async (stage) => {
  stage.site.serve("/", { before: OLD_LIBRARIES, after: stage.init() });
  stage.ingest.respondWith(() => buildAnswer(503));
  const first = await stage.open("/");
  await first.evaluate(() => {
    Vendor.step("of the first visit", { list: [1, "x"] });
    return Vendor.flush();
  });
  await first.close();
  await new Promise((resolve) => setTimeout(resolve, EXIT_LEASE_MS));
  stage.ingest.respondWith(() => undefined);

  const second = await stage.open("/");
  await second.evaluate(() => Vendor.step("of the second visit"));

  const events = await stage.ingest.untilStored(2);
  assertEquals(events.map(({ name }) => name).sort(), ["of the first visit", "of the second visit"]);
  assertEquals(new Set(events.map(({ sessionId }) => sessionId)).size, 1);
  assertEquals(new Set(events.map(({ identity }) => identity?.anonymousId)).size, 1);
  for (const { id, sessionId, identity } of events) {
    for (const uuid of [id, sessionId, identity?.anonymousId]) assertMatch(`${uuid}`, UUID_V4);
  }
  assertEquals(stage.ingest.refused, []);
});

for (const screen of ["null", `{ width: NaN, height: {} }`, `{ width: "1280px", height: "720px" }`]) {
  browserTest(`a global screen that is ${screen} costs no event, and throws nothing into history`, async (stage) => {
    stage.site.serve("/", { before: `var screen = ${screen};`, after: stage.init({ trackPageviews: true }) });
    const page = await stage.open("/");

    await page.evaluate(() => {
      Vendor.step("shown");
      history.pushState(null, "", "?next");
      return Vendor.flush();
    });
    await quiet();

    assertEquals(stage.ingest.refused, []);
    assertEquals(
      stage.ingest.stored.map(({ name, context }) => [name, context?.screenWidth, context?.screenHeight]),
      [["$pageview", undefined, undefined], ["shown", undefined, undefined], ["$pageview", undefined, undefined]],
    );
  });
}

/** What pages have under names that the SDK could need, and whether events still arrive. */
const OWN_GLOBALS: readonly (readonly [global: string, arrives: boolean])[] = [
  ["var performance = { score: 93 };", true],
  ['var URL = "https://shop.example/teas";', true],
  ["var URL = class { constructor(name) { this.name = name; } };", true],
  ["let URL = {};", true],
  ["var Map = { zoom: 3 };", true],
  ["var Set = [1, 2];", true],
  ["var TextEncoder = undefined;", true],
  ["Date.parse = () => null;", true],
  ["Array.prototype.reduce = function () { return this; };", true],
  ["Object.prototype.endpoint = 'https://elsewhere.example/';", true],
  ["document.write('<form name=title></form><img name=referrer><img name=prerendering>');", true],
  ["var console = null;", true],
  ["window.setTimeout = undefined;", false],
  ["window.addEventListener = () => { throw new Error('mine'); };", false],
];

/** What came to engines after the oldest browsers of docs/reference.md, and what the SDK takes only where it's there. */
const NEWER_BUILT_INS: readonly string[] = [
  "Array.fromAsync",
  "Array.prototype.at",
  "Array.prototype.findLast",
  "Array.prototype.findLastIndex",
  "Array.prototype.toReversed",
  "Array.prototype.toSorted",
  "Array.prototype.toSpliced",
  "Array.prototype.with",
  "BroadcastChannel",
  "CompressionStream",
  "Crypto.prototype.randomUUID",
  "Element.prototype.replaceChildren",
  "FinalizationRegistry",
  "Iterator",
  "Map.groupBy",
  "Navigation",
  "Object.groupBy",
  "Object.hasOwn",
  "Promise.try",
  "Promise.withResolvers",
  "RegExp.escape",
  "ReportingObserver",
  "Response.json",
  "Set.prototype.union",
  "String.prototype.at",
  "String.prototype.isWellFormed",
  "String.prototype.toWellFormed",
  "TextEncoder",
  "TextDecoder",
  "URL.canParse",
  "URL.parse",
  "WeakRef",
  "cookieStore",
  "navigation",
  "queueMicrotask",
  "requestIdleCallback",
  "scheduler",
  "structuredClone",
];

/** Takes built-ins away from a page, whichever of them its browser has. */
const WITHOUT_NEWER = script((names: readonly string[]) => {
  const iterator = Object.getPrototypeOf(Object.getPrototypeOf([][Symbol.iterator]()));
  for (const name of Object.getOwnPropertyNames(iterator)) if (name !== "constructor") delete iterator[name];
  for (const name of names) {
    const parts = name.split(".");
    const last = `${parts.pop()}`;
    const owner = parts.reduce((value: object | undefined, part) => value && Reflect.get(value, part), globalThis);
    if (!owner) continue;
    Reflect.deleteProperty(owner, last);
    if (Reflect.get(owner, last)) Object.defineProperty(owner, last, { value: undefined });
    if (Reflect.get(owner, last)) console.warn(`[Vendor] ${name} is still there`); // the test looks for these
  }
}, NEWER_BUILT_INS);

/** Calls in a script of the page's own: what drives the page needs the globals itself. */
const CALLS = script(() => {
  Vendor.step("größer", { list: [1] });
  history.pushState(null, "", "?next");
  Vendor.flush();
});

const PAGES: readonly (readonly [what: string, script: string, arrives: boolean])[] = [
  ...OWN_GLOBALS.map(([global, arrives]) => [global, global, arrives] as const),
  ["the built-ins of an engine of 2020", WITHOUT_NEWER, true],
];

for (const [what, before, arrives] of PAGES) {
  browserTest(
    `init() throws nothing beside ${what}, and ${arrives ? "events arrive" : "does nothing"}`,
    async (stage) => {
      const init = stage.init({ trackPageviews: true });
      stage.site.serve("/", { before, after: `${init};${CALLS}` });
      await stage.open("/");
      await (arrives ? stage.ingest.untilStored(3) : quiet());

      assertEquals(stage.ingest.refused, []);
      assertEquals(
        stage.ingest.stored.map(({ name, timestamp }) => [name, /^[\d-]+T[\d:]+(\.\d+)?Z$/.test(timestamp)]),
        arrives ? ["$pageview", "größer", "$pageview"].map((name) => [name, true]) : [],
      );
      assertEquals(stage.messages.length, arrives ? 0 : 1, stage.messages.join());
    },
  );
}
