import { assertEquals } from "@std/assert";
import { findInside } from "../../../src/client/inside.ts";
import { createVendor, namesOf, openPage, startVisit, urlsOf } from "../../support/visit.ts";

Deno.test("a hook that grants consent on a page's aggregate takes back no other page's", async () => {
  const { browser, page, client } = startVisit({ trackPageviews: "auto", consent: "pending" });
  await browser.advance(1000);
  page.pushState("/a");
  findInside(client)?.hooks?.beforeSend.push((event) => {
    client.setConsent("granted");
    return event;
  });

  await browser.advance(6000);

  assertEquals(urlsOf(page.events), ["https://shop.example/teas", "https://shop.example/a"]);
  client.close();
});

Deno.test("an event that can't be made is dropped and counted, and takes no other along", async () => {
  const { browser, page } = openPage();
  let fails = false;
  const vendor = createVendor({
    ...page.environment,
    randomId() {
      if (!fails) return page.environment.randomId();
      fails = false;
      throw new Error("replaced");
    },
  });
  const reasons: string[] = [];
  findInside(vendor)?.hooks?.on.push((change) => {
    if (change.type === "dropped") reasons.push(`${change.draft?.name}: ${change.reason}`);
  });
  vendor.init({ apiKey: "pk" });
  vendor.step("a");
  await browser.settle();
  fails = true;

  for (const name of ["b", "c"]) vendor.step(name);
  await browser.advance(6000);

  assertEquals([namesOf(page.events), reasons], [["a", "c"], ["b: redacted"]]);
  vendor.close();
});
