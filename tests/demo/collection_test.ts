import { assertEquals } from "@std/assert";
import { describeCall, describeChange, describeCollection } from "../../scripts/demo/site/collection.ts";

Deno.test("describeCollection() says of pageviews and steps how much of them each state and mode lets through", () => {
  const levels = (...args: Parameters<typeof describeCollection>): string =>
    describeCollection(...args).facts.map(([, level]) => level).join(" ");

  assertEquals(levels("pending", "auto"), "aggregate none");
  assertEquals(levels("pending", true), "none none");
  assertEquals(levels("pending", false), "none none");
  assertEquals(levels("granted", "auto"), "full full");
  assertEquals(levels("granted", true), "full full");
  assertEquals(levels("granted", false), "none full");
  assertEquals(levels("denied", "auto"), "none none");
});

Deno.test("describeCall() says which calls consent holds back", () => {
  const held = (consent: "pending" | "granted" | "denied"): string =>
    (["step", "page", "identify", "reset", "flush"] as const)
      .filter((call) => describeCall(call, consent).isHeld).join(" ");

  assertEquals(held("pending"), "step page identify");
  assertEquals(held("granted"), "");
  assertEquals(held("denied"), "step page identify");
});

Deno.test("describeChange() says what became of the page of now", () => {
  const page = (change: Partial<Parameters<typeof describeChange>[0]>): string | undefined =>
    describeChange({ from: "pending", to: "granted", mode: "auto", isCounted: false, ...change }).split(";")[0];

  assertEquals(page({ isCounted: true }), "This page was already counted without you");
  assertEquals(page({}), "From here on events carry your visitor ID and session.");
  assertEquals(page({ mode: false }), "No page is recorded by itself");
  assertEquals(page({ from: "denied" }), "You begin as a new visitor");
});
