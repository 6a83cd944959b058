import { assertEquals } from "@std/assert";
import { createBrowserTest, quiet } from "./harness.ts";
import { script } from "./html.ts";

const browserTest = createBrowserTest();

browserTest("a sandboxed frame without an origin throws nothing and delivers", async (stage) => {
  stage.site.serve("/", { scripts: [], body: `<iframe sandbox="allow-scripts" src="/frame?q=1"></iframe>` });
  stage.site.serve("/frame", {
    title: "Frame",
    after: stage.init({ trackPageviews: true }) + script(() => {
      const failures: string[] = [];
      for (const name of ["localStorage", "sessionStorage", "indexedDB"] as const) {
        try {
          void globalThis[name].constructor;
        } catch (error) {
          failures.push(`${name}: ${(error as Error).name}`);
        }
      }
      Vendor.identify("u-1");
      Vendor.step("in the frame", { failures, origin });
    }),
  });

  await stage.open("/");

  const [view, step] = await stage.ingest.untilStored(2);
  assertEquals(step?.properties?.origin, "null");
  assertEquals(step?.properties?.failures, ["localStorage: SecurityError", "sessionStorage: SecurityError"]);
  assertEquals(view?.context?.pageUrl, `${stage.site.origin}/frame?q=1`);
  assertEquals(view?.context?.pageTitle, "Frame");
  assertEquals(step?.identity, { userId: "u-1", anonymousId: view?.identity?.anonymousId ?? "" });
  assertEquals(step?.sessionId, view?.sessionId);
  assertEquals(stage.ingest.requests.map(({ headers }) => headers.origin), ["null"]);
  assertEquals(stage.messages, []);
});

browserTest("a sandboxed frame takes every consent and reset without throwing", async (stage) => {
  stage.site.serve("/", { scripts: [], body: `<iframe sandbox="allow-scripts" src="/frame"></iframe>` });
  stage.site.serve("/frame", {
    after: stage.init({ trackPageviews: "auto", consent: "denied" }) + script(() => {
      Vendor.setConsent("pending");
      Vendor.reset();
      Vendor.setConsent("denied");
      Vendor.setConsent("granted");
      Vendor.reset();
      Vendor.step("granted");
    }),
  });

  await stage.open("/");

  const events = await stage.ingest.untilStored(1);
  await quiet();
  // The view was recorded while consent was pending, and discarded by the denial after it.
  assertEquals(events.map(({ collection, name }) => `${collection} ${name}`), ["full granted"]);
});

browserTest("a frame on another site delivers under its own origin", async (stage) => {
  stage.site.serve("/shop", { scripts: [], body: `<iframe src="${stage.otherSite.origin}/widget"></iframe>` });
  stage.otherSite.serve("/widget", { after: stage.init({ trackPageviews: true }) });

  await stage.open("/shop?q=1");

  const [view] = await stage.ingest.untilStored(1);
  assertEquals(view?.context?.pageUrl, `${stage.otherSite.origin}/widget`);
  assertEquals(view?.context?.referrer, `${stage.site.origin}/`);
  assertEquals(stage.ingest.requests.map(({ headers }) => headers.origin), [stage.otherSite.origin]);
});
