import { assertEquals } from "@std/assert";
import { describeCall, describeCollection, describeStep } from "../../scripts/demo/site/collection.ts";

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

Deno.test("describeStep() says that an event without a name, or with properties over 32 KiB, is none", () => {
  const describe = (name: string, length: number): string =>
    describeStep({ name, properties: { text: "x".repeat(length - '{"text":""}'.length) } }, "granted");

  assertEquals(describe("joined", 32_768), "queued, sent within 1.5 s");
  assertEquals(describe("joined", 32_769), "over 32 KiB: a warning in the console, no event");
  assertEquals(describe("", 100), "a warning in the console, no event");
});

Deno.test("describeStep() says that a step needs consent before anything else", () => {
  assertEquals(describeStep({ name: "", properties: undefined }, "denied"), "discarded: consent is denied");
});
