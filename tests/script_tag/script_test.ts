import { assert, assertEquals } from "@std/assert";
import { buildScript } from "../../scripts/package/global_script.ts";
import { findInternalNames } from "../../scripts/package/internal_names.ts";
import { INSIDE, type Inside } from "../../src/client/inside.ts";
import { createBrowserEnvironment } from "../../src/client/platform/browser.ts";
import { installGlobal } from "../../src/script_tag/install_global.ts";
import type { VendorGlobal } from "../../src/script_tag/vendor_global.ts";
import { dispatch, override, type WindowScope, withWindow } from "../client/platform/window_scope.ts";

/** Visits a shop with the SDK; returns what left, what addons saw and what is on the device, without what differs by chance. */
async function visit(install: (scope: WindowScope) => void): Promise<string> {
  const left: unknown[] = [];
  await withWindow("https://shop.example/teas?sort=price", async (scope) => {
    let isKeyKnown = true;
    const fetch = (url: string, { signal: _signal, ...init }: RequestInit): Promise<Response> => {
      left.push([url, init]);
      const status = isKeyKnown ? init.keepalive ? 503 : 202 : 401;
      return Promise.resolve(Response.json({ error: { code: "unknown_key", message: "no such key" } }, { status }));
    };
    override(scope, { fetch, Request, screen: { width: 1280, height: 720 } });
    install(scope);
    const { Vendor } = scope as unknown as { Vendor: VendorGlobal & { readonly [INSIDE]: Inside } };
    const { environment, hooks, batches } = Vendor[INSIDE];
    left.push(Object.keys(Vendor), Object.keys(environment));
    hooks.beforeSend.push((event) => {
      left.push({ ...event });
      return event;
    });
    hooks.on.push((change) => left.push(JSON.parse(JSON.stringify([change, batches()]))));
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
    isKeyKnown = false;
    Vendor.setConsent("granted");
    Vendor.step("refused");
    await Vendor.flush();
  });
  return JSON.stringify(left, undefined, 1)
    .replace(/[\da-f]{8}-[\da-f-]{27}/g, "<id>")
    .replace(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, "<time>")
    .replace(/\b1[789]\d{11}\b/g, "<ms>");
}

Deno.test("the script-tag build does what its modules do, and addons see the same in it", async () => {
  const { text } = buildScript();
  const run = new Function("globalThis", "window", "document", "location", text);

  const asFile = await visit((scope) => run(scope, scope, scope.document, scope.location));
  const asModules = await visit((scope) => installGlobal(scope as object, createBrowserEnvironment(scope)));

  assertEquals(asFile, asModules);
  const plain = asFile.replaceAll("\\", "");
  for (const seen of [/aggregate/, /"sencha":"2/, /outbox/, /401: no such key/]) {
    assert(seen.test(plain), `${seen} in ${asFile}`);
  }
});

Deno.test("the script-tag build has short names for the client's parts, and for nothing that others see", () => {
  const text = buildScript().text.replace(/"vendor\.sdk\.[^"]*"/g, ""); // keys on the device
  const names = findInternalNames();

  assert(names.length > 20 && names.includes("visitor") && names.includes("delivery"), `${names}`);
  assertEquals(names.filter((name) => new RegExp(`[.{,]${name}\\b`).test(text)), []);
  const seenByOthers = [
    "beforeSend",
    "isAggregate",
    "retryAfterMs",
    "trackPageviews",
    "sdkVersion",
    "getConsent",
    "code",
  ];
  assertEquals(seenByOthers.filter((name) => names.includes(name)), []);
});
