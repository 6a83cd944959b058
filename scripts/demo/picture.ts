/**
 * The pictures of the demo that README.md shows: plays a visit in Chromium and writes `docs/images/demo-light.png` and
 * `docs/images/demo-dark.png`. Run it when the demo looks different, and commit what it writes.
 *
 * @module
 */
import { chromium, type Page } from "playwright-core";
import { CHROMIUM_ARGS, CHROMIUM_PATH } from "../../tests/browser/chromium.ts";
import { startDemo } from "../../tests/demo/demo_process.ts";

const SIZE = { width: 1280, height: 850 };
/** The demo's own: the pictures show it. */
const PORT = "4400";
const FOLDER = new URL("../../docs/images/", import.meta.url);

/** Browses undecided, tries to buy, accepts, signs in, buys and goes on. */
async function visit(page: Page, site: string): Promise<void> {
  const press = (name: string): Promise<void> => page.locator("main").getByRole("button", { name }).click();
  await page.goto(site);
  await page.getByRole("link", { name: "Sencha" }).click();
  await page.locator('[data-kind="aggregate"]').nth(1).waitFor();
  await press("Buy");
  await press("Accept");
  await press("Sign in");
  await press("Buy");
  await page.getByRole("link", { name: "Teas", exact: true }).click();
  await page.locator('#rows [data-kind="full"]').nth(1).waitFor();
  await page.locator("vendor-inspector").getByText("delivered").nth(3).waitFor();
  await page.mouse.move(0, 0);
}

await Deno.mkdir(FOLDER, { recursive: true });
const browser = await chromium.launch({ executablePath: CHROMIUM_PATH, args: [...CHROMIUM_ARGS] });
for (const colorScheme of ["light", "dark"] as const) {
  const demo = await startDemo(["--port", PORT]);
  const page = await browser.newPage({ viewport: SIZE, colorScheme, reducedMotion: "reduce" });
  await visit(page, demo.site);
  const file = new URL(`demo-${colorScheme}.png`, FOLDER);
  await Deno.writeFile(file, await page.screenshot());
  const { size } = await Deno.stat(file);
  console.log(`docs/images/demo-${colorScheme}.png: ${Math.round(size / 1024)} KB`);
  await demo.end("SIGTERM");
}
await browser.close();
