import { assertEquals } from "@std/assert";
import { describeCall, describeCollection } from "../../scripts/demo/site/collection.ts";

const levels = (...args: Parameters<typeof describeCollection>): string =>
  describeCollection(...args).facts.map(({ level }) => level).join(" ");

Deno.test("describeCollection() promises aggregates under pending with auto alone", () => {
  assertEquals(levels("pending", "auto"), "aggregate none none none none");
  assertEquals(levels("pending", true), "none none none none none");
  assertEquals(levels("pending", false), "none none none none none");
});

Deno.test("describeCollection() promises everything under granted, but pageviews only where they are on", () => {
  assertEquals(levels("granted", "auto"), "full full full full full");
  assertEquals(levels("granted", true), "full full full full full");
  assertEquals(levels("granted", false), "none full full full full");
});

Deno.test("describeCollection() promises nothing under denied", () => {
  assertEquals(levels("denied", "auto"), "none none none none none");
});

Deno.test("describeCall() says that a step needs consent", () => {
  assertEquals(describeCall("step", "pending"), "discarded: consent is pending");
  assertEquals(describeCall("page", "denied"), "discarded: consent is denied");
  assertEquals(describeCall("identify", "denied"), "ignored: consent is denied");
});
