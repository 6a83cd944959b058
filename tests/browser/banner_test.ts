import { assert, assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { createBrowserTest, type Stage } from "./harness.ts";
import { findAccessibilityFaults, measureOverflow, SCREENS } from "./report_stage.ts";

const browserTest = createBrowserTest();

const SCREEN_NAMES = ["phone", "tablet", "desktop"] as const;

/** Folder that pictures of the banner are written to, to be looked at. */
const PICTURES = Deno.env.get("BANNER_PICTURES");

const SHOP = `<main style="min-height: 300vh"><h1>Shop</h1><p><a href="/teas">Teas</a></p>
  <p><a href="#consent">Privacy choices</a></p></main>`;

/** Opens a page that asks, under a policy that allows the site's own modules alone. */
async function openShop(
  stage: Stage,
  { body = SHOP, style = "", options = '{ more: { text: "Privacy", href: "/privacy" } }' } = {},
): Promise<Page> {
  stage.site.handle("/start.js", () =>
    new Response(
      `import { Vendor } from "/sdk.mjs";
import { rememberConsent } from "/consent.mjs";
import { askConsent } from "/banner.mjs";
const consent = rememberConsent(Vendor);
Vendor.init({ apiKey: "pk_test", endpoint: "${stage.ingest.endpoint}", consent: consent.saved() });
globalThis.endBanner = askConsent(consent, ${options});
document.documentElement.dataset.ready = "yes";`,
      { headers: { "Content-Type": "text/javascript" } },
    ));
  stage.site.handle("/style.css", () => new Response(style, { headers: { "Content-Type": "text/css" } }));
  stage.site.handle("/shop", () =>
    new Response(
      `<!DOCTYPE html><html lang="en"><head><title>Shop</title><meta name="viewport" content="width=device-width">
<link rel="stylesheet" href="/style.css"><script type="module" src="/start.js"></script></head><body>${body}</body></html>`,
      {
        headers: {
          "Content-Type": "text/html",
          "Content-Security-Policy":
            `default-src 'none'; script-src 'self'; style-src 'self'; connect-src ${stage.ingest.endpoint}`,
        },
      },
    ));
  const page = await stage.open("/shop");
  await page.locator("[data-ready]").waitFor({ state: "attached" });
  return page;
}

const readChoice = (page: Page): Promise<string> => page.evaluate(() => document.cookie);

/** Describes what has the focus, in the banner as well. */
const readFocus = (page: Page): Promise<string> =>
  page.evaluate(() => {
    const { activeElement: outer } = document;
    const inner = outer?.shadowRoot?.activeElement ?? outer;
    return inner?.getAttribute("role") ?? inner?.textContent ?? "";
  });

for (const colorScheme of ["light", "dark"] as const) {
  browserTest(`askConsent() shows a banner without a fault that axe finds, in ${colorScheme}`, async (stage) => {
    const style = "html { color-scheme: light dark; font-family: system-ui } a { color: inherit }";
    const page = await openShop(stage, { style });
    await page.emulateMedia({ colorScheme });
    for (const name of SCREEN_NAMES) {
      await page.setViewportSize(SCREENS[name]);
      const boxes = await page.locator("vendor-banner button").evaluateAll((buttons) =>
        buttons.map((button) => {
          const { width, height } = button.getBoundingClientRect();
          const { backgroundColor, color, fontSize } = getComputedStyle(button);
          return { height, backgroundColor, color, fontSize, isWide: width >= 100 };
        })
      );

      assertEquals(await findAccessibilityFaults(page), []);
      assertEquals(await measureOverflow(page), 0);
      assertEquals(boxes[0], boxes[1]);
      assert((boxes[0]?.height ?? 0) >= 44);
      if (PICTURES) await page.screenshot({ path: `${PICTURES}/banner-${name}-${colorScheme}.png` });
    }
  });
}

browserTest("askConsent() keeps an answer, and asks again where a link asks for it", async (stage) => {
  const page = await openShop(stage);
  const banner = page.getByRole("dialog", { name: "Privacy choices" });
  const link = page.getByRole("link", { name: "Privacy choices" });

  await banner.getByRole("button", { name: "Accept" }).click();
  assertEquals([await readChoice(page), await banner.count()], ["consent=granted", 0]);
  await page.reload();
  await page.locator("[data-ready]").waitFor({ state: "attached" });
  assertEquals(await banner.count(), 0);
  await link.click();
  assertEquals(await page.evaluate(() => location.hash), "");
  await banner.getByRole("button", { name: "Decline" }).click();

  assertEquals([await readChoice(page), await banner.count()], ["consent=denied", 0]);
  assertEquals(await readFocus(page), "Privacy choices");
});

browserTest("askConsent() can be answered by the keyboard, and left", async (stage) => {
  const page = await openShop(stage);
  const order = [await readFocus(page)];
  for (let turn = 0; turn < 3; turn++) {
    await page.keyboard.press("Tab");
    order.push(await readFocus(page));
  }
  await page.keyboard.press("Escape");
  const left = [await readChoice(page), `${await page.getByRole("dialog").count()}`];
  await page.getByRole("link", { name: "Privacy choices" }).focus();
  await page.keyboard.press("Enter");
  const opened = await readFocus(page);
  await page.keyboard.press("Tab");
  await page.keyboard.press("Tab");
  await page.keyboard.press("Enter");

  assertEquals(order, ["dialog", "Privacy", "Accept", "Decline"]);
  assertEquals(left, ["", "0"]);
  assertEquals([opened, await readChoice(page)], ["dialog", "consent=granted"]);
});

browserTest(
  "askConsent() takes the focus from nobody who types, and leaves nothing behind when it ends",
  async (stage) => {
    const page = await openShop(stage, { body: '<input autofocus aria-label="Search"><a href="#consent">Choices</a>' });

    assertEquals(await page.evaluate(() => document.activeElement?.tagName), "INPUT");
    await page.evaluate(() => (globalThis as unknown as { endBanner(): void }).endBanner());
    await page.getByRole("link", { name: "Choices" }).click();

    assertEquals(await page.locator("vendor-banner").count(), 0);
    assertEquals(await page.evaluate(() => location.hash), "#consent");
  },
);

/** What has the focus, and the line between it and the banner, in pixels from the top of the window. */
const measureFocus = (page: Page): Promise<{ readonly name: string; readonly bottom: number; readonly line: number }> =>
  page.evaluate(async () => {
    // Browsers scroll to the focus in the next frame.
    for (let i = 0; i < 2; i++) await new Promise((resolve) => requestAnimationFrame(resolve));
    const dialog = document.querySelector("vendor-banner")?.shadowRoot?.querySelector("div");
    const focused = document.activeElement;
    return {
      name: `${focused?.textContent}`,
      bottom: Math.floor(focused?.getBoundingClientRect().bottom ?? Infinity),
      line: Math.ceil(dialog?.getBoundingClientRect().top ?? 0),
    };
  });

/** What the root element has of the banner. */
const readRoom = (page: Page) =>
  page.evaluate(() => ({
    padding: getComputedStyle(document.documentElement).scrollPaddingBottom,
    style: document.documentElement.getAttribute("style"),
    sheets: document.adoptedStyleSheets.length,
  }));

browserTest(
  "askConsent() writes no style on the root element, and leaves no room of a banner that was removed",
  async (stage) => {
    const page = await openShop(stage);
    await page.waitForFunction(() => getComputedStyle(document.documentElement).scrollPaddingBottom !== "auto");
    const { style, sheets } = await readRoom(page);

    await page.evaluate(() => document.querySelector("vendor-banner")?.remove());
    await page.getByRole("link", { name: "Privacy choices" }).click();
    const again = (await readRoom(page)).sheets;
    await page.getByRole("button", { name: "Decline" }).click();

    assertEquals([style, sheets, again], [null, 1, 1]);
    assertEquals(await readRoom(page), { padding: "auto", style: null, sheets: 0 });
  },
);

browserTest(
  "askConsent() hides nothing that gets the focus, at the end of the page too, and leaves no room behind",
  async (stage) => {
    const links = Array.from({ length: 60 }, (_, i) => `<p><a href="/teas/${i}">${i}</a></p>`);
    const page = await openShop(stage, { body: links.join(""), style: "body { margin: 0 }" });
    await page.evaluate(() => document.querySelector("a")?.focus());

    const covered: string[] = [];
    let stops = 1;
    for (; stops < links.length; stops++) {
      await page.keyboard.press("Tab");
      const { name, bottom, line } = await measureFocus(page);
      if (bottom > line) covered.push(`${name}: ${bottom} > ${line}`);
    }
    const last = (await measureFocus(page)).name;
    const heights = [await page.evaluate(() => document.documentElement.scrollHeight)];
    await page.getByRole("button", { name: "Decline" }).click();
    heights.push(await page.evaluate(() => document.documentElement.scrollHeight));

    assertEquals([covered, last], [[], "59"]);
    assertEquals(await readRoom(page), { padding: "auto", style: null, sheets: 0 });
    assert(Number(heights[0]) > Number(heights[1]), `${heights}`);
  },
);

for (
  const [what, href, path, isOpen] of [
    ["the fragment under a <base>", "#consent", "/shop", true],
    ["this page", "/shop#consent", "/shop", true],
    ["another page", "/privacy#consent", "/privacy#consent", false],
    ["this page with another query", "/shop?page=2#consent", "/shop?page=2#consent", false],
  ] as const
) {
  browserTest(`askConsent() opens ${isOpen ? "at" : "nothing at"} a link to ${what}`, async (stage) => {
    const body = `<base href="/catalog/"><a href="${href}"><b>Choices</b></a>`;
    const page = await openShop(stage, { body });
    stage.site.handle("/privacy", () => new Response("Privacy", { headers: { "Content-Type": "text/html" } }));
    await page.keyboard.press("Escape");
    const left = await page.locator("vendor-banner").count();

    await page.getByText("Choices").click();
    await page.waitForURL((url) => url.pathname + url.search + url.hash === path);

    assertEquals(left, 0);
    if (isOpen) assertEquals(await page.locator("vendor-banner").count(), 1);
  });
}

for (const options of ["null", "{ more: null }"]) {
  browserTest(`askConsent() asks where it is given ${options}`, async (stage) => {
    const page = await openShop(stage, { options });

    assertEquals(await page.getByRole("dialog").getByRole("button").allTextContents(), ["Accept", "Decline"]);
    assertEquals(await page.getByRole("dialog").getByRole("link").count(), 0);
  });
}

browserTest("askConsent() takes its colours and corners from five properties of the page", async (stage) => {
  const page = await openShop(stage, {
    style: `:root { --consent-background: rgb(1, 2, 3); --consent-color: rgb(250, 251, 252);
      --consent-button-background: rgb(200, 201, 202); --consent-button-color: rgb(9, 8, 7); --consent-radius: 0px }`,
  });
  const read = (selector: string, names: readonly string[]): Promise<readonly string[]> =>
    page.locator(selector).first().evaluate(
      (element, all) => all.map((name) => getComputedStyle(element).getPropertyValue(name)),
      names,
    );

  assertEquals(await read("vendor-banner [role=dialog]", ["background-color", "color"]), [
    "rgb(1, 2, 3)",
    "rgb(250, 251, 252)",
  ]);
  assertEquals(await read("vendor-banner button", ["background-color", "color", "border-radius"]), [
    "rgb(200, 201, 202)",
    "rgb(9, 8, 7)",
    "0px",
  ]);
});
