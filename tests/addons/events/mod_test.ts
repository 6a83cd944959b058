import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { type Drop, type EventsClient, onConsent, onDrop } from "../../../src/addons/events/mod.ts";
import { createTestBrowser } from "../../../src/testing/mod.ts";
import { openPage, startVisit } from "../../support/visit.ts";

Deno.test("onConsent() tells of each state that comes into force, of another tab's denial too, until it's ended", async () => {
  const browser = createTestBrowser();
  const { vendor } = openPage({ browser });
  const heard: string[] = [];
  const end = onConsent(vendor, (state) => {
    heard.push(state);
    throw new Error("costs nothing");
  });
  vendor.init({ apiKey: "pk", consent: "pending" });
  vendor.setConsent("granted");
  vendor.setConsent("granted");
  await browser.settle();

  startVisit({ consent: "denied" }, { browser });
  await browser.settle();
  end();
  end();
  vendor.setConsent("granted");

  assertEquals([heard, vendor.getConsent()], [["pending", "granted", "denied"], "granted"]);
});

Deno.test("onConsent() tells of a denial that has taken place: a listener that grants again brings nothing back", async () => {
  const { browser, page, client } = startVisit();
  client.identify("user-1");
  client.step("before");
  onConsent(client, (state) => {
    if (state === "denied") client.setConsent("granted");
  });

  client.setConsent("denied");
  client.step("after");
  await browser.advance(5000);

  assertEquals(page.events.map(({ name, identity }) => [name, identity?.userId]), [["after", null]]);
});

Deno.test("onDrop() tells why events were dropped, and how many", async () => {
  const { browser, client } = startVisit();
  const heard: Drop[] = [];
  const end = onDrop(client, (drop) => void heard.push(drop));
  browser.respond({ status: 400 });
  client.step("a");
  client.step("b");
  await browser.advance(5000);
  client.step("c");
  client.setConsent("denied");
  end();
  client.setConsent("granted");
  client.step("large", { text: "x".repeat(40_000) });

  assertEquals(heard, [{ reason: "rejected", amount: 2 }, { reason: "consent", amount: 1 }]);
});

Deno.test("onConsent() and onDrop() warn of what is no client, and hear nothing", () => {
  using warn = stub(console, "warn");

  for (const wrong of [undefined, {}, "Vendor"]) {
    onConsent(wrong as unknown as EventsClient, () => {})();
    onDrop(wrong as unknown as EventsClient, () => {})();
  }

  assertEquals(warn.calls.length, 6);
});
