import { assert, assertEquals } from "@std/assert";
import { buildScript } from "../../scripts/package/global_script.ts";
import { createBrowserEnvironment } from "../../src/client/platform/browser.ts";
import { installGlobal } from "../../src/script_tag/install_global.ts";
import type { VendorGlobal } from "../../src/script_tag/vendor_global.ts";
import { dispatch, override, type WindowScope, withWindow } from "../client/platform/window_scope.ts";

/** Visits a shop with the SDK, and returns what left, and what is on the device, without what differs by chance. */
async function visit(install: (scope: WindowScope) => void): Promise<string> {
  const left: unknown[] = [];
  await withWindow("https://shop.example/teas?sort=price", async (scope) => {
    const fetch = (url: string, { signal: _signal, ...init }: RequestInit): Promise<Response> => {
      left.push([url, init]);
      return Promise.resolve(new Response("", { status: init.keepalive ? 503 : 202 }));
    };
    override(scope, { fetch, Request, screen: { width: 1280, height: 720 } });
    install(scope);
    const { Vendor } = scope as unknown as { Vendor: VendorGlobal };
    Vendor.init({ apiKey: "pk_test", trackPageviews: "auto", consent: "pending" });
    await Vendor.flush();
    Vendor.setConsent("granted");
    Vendor.identify("user", { plan: "pro" });
    Vendor.step("added", { items: new Map([["sencha", 2n]]) });
    await Vendor.flush();
    scope.history.pushState(null, "", "/cart");
    Vendor.step("paid");
    dispatch(scope, { type: "pagehide", persisted: true });
    left.push({ ...scope.localStorage }, Vendor.getConsent());
    Vendor.setConsent("denied");
    left.push({ ...scope.localStorage });
  });
  return JSON.stringify(left, undefined, 1)
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, "<id>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/\b1[789]\d{11}\b/g, "<ms>");
}

Deno.test("the script-tag build does what its modules do", async () => {
  const { text } = buildScript();
  const run = new Function("globalThis", "window", "document", "location", text);

  const asFile = await visit((scope) => run(scope, scope, scope.document, scope.location));
  const asModules = await visit((scope) => installGlobal(scope as object, createBrowserEnvironment(scope)));

  assertEquals(asFile, asModules);
  assert(/aggregate/.test(asFile) && /"sencha":"2/.test(asFile.replaceAll("\\", "")) && /outbox/.test(asFile), asFile);
});
