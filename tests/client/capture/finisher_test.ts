import { assertEquals } from "@std/assert";
import { findInside } from "../../../src/client/inside.ts";
import { startVisit, urlsOf } from "../../support/visit.ts";

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
