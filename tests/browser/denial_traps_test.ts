import { assertEquals } from "@std/assert";
import { createBrowserTest, quiet, type Stage } from "./harness.ts";
import { script } from "./html.ts";
import { OTHER_KEY } from "./ingest_server.ts";
import { MAKING_TRAP_SCRIPT, TRAP_SCRIPT } from "./traps.ts";

const browserTest = createBrowserTest(["Chromium", "Firefox"]);

/** Everything that the application may do before it learns what the visitor chose; the batch is full several times. */
const CALLS = script(() => {
  Vendor.identify("u-1", { plan: "pro" });
  for (let index = 0; index < 10; index++) Vendor.step("before", { index });
  Vendor.page();
  history.pushState(null, "", "/next?q=1");
});

/** What earlier visits left. */
const EARLIER = script(() => {
  localStorage.setItem("vendor.sdk.visitor", "8e26cb5b-2c4c-4b0f-9d43-6ad6d6d0a1f0");
  localStorage.setItem("vendor.sdk.outbox.3.1.8e26cb5b-2c4c-4b0f-9d43-6ad6d6d0a1f1.8e26", "{}");
  localStorage.setItem("cart", "3");
});

const FULL = { trackPageviews: true, maxBatchSize: 3 } as const;
const DENIED = { ...FULL, consent: "denied" } as const;

/** Every way to say no. */
const DENIALS: Readonly<Record<string, (stage: Stage) => string>> = {
  "setConsent()": () => script(() => Vendor.setConsent("denied")),
  "an init() with the same key": (stage) => stage.init(DENIED),
  "an init() with another key": (stage) => stage.init({ ...DENIED, apiKey: OTHER_KEY }),
  "an init() with another endpoint": (stage) => stage.init({ ...DENIED, endpoint: `${stage.ingest.endpoint}?eu` }),
};

for (const [way, deny] of Object.entries(DENIALS)) {
  browserTest(`from a denial by ${way} on, nothing is read, made or sent of what was called before`, async (stage) => {
    stage.otherSite.serve("/", { scripts: [] });
    stage.site.serve("/", {
      before: EARLIER + TRAP_SCRIPT + MAKING_TRAP_SCRIPT,
      after: `${stage.init(FULL)} ${CALLS} touched.length = 0; ${deny(stage)}`,
    });
    const page = await stage.open("/");

    const seen = await page.evaluate(async () => {
      Vendor.identify("u-2");
      for (let index = 0; index < 10; index++) Vendor.step("after");
      Vendor.page();
      history.pushState(null, "", "/later?q=1");
      Vendor.reset();
      await Vendor.flush();
      document.dispatchEvent(new Event("visibilitychange"));
      await new Promise((resolve) => setTimeout(resolve, 1200)); // longer than a view awaits its title
      return [...touched];
    });
    const stored = await page.evaluate(() => Object.entries(localStorage));
    await page.goto(`${stage.otherSite.origin}/`);
    await quiet();

    // To erase it has to name the storage; and another init() listens for a later grant.
    const allowed = /^(window\.localStorage|Storage\.removeItem|listener of (?!storage).*)$/;
    assertEquals(seen.filter((name) => !allowed.test(name)), []);
    assertEquals(stored, [["cart", "3"]]);
    assertEquals(stage.ingest.requests.length + stage.ingest.preflights.length, 0);
  });
}

browserTest(
  "init() with granted leaves storage alone in its own task, and listens to it a task later",
  async (stage) => {
    stage.site.serve("/", {
      before: EARLIER + TRAP_SCRIPT + MAKING_TRAP_SCRIPT,
      after: `${stage.init(FULL)} ${CALLS} Object.assign(globalThis, { inTask: [...touched] }); touched.length = 0;`,
    });

    const page = await stage.open("/");
    await quiet();

    const [inTask, later] = await page.evaluate(() => [Reflect.get(globalThis, "inTask") as string[], [...touched]]);
    const isStorage = (name: string): boolean => /storage|Storage|Crypto/.test(name);
    assertEquals(inTask.filter(isStorage), []);
    assertEquals(new Set(later.filter((name) => /window.localStorage|listener of storage/.test(name))).size, 2);
  },
);

browserTest("init() with pending neither touches storage nor listens to it, ever", async (stage) => {
  stage.site.serve("/", {
    before: EARLIER + TRAP_SCRIPT + MAKING_TRAP_SCRIPT,
    after: `${stage.init({ ...FULL, trackPageviews: "auto", consent: "pending" })} ${CALLS}`,
  });

  const page = await stage.open("/");
  await stage.ingest.untilStored(1);
  await quiet();

  const touched = await page.evaluate(() => [...globalThis.touched]);
  assertEquals(touched.filter((name) => /storage|Storage|title|screen/i.test(name)), []);
});
