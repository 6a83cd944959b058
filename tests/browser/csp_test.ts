import { assert, assertEquals } from "@std/assert";
import { createBrowserTest, quiet } from "./harness.ts";
import { script } from "./html.ts";
import { readSdkKeys } from "./storage_keys.ts";

const browserTest = createBrowserTest();

const NONCE = "c3RhdGljLW5vbmNl";

/** Notes every violation of a policy. */
const NOTE_VIOLATIONS = script(() => {
  const violations: string[] = [];
  Object.assign(globalThis, { violations });
  addEventListener("securitypolicyviolation", ({ violatedDirective, blockedURI, sample }) => {
    violations.push(`${violatedDirective} ${blockedURI} ${sample}`);
  });
});

browserTest("the SDK needs nothing of a policy but its own script and connect-src", async (stage) => {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${NONCE}'`,
    `connect-src ${new URL(stage.ingest.endpoint).origin}`,
    "require-trusted-types-for 'script'",
    "trusted-types 'none'",
    "sandbox allow-scripts allow-same-origin",
    "img-src data:", // the page's own icon
  ].join("; ");
  const headers = { "Content-Security-Policy": policy };
  stage.site.serve(
    "/",
    { nonce: NONCE, before: NOTE_VIOLATIONS, after: stage.init({ trackPageviews: true }) },
    headers,
  );
  const page = await stage.open("/");

  await page.evaluate(() => Vendor.step("under a policy"));

  const events = await stage.ingest.untilStored(2);
  assertEquals(events.map(({ name }) => name), ["$pageview", "under a policy"]);
  assertEquals(await page.evaluate(() => Reflect.get(globalThis, "violations")), []);
  assertEquals(stage.messages, []);
});

browserTest(
  "a policy that blocks the endpoint is an outage: nothing is thrown, and events wait on the device",
  async (stage) => {
    const headers = { "Content-Security-Policy": "connect-src 'none'" };
    stage.site.serve("/", { before: NOTE_VIOLATIONS, after: stage.init({ trackPageviews: true }) }, headers);
    const page = await stage.open("/");
    await page.waitForFunction(() => Reflect.get(globalThis, "violations").length > 0);

    await page.evaluate(() => {
      for (let index = 0; index < 100; index++) Vendor.step("blocked");
      return Vendor.flush();
    });
    await quiet();

    const violations = await page.evaluate(() => Reflect.get(globalThis, "violations"));
    assertEquals(stage.ingest.requests.length + stage.ingest.preflights.length, 0);
    assert(violations.length <= 3, `${violations.length} requests within a moment`);
    assertEquals(stage.messages, []);
    assert((await readSdkKeys(page)).some((key) => key.startsWith("vendor.sdk.outbox.")));
  },
);

browserTest("an init with an endpoint that the policy allows sends again", async (stage) => {
  const headers = { "Content-Security-Policy": `connect-src ${new URL(stage.ingest.endpoint).origin}` };
  const blocked = stage.init({ endpoint: "https://blocked.example/v1/events", trackPageviews: true });
  stage.site.serve("/", { before: NOTE_VIOLATIONS, after: blocked }, headers);
  const page = await stage.open("/");
  await page.waitForFunction(() => Reflect.get(globalThis, "violations").length > 0);

  await page.evaluate(stage.init());
  await page.evaluate(() => Vendor.step("allowed"));

  const events = await stage.ingest.untilStored(1);
  assertEquals(events.map(({ name }) => name), ["allowed"]);
});

browserTest("a policy that only reports, and one that blocks others, change nothing", async (stage) => {
  const headers = {
    "Content-Security-Policy-Report-Only": "connect-src 'none'",
    "Content-Security-Policy": `connect-src ${new URL(stage.ingest.endpoint).origin}`,
  };
  stage.site.serve("/", { before: NOTE_VIOLATIONS, after: stage.init() }, headers);
  const page = await stage.open("/");

  await page.evaluate(async () => {
    await fetch("https://blocked.example/v1/events").catch(() => {});
    Vendor.step("first");
  });
  await stage.ingest.untilStored(1);
  await page.evaluate(() => Vendor.step("second"));

  await stage.ingest.untilStored(2);
  assert((await page.evaluate(() => Reflect.get(globalThis, "violations"))).length >= 2);
  assertEquals(stage.messages, []);
});
