import { assertEquals } from "@std/assert";
import { buildScript } from "../../scripts/package/global_script.ts";
import type { VendorGlobal } from "../../src/script_tag/vendor_global.ts";
import { addRules, dropQuery } from "../../src/addons/rules/mod.ts";
import { CONFIG, whileLoading } from "./loading.ts";
import { override, withWindow } from "../client/platform/window_scope.ts";

Deno.test("addRules() of an application's bundle rules what the script tag's Vendor sends", async () => {
  const { text } = buildScript();
  const run = new Function("globalThis", "window", "document", "location", text);
  const sent: string[] = [];
  await withWindow("https://shop.example/teas?token=secret", async (scope) => {
    const fetch = (_url: string, { body }: RequestInit): Promise<Response> => {
      sent.push(String(body));
      return Promise.resolve(new Response("", { status: 202 }));
    };
    override(scope, { fetch, Request });
    run(scope, scope, scope.document, scope.location);
    const { Vendor } = scope as unknown as { readonly Vendor: VendorGlobal };
    Vendor.init({ apiKey: "pk_test", trackPageviews: "auto", consent: "pending" });
    const remove = addRules(Vendor, dropQuery(), (event) => event.name === "secret" ? null : event);
    await Vendor.flush();
    Vendor.setConsent("granted");
    for (const name of ["added", "secret"]) Vendor.step(name);
    await Vendor.flush();
    remove();
    Vendor.step("last");
    await Vendor.flush();
    Vendor.setConsent("denied");
  });

  const events = sent.flatMap((body) => JSON.parse(body).events);
  assertEquals(events.map(({ name, context }) => `${name} ${context.pageUrl}`), [
    "$pageview https://shop.example/teas",
    "added https://shop.example/teas",
    "last https://shop.example/teas?token=secret",
  ]);
});

Deno.test("addRules() before the loader's file is there rules the calls that wait for it", () =>
  whileLoading(async (loading) => {
    const standIn = loading.vendor;
    standIn.init({ ...CONFIG, trackPageviews: true });
    standIn.step("queued");
    standIn.step("secret");
    const remove = addRules(standIn, dropQuery(), (event) => event.name === "secret" ? null : event);
    loading.load();
    loading.vendor.step("secret");
    addRules(standIn, (event) => ({ ...event, title: "Ruled" })); // by whoever kept it
    loading.vendor.step("after");
    await loading.wait(1500);
    remove();
    loading.vendor.step("last");
    await loading.vendor.flush();
    await loading.wait(1500);

    assertEquals(loading.page.events.map(({ name, context }) => `${name} ${context?.pageUrl} ${context?.pageTitle}`), [
      "$pageview https://shop.example/teas Ruled",
      "queued https://shop.example/teas Ruled",
      "after https://shop.example/teas Ruled",
      "last https://shop.example/teas?sort=price Ruled",
    ]);
  }));

Deno.test("a rule that takes itself out lets none of the others be left out", () =>
  whileLoading(async (loading) => {
    const standIn = loading.vendor;
    standIn.init({ ...CONFIG, trackPageviews: true });
    const remove = addRules(standIn, (event) => {
      remove();
      return event;
    });
    addRules(standIn, dropQuery());
    loading.load();
    await loading.wait(1500);
    await loading.vendor.flush();

    assertEquals(loading.page.events.map(({ context }) => context?.pageUrl), ["https://shop.example/teas"]);
  }));
