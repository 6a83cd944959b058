import { assertEquals, assertThrows } from "@std/assert";
import * as v from "valibot";
import { Vendor } from "../../mod.ts";
import { captureVendor, checkPlan } from "../../src/testing/mod.ts";

const plan = { signup: v.strictObject({ plan: v.picklist(["free", "pro"]) }), logout: undefined };

Deno.test("checkPlan() says which events of a page break a plan, and how", () => {
  const page = captureVendor(Vendor, { init: { apiKey: "pk", trackPageviews: true } });
  Vendor.step("signup", { plan: "pro" });
  Vendor.step("logout");
  Vendor.step("signip", { plan: "pro" });
  Vendor.step("signup");
  Vendor.step("signup", { plan: "gold" });
  const { events } = page;
  page.restore();

  const violations = checkPlan(events, plan);

  assertEquals(violations.map(({ name, kind, id }) => [name, kind, events.findIndex((event) => event.id === id)]), [
    ["signip", "unknown", 3],
    ["signup", "missing", 4],
    ["signup", "invalid", 5],
  ]);
  assertEquals(violations[2]?.message.startsWith("plan: "), true);
});

Deno.test("checkPlan() lets automatic events pass, unless the plan has them", () => {
  const names = ["$engagement", "$outbound", "$download", "$form", "$consent"];
  const events = names.map((name, index) => ({ id: `${index}`, name, properties: { url: 1 }, timestamp: "" }));

  assertEquals(checkPlan(events, plan), []);
  const stricter = { ...plan, $form: v.strictObject({ form: v.string() }) };
  assertEquals(checkPlan(events, stricter).map(({ name }) => name), ["$form"]);
});

Deno.test("checkPlan() takes no plan that isn't made of schemas", () => {
  // @ts-expect-error: no schema
  assertThrows(() => checkPlan([], { signup: {} }), TypeError);
});
