import axe from "axe-core";
import { assert, assertEquals, assertMatch } from "@std/assert";
import type { Locator, Page } from "playwright-core";
import { bundle } from "../../scripts/support/bundle.ts";
import { buildScript } from "../../scripts/package/global_script.ts";
import type { inspect } from "../../src/addons/inspector/mod.ts";
import { createBrowserTest, flush, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { buildAnswer } from "./ingest_server.ts";
import { readSdkKeys } from "./storage_keys.ts";

declare global {
  /** What an application imports, in a page of this test. */
  var Inspection: { readonly inspect: typeof inspect };
}

const browserTest = createBrowserTest();

/** What the bookmarklet loads. */
const INSPECTOR = buildScript("vendor.inspector.global.js").text;

/** The entry point. */
const MODULE = bundle({ entry: "src/addons/inspector/mod.ts", format: "iife", minify: true, globalName: "Inspection" });

const NONCE = "c3RhdGljLW5vbmNl";

/** Notes every violation of a policy. */
const NOTE_VIOLATIONS = script(() => {
  const violations: string[] = [];
  Object.assign(globalThis, { violations });
  addEventListener("securitypolicyviolation", ({ violatedDirective, sample }) => {
    violations.push(`${violatedDirective} ${sample}`);
  });
});

function row(page: Page, name: string): Locator {
  return page.locator("vendor-inspector li").filter({ has: page.getByText(name, { exact: true }) }).first();
}

function button(page: Page, name: string): Locator {
  return page.locator("vendor-inspector").getByRole("button", { name, exact: true });
}

/** Opens a page that has the inspector. */
async function open(stage: Stage, config: Parameters<Stage["init"]>[0] = {}): Promise<Page> {
  stage.site.serve("/", { title: "Teas", after: stage.init(config), body: `<h1>Teas</h1><input id="field">` });
  const page = await stage.open("/?sort=price");
  await page.evaluate(INSPECTOR);
  return page;
}

browserTest("it shows each event and what became of it, with what the ingest says", async (stage) => {
  const page = await open(stage, { consent: "pending" });

  await page.evaluate(() => {
    Vendor.step("too_early");
    Vendor.setConsent("granted");
    Vendor.identify("user-42");
    Vendor.step("signup", { plan: "pro" });
  });
  await row(page, "signup").getByText("delivered").waitFor();
  await row(page, 'step("too_early")').getByText("held back").waitFor();
  const message = "The key doesn't belong to this origin";
  stage.ingest.respondWith(() => {
    const { headers } = buildAnswer(400);
    return new Response(JSON.stringify({ error: { code: "origin", message } }), { status: 400, headers });
  });
  await page.evaluate(() => Vendor.step("refused"));
  await row(page, "refused").getByText(`400: ${message}`).waitFor();
  stage.ingest.respondWith(() => buildAnswer(503, { "Retry-After": "60" }));
  await page.evaluate(() => Vendor.step("late"));

  await row(page, "late").getByText("waiting").waitFor();
  const state = page.locator("vendor-inspector dl");
  await state.getByText(/^1, the next attempt is in \d\d s$/).waitFor();
  const [first] = stage.ingest.stored;
  const text = await state.innerText();
  for (const part of ["granted", "user-42", `${first?.identity?.anonymousId}`, `${first?.sessionId}`, "1 rejected"]) {
    assert(text.includes(part), `${part} isn't in ${text}`);
  }
  assertMatch(text, /vendor\.sdk\.visitor: the visitor/);
});

browserTest(
  "a click or the keyboard opens the JSON of an event; the filter and the buttons do what they say",
  async (stage) => {
    const page = await open(stage);
    await stage.context.grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.evaluate(() => {
      Vendor.step("signup", { plan: "<img src=x onerror=alert(1)>" });
      Vendor.step("checkout");
    });
    await row(page, "checkout").getByText("delivered").waitFor();

    await row(page, "signup").locator("summary").click();
    const json = row(page, "signup").locator("pre");
    const [event] = stage.ingest.requests[0]?.body.events ?? [];
    assertEquals(JSON.parse(await json.innerText()), event);
    await row(page, "signup").getByRole("button", { name: "Copy the JSON of signup" }).click();
    assertEquals(JSON.parse(await page.evaluate(() => navigator.clipboard.readText())), event);

    await page.locator("vendor-inspector input").fill("CHECK");
    assertEquals(await page.locator("vendor-inspector li:visible").count(), 1);
    await button(page, "Copy what is shown").click();
    const copied = JSON.parse(await page.evaluate(() => navigator.clipboard.readText()));
    assertEquals(copied.map(({ name, state }: Record<string, unknown>) => [name, state]), [["checkout", "delivered"]]);

    await page.keyboard.press("Shift+Tab"); // from the button back to the filter
    await page.locator("vendor-inspector input").fill("");
    await row(page, "checkout").locator("summary").focus();
    await page.keyboard.press("Enter");
    await row(page, "checkout").locator("pre").waitFor();
    await button(page, "Clear").click();
    assertEquals(await page.locator("vendor-inspector li").count(), 0);
  },
);

browserTest("it collapses, and closes by a key of its own", async (stage) => {
  const page = await open(stage);
  const host = page.locator("vendor-inspector");
  await button(page, "Collapse").click();
  assertEquals(await page.locator("vendor-inspector input").isVisible(), false);
  await button(page, "Expand").click();
  assertEquals(await page.locator("vendor-inspector input").isVisible(), true);
  await page.locator("#field").focus();
  await page.keyboard.press("Escape");
  assertEquals(await host.count(), 1, "a key of the page is none of the inspector");
  await page.locator("vendor-inspector input").fill("sign");
  await page.keyboard.press("Escape");
  assertEquals(await page.locator("vendor-inspector input").inputValue(), "");
  await page.keyboard.press("Escape");
  assertEquals(await host.count(), 0);
});

browserTest("the script closes the panel that it opened, and opens it again", async (stage) => {
  const page = await open(stage);
  const counts = [await page.locator("vendor-inspector").count()];

  for (let run = 0; run < 2; run++) {
    await page.evaluate(INSPECTOR);
    counts.push(await page.locator("vendor-inspector").count());
  }

  assertEquals(counts, [1, 0, 1]);
});

const LOOKS = [
  { viewport: { width: 390, height: 844 }, colorScheme: "dark" },
  { viewport: { width: 1280, height: 800 }, colorScheme: "light" },
  { viewport: { width: 320, height: 480 }, colorScheme: "light" },
] as const;

browserTest(
  "axe finds no fault, in dark and in light, on a phone and on a desk, and the page is no wider",
  async (stage) => {
    for (const { viewport, colorScheme } of LOOKS) {
      const page = await open(stage, { trackPageviews: true });
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      await page.evaluate(() => {
        Vendor.step("signup", { plan: "pro" });
        Vendor.step("");
      });
      await flush(page);
      await row(page, "signup").locator("summary").click();

      await page.evaluate(axe.source);
      const faults = await page.evaluate(async () => {
        const { violations } = await (globalThis as unknown as { axe: typeof axe }).axe.run({
          include: [["vendor-inspector"]],
        });
        return violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html.slice(0, 200)).join(" | ")}`);
      });
      assertEquals(faults, []);
      const box = await page.locator("vendor-inspector").boundingBox();
      assert(box && box.x >= 0 && box.x + box.width <= viewport.width && box.y >= 0);
      assertEquals(await page.evaluate(() => document.documentElement.scrollWidth - innerWidth), 0);
      await page.close();
    }
  },
);

browserTest("it reads from left to right in English, whatever the page's language", async (stage) => {
  stage.site.serve("/", { after: stage.init(), body: "<h1>Teas</h1>" });
  const page = await stage.open("/");
  await page.evaluate(() => Object.assign(document.documentElement, { dir: "rtl", lang: "he" }));
  await page.evaluate(INSPECTOR);

  const direction = await button(page, "Clear").evaluate((element) => getComputedStyle(element).direction);

  assertEquals(direction, "ltr");
  assertEquals(await page.locator("vendor-inspector").getAttribute("lang"), "en");
});

browserTest("a page's own style doesn't change it", async (stage) => {
  const style =
    ":root * { display: none !important; position: static !important; font-size: 60px !important; --ground: red }";
  stage.site.serve("/", { after: stage.init(), body: "<h1>Teas</h1>" });
  const page = await stage.open("/");
  await page.addStyleTag({ content: style });
  await page.evaluate(INSPECTOR);

  const { width, height, x } = await page.locator("vendor-inspector").boundingBox() ?? { width: 0, height: 0, x: 0 };
  const size = await button(page, "Clear").evaluate((element) => getComputedStyle(element).fontSize);

  assertEquals([width, height, x], [460, 560, 1280 - 12 - 460]);
  assertEquals(size, "13px");
});

browserTest("the guide's bookmark opens it from the site's own origin", async (stage) => {
  const guide = await Deno.readTextFile(new URL("../../docs/inspector.md", import.meta.url));
  const bookmark = /^javascript:(.*)$/m.exec(guide)?.[1] ?? "";
  const answer = (): Response => new Response(INSPECTOR, { headers: { "Content-Type": "text/javascript" } });
  stage.site.handle("/vendor.inspector.global.js", answer);
  const headers = { "Content-Security-Policy": `script-src 'self' 'nonce-${NONCE}'` };
  stage.site.serve("/teas/green", { nonce: NONCE, after: stage.init() }, headers);
  const page = await stage.open("/teas/green");

  await page.evaluate(bookmark);
  await page.locator("vendor-inspector").waitFor();
  await page.evaluate(bookmark);

  await page.locator("vendor-inspector").waitFor({ state: "detached" });
});

browserTest("the strictest policy allows it", async (stage) => {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${NONCE}'`,
    `connect-src ${new URL(stage.ingest.endpoint).origin}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "img-src data:", // the page's own icon
  ].join("; ");
  stage.site.handle("/inspector.js", () => new Response(INSPECTOR, { headers: { "Content-Type": "text/javascript" } }));
  stage.site.serve("/", {
    nonce: NONCE,
    before: NOTE_VIOLATIONS,
    scripts: ["/sdk.js", "/inspector.js"],
    after: stage.init(),
  }, { "Content-Security-Policy": policy });
  const page = await stage.open("/");

  await page.evaluate(() => Vendor.step("under a policy"));
  await row(page, "under a policy").getByText("delivered").waitFor();
  await row(page, "under a policy").locator("summary").click();
  await row(page, "under a policy").locator("pre").waitFor();

  assertEquals(await page.evaluate(() => Reflect.get(globalThis, "violations")), []);
  assertEquals((await page.locator("vendor-inspector").boundingBox())?.width, 460);
});

browserTest(
  "what happens in the panel doesn't reach the page's listeners, and the page's layout stays",
  async (stage) => {
    const listen = script(() => {
      const heard: string[] = [];
      Object.assign(globalThis, { heard });
      for (const type of ["click", "pointerdown", "mouseup", "keydown", "input", "focusin", "wheel"]) {
        document.addEventListener(type, () => heard.push(`document ${type}`), true);
        addEventListener(type, () => heard.push(`window ${type}`));
      }
    });
    stage.site.serve("/", { before: listen, after: stage.init(), body: `<h1>Teas</h1><p>Green and black.</p>` });
    const page = await stage.open("/");
    const measure = (): Promise<unknown> =>
      page.evaluate(() => [
        document.body.outerHTML,
        ...[...document.querySelectorAll("html, body, body *")].map((element) => {
          const { x, y, width, height } = element.getBoundingClientRect();
          return [x, y, width, height];
        }),
      ]);
    const before = await measure();

    await page.evaluate(INSPECTOR);
    await page.evaluate(() => Vendor.step("signup"));
    await row(page, "signup").locator("summary").click();
    await page.locator("vendor-inspector input").fill("sign");
    await page.keyboard.type("up");
    await page.mouse.wheel(0, 50);
    await button(page, "Collapse").click();

    assertEquals(await page.evaluate(() => Reflect.get(globalThis, "heard")), []);
    assertEquals(await measure(), before);
  },
);

/** What came of a visit. */
interface Outcome {
  readonly names: readonly string[];
  /** As JSON, without what is random or of the clock. */
  readonly events: string;
  /** Keys on the device while consent is pending, granted and denied. */
  readonly keys: readonly (readonly string[])[];
  /** Whether the page's functions are its own. */
  readonly isNative: boolean;
}

/** A visit with a bit of everything; returns what the ingest got of it, but for what is random or of the clock. */
async function visit(stage: Stage, isInspected: boolean): Promise<Outcome> {
  const from = stage.ingest.requests.length;
  stage.site.serve("/visit", {
    title: "Teas",
    after: (isInspected ? INSPECTOR : "") + stage.init({ trackPageviews: "auto", consent: "pending" }),
    body: "<h1>Teas</h1>",
  });
  const page = await stage.open("/visit?sort=price");
  const use = async (): Promise<void> => {
    if (!isInspected) return;
    await page.locator("vendor-inspector .title").click();
    await page.locator("vendor-inspector summary").last().click();
    await page.locator("vendor-inspector input").fill("a");
    await button(page, "Clear").click();
    await page.locator("vendor-inspector input").fill("");
  };
  await page.evaluate(() => Vendor.step("too early"));
  await flush(page);
  const keysPending = await readSdkKeys(page);
  await use();
  await page.evaluate(() => {
    Vendor.setConsent("granted");
    Vendor.identify("user-42", { plan: "pro" });
    Vendor.step("signup", { nested: { list: [1, 2] } });
  });
  await flush(page);
  await use();
  await page.evaluate(() => {
    history.pushState({}, "", "/visit/account");
    history.replaceState({}, "", "/visit/sign-in");
    document.title = "Sign in";
  });
  await flush(page);
  await page.evaluate(() => {
    Vendor.reset();
    Vendor.step("next visitor");
  });
  await flush(page);
  await use();
  const keysGranted = (await readSdkKeys(page)).map((key) => key.replace(/\.[\w-]{36}$/, "")).sort();
  await page.evaluate(() => {
    Vendor.setConsent("denied");
    Vendor.step("never");
  });
  await quiet();
  const keysDenied = await readSdkKeys(page);
  const isNative = await page.evaluate(() => String(fetch).includes("native code"));
  await page.close();
  const known = new Map<string, string>();
  const plain = (text: string): string =>
    text.replace(/[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[\da-f]{4}-[\da-f]{12}/g, (id) => {
      const name = known.get(id) ?? `id ${known.size}`;
      known.set(id, name);
      return name;
    }).replace(/\d{4}-\d\d-\d\dT[\d:.]{12}Z/g, "time");
  const events = stage.ingest.requests.slice(from).flatMap(({ body }) => body.events);
  return {
    names: events.map(({ name }) => name),
    events: plain(JSON.stringify(events)),
    keys: [keysPending, keysGranted, keysDenied],
    isNative,
  };
}

browserTest("a visit is the same with the inspector and without it, event by event", async (stage) => {
  const without = await visit(stage, false);
  assertEquals(without.names, ["$pageview", "signup", "$pageview", "next visitor"]);

  assertEquals(await visit(stage, true), without);
});

browserTest("inspect() takes a client of createClient(), once, until it's closed", async (stage) => {
  stage.site.handle("/inspector.js", () => new Response(MODULE, { headers: { "Content-Type": "text/javascript" } }));
  stage.site.serve("/", { scripts: ["/client.js", "/inspector.js"] });
  const page = await stage.open("/");

  const isOne = await page.evaluate((endpoint) => {
    const client = VendorClient.createClient({ apiKey: "pk_browser_test", endpoint, flushInterval: 20 });
    const { step } = client;
    const inspector = Inspection.inspect(client);
    const isOne = Inspection.inspect(client) === inspector;
    step("unbound");
    Object.assign(globalThis, { client, closeInspector: () => inspector.close() });
    addEventListener("pagehide", () => {}); // keeps the page out of the cache
    return isOne;
  }, stage.ingest.endpoint);

  assertEquals(isOne, true);
  await row(page, "unbound").getByText("delivered").waitFor();
  await page.evaluate("closeInspector()");
  await page.locator("vendor-inspector").waitFor({ state: "detached" });
  assertEquals(await page.evaluate(() => Inspection.inspect({ getConsent: () => "granted" }).isOpen), false);
  assertEquals(stage.messages, ["[Vendor] nothing to inspect: no client of this version in a page"]);
});
