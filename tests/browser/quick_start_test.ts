import { assert, assertEquals } from "@std/assert";
import { createBrowserTest, flush, type Stage } from "./harness.ts";
import { readExample } from "./read_example.ts";

const browserTest = createBrowserTest();

async function openShop(stage: Stage, content = ""): ReturnType<Stage["open"]> {
  const code = readExample("README.md", { endpoint: stage.ingest.endpoint });
  stage.site.handle("/start.js", () => new Response(code, { headers: { "Content-Type": "text/javascript" } }));
  const body = `${content}<script type="module">
    import { onSignedUp, onSignedIn, onSignedOut } from "/start.js";
    import { Vendor } from "/sdk.mjs";
    Object.assign(globalThis, { onSignedUp, onSignedIn, onSignedOut, Vendor });
    document.documentElement.dataset.ready = "yes";
  </script>`;
  stage.site.serve("/shop", { scripts: [], body });
  const page = await stage.open("/shop?q=tea");
  await page.locator("[data-ready]").waitFor({ state: "attached" });
  return page;
}

browserTest("README's quick start tracks nobody until Accept is pressed, and everything after", async (stage) => {
  const page = await openShop(stage);
  await page.evaluate("onSignedUp()");
  await flush(page);
  assertEquals(stage.ingest.stored.map(({ name, collection }) => [name, collection]), [["$pageview", "aggregate"]]);
  assertEquals(await page.evaluate(() => localStorage.length), 0);

  await page.getByRole("button", { name: "Accept" }).click();
  await page.evaluate("onSignedIn('user-42'); onSignedUp(); onSignedOut();");
  await flush(page);

  const signup = stage.ingest.stored.find(({ name }) => name === "signup");
  assert(signup?.collection === "full");
  assertEquals([signup.properties, signup.identity?.userId], [{ source: "pricing" }, "user-42"]);
  await page.reload();
  assertEquals(await page.getByRole("button").count(), 0);
});

browserTest("README's quick start shows its banner within the window of a long page", async (stage) => {
  const page = await openShop(stage, '<main style="height: 300vh; position: relative; z-index: 1"></main>');

  const box = await page.getByRole("button", { name: "Accept" }).boundingBox();
  const height = await page.evaluate(() => innerHeight);
  assert(box && box.y >= 0 && box.y + box.height <= height, `${box?.y} of ${height}`);
  await page.getByRole("button", { name: "Decline" }).click({ timeout: 2000 });
});

browserTest("README's quick start leaves whoever presses Decline alone", async (stage) => {
  const page = await openShop(stage);
  await page.getByRole("button", { name: "Decline" }).click();
  await page.evaluate("onSignedUp()");
  await flush(page);

  assertEquals(stage.ingest.stored, []);
  assertEquals(await page.evaluate(() => [document.cookie, localStorage.length]), ["consent=denied", 0]);
});
