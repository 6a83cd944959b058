import { assert, assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { fileURLToPath } from "node:url";
import { startIngest } from "../cluster/ingest_process.ts";
import { startTail } from "../cluster/tail_process.ts";
import { createBrowserTest, flush, type Stage } from "./harness.ts";
import { readExample } from "./read_example.ts";

const browserTest = createBrowserTest();

/** What `npx @vendor/ingest` starts, from any folder. */
const PROGRAM = {
  command: Deno.execPath(),
  args: [
    ...["run", "-A", "--no-lock", "--import-map", fileURLToPath(import.meta.resolve("../offline/import_map.json"))],
    fileURLToPath(import.meta.resolve("../../src/ingest/server/bin.ts")),
  ],
};

async function openShop(stage: Stage, content = "", code = readShop(stage)): ReturnType<Stage["open"]> {
  stage.site.handle("/start.js", () => new Response(code, { headers: { "Content-Type": "text/javascript" } }));
  const body = `${content}<script type="module">
    import "/start.js";
    import { Vendor } from "/sdk.mjs";
    Object.assign(globalThis, { Vendor });
    document.documentElement.dataset.ready = "yes";
  </script>`;
  stage.site.serve("/shop", { scripts: [], body });
  const page = await stage.open("/shop?q=tea");
  await page.locator("[data-ready]").waitFor({ state: "attached" });
  return page;
}

function readShop({ ingest }: Stage): string {
  return readExample("README.md", { endpoint: ingest.endpoint });
}

browserTest("README's quick start tracks nobody until Accept is pressed, and everything after", async (stage) => {
  const page = await openShop(stage);
  await page.evaluate(() => Vendor.step("signup"));
  await flush(page);
  assertEquals(stage.ingest.stored.map(({ name, collection }) => [name, collection]), [["$pageview", "aggregate"]]);
  assertEquals(await page.evaluate(() => localStorage.length), 0);

  await page.getByRole("button", { name: "Accept" }).click();
  await page.evaluate(() => {
    Vendor.identify("user-42");
    Vendor.step("signup", { source: "pricing" });
    Vendor.reset();
  });
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
  await page.getByRole("button", { name: "Decline" }).click();
});

browserTest("README's quick start leaves whoever presses Decline alone", async (stage) => {
  const page = await openShop(stage);
  await page.getByRole("button", { name: "Decline" }).click();
  await page.evaluate(() => Vendor.step("signup"));
  await flush(page);

  assertEquals(stage.ingest.stored, []);
  assertEquals(await page.evaluate(() => [document.cookie, localStorage.length]), ["consent=denied", 0]);
});

browserTest("README's way to see that it works shows what it promises", async (stage) => {
  const [, section = ""] = /^## See that it works\n([\s\S]*?)^## /m.exec(Deno.readTextFileSync("README.md")) ?? [];
  const [start = [], [command, ...args] = []] = [...section.matchAll(/`npx @vendor\/ingest (.*?)`/g)]
    .map(([, text = ""]) => text.split(" "));
  const promised = [...section.matchAll(/`(\[Vendor\] .*?)`/g)].map(([, message = ""]) => message);
  assertEquals([command, promised.length], ["tail", 3]);
  const cwd = await Deno.makeTempDir();
  const options = { launcher: { ...PROGRAM, cwd } };

  const ingest = await startIngest(start, options);
  const tail = startTail(args, options);
  try {
    const example = readExample("README.md", { endpoint: ingest.endpoint, apiKey: "pk_live_123" });
    const page = await openShop(stage, "", example.replace("Vendor.init({", "$& debug: true,"));
    const before = await tail.until("\n");
    await page.getByRole("button", { name: "Accept" }).click();
    await page.reload();
    const after = await tail.until(/full.*\$pageview/);
    const secret = await Deno.readTextFile(`${cwd}/events-report-secret`);
    const headers = { Authorization: `Basic ${btoa(`anyone:${secret.trim()}`)}` };
    const report = await fetch(`${ingest.origin}/`, { headers });

    assertEquals(promised.filter((text) => !stage.messages.some((message) => message.startsWith(text))), []);
    assertMatch(before, /^\S+ \S+ +aggregate +\$pageview +\S+\/shop +-\n$/);
    assertMatch(after, /full +\$pageview +\S+\/shop +visitor:/);
    assertEquals(report.status, 200);
    assertStringIncludes(await report.text(), "1 with consent, 1 before consent");
  } finally {
    await Promise.all([tail.end("SIGINT"), ingest.end()]);
    await Deno.remove(cwd, { recursive: true });
  }
});
