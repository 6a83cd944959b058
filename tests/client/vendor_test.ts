import { assertEquals } from "@std/assert";
import { Vendor } from "../../mod.ts";

Deno.test("Vendor's methods work unbound where there is no document, and are inert", async () => {
  const { init, step, identify, reset, page, setConsent, flush } = Vendor;
  const before = Object.keys(globalThis);

  init({ apiKey: "pk", trackPageviews: "auto" });
  step("a", { ok: true });
  identify("user-1", { plan: "pro" });
  page();
  reset();
  setConsent("granted");
  await flush();

  assertEquals(Object.keys(globalThis), before);
});

Deno.test("Vendor.getConsent() is pending where there is no document: no visitor's choice shows in another's render", () => {
  Vendor.init({ apiKey: "pk", consent: "granted" });
  const seen = [Vendor.getConsent()];

  Vendor.setConsent("denied");
  seen.push(Vendor.getConsent());

  assertEquals(seen, ["pending", "pending"]);
});
