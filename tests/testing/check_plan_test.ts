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

Deno.test("checkPlan() lets any step have the plan's common properties, and checks their values", () => {
  const withCommon = {
    ...plan,
    "$common.release": v.string(),
    "$common.region": v.string(),
    deploy: v.strictObject({ release: v.string() }), // one of its own
  };
  const steps = [
    { name: "signup", properties: { plan: "pro", release: "1.4" } },
    { name: "signup", properties: { plan: "pro" } },
    { name: "logout", properties: { release: "1.4" } },
    { name: "deploy", properties: { release: "1.4" } },
    { name: "signup", properties: { release: "1.4" } },
    { name: "signup", properties: { plan: "pro", release: 1 } },
    { name: "signup", properties: { plan: "pro", colour: "green", release: "1.4" } },
    { name: "logout", properties: { release: "1.4", at: "noon" } },
    { name: "deploy", properties: {} },
    { name: "$common.release", properties: {} },
    { name: "deploy", properties: { release: "1.4", region: "eu" } },
  ];
  const events = steps.map((step, index) => ({ ...step, id: `${index}`, timestamp: "" }));

  assertEquals(checkPlan(events, withCommon).map(({ id, kind, message }) => [id, kind, message.split(":")[0]]), [
    ["4", "missing", "plan"],
    ["5", "invalid", "release"],
    ["6", "invalid", "colour"],
    ["7", "invalid", "the step takes no properties"],
    ["8", "missing", "release"],
    ["9", "unknown", "the plan has no step of this name"],
  ]);
  assertEquals(checkPlan(events.slice(0, 1), plan).map(({ kind }) => kind), ["invalid"]);
  // @ts-expect-error: no schema
  assertThrows(() => checkPlan([], { "$common.release": {} }), TypeError);
  assertThrows(() => checkPlan([], { "$common.release": undefined }), TypeError);
});

Deno.test("checkPlan() takes no plan that isn't made of schemas", () => {
  // @ts-expect-error: no schema
  assertThrows(() => checkPlan([], { signup: {} }), TypeError);
});
