import { assertEquals } from "@std/assert";
import { is } from "valibot";
import type { Rule } from "../../../src/addons/rules/mod.ts";
import { AGGREGATE_BODY } from "../../../src/ingest/contract/aggregate_body.ts";
import { entryKeys } from "../../support/entries.ts";
import { FROM, URL, visit } from "./rules_visit.ts";

Deno.test("a rule can't add to an aggregate what consent doesn't allow", async () => {
  const more: Rule = (event) => ({
    ...event,
    properties: { a: 1 },
    traits: { b: 2 },
    url: URL,
    referrer: FROM,
    title: "Account of Ann",
  });
  const { browser, page } = visit([more], { consent: "pending", trackPageviews: "auto" });
  await browser.advance(10_000);

  const [event] = page.events;
  assertEquals(Object.keys(event ?? {}), ["id", "name", "timestamp", "context"]);
  assertEquals([event?.context?.pageUrl, event?.context?.referrer, event?.context?.pageTitle], [
    "https://shop.example/users/7",
    "https://mail.example",
    undefined,
  ]);
});

for (const url of ["", "/users", "https://[mail]/", "mailto:ann@mail.example"]) {
  Deno.test(`an aggregate whose URL a rule turns into ${JSON.stringify(url)} is dropped, and its batch isn't`, async () => {
    const rule: Rule = (event) => event.url.endsWith("/b") ? { ...event, url } : event;
    const { browser, page, client } = visit([rule], { consent: "pending", trackPageviews: "auto" });
    browser.respond(({ body }) => ({ status: is(AGGREGATE_BODY, body) ? 202 : 400 }));
    await browser.advance(10);
    for (const path of ["/b", "/c"]) {
      page.pushState(path);
      await browser.advance(10);
    }
    await browser.advance(10_000);

    assertEquals(page.events.map(({ context }) => context?.pageUrl), [
      "https://shop.example/users/7",
      "https://shop.example/c",
    ]);
    assertEquals(client.drops(), { redacted: 1 });
  });
}

Deno.test("an aggregate has the origin and path of an application's page too, where a rule returns one", async () => {
  const rule: Rule = (event) => ({ ...event, url: "tauri://ann:secret@localhost/teas?q=oolong" });
  const { browser, page } = visit([rule], { consent: "pending", trackPageviews: "auto" });
  browser.respond(({ body }) => ({ status: is(AGGREGATE_BODY, body) ? 202 : 400 }));
  await browser.advance(10_000);

  assertEquals(page.events.map(({ context }) => context?.pageUrl), ["tauri://localhost/teas"]);
});

for (
  const [referrer, expected] of [
    ["https://ann:secret@mail.example:443/inbox", "https://mail.example"],
    ["android-app:com.example", undefined],
    ["mail", undefined],
  ] as const
) {
  Deno.test(`an aggregate has the origin of the referrer that a rule returns: ${referrer}`, async () => {
    const { browser, page } = visit([(event) => ({ ...event, referrer })], {
      consent: "pending",
      trackPageviews: "auto",
    });
    browser.respond(({ body }) => ({ status: is(AGGREGATE_BODY, body) ? 202 : 400 }));
    await browser.advance(10_000);

    assertEquals(page.events.map(({ context }) => context?.referrer), [expected]);
  });
}

Deno.test("a grant after a dropped aggregate records its page in full, and takes no other aggregate back", async () => {
  const rule: Rule = (event) => event.kind === "aggregate" && event.url.endsWith("/b") ? null : event;
  const { browser, page, client } = visit([rule], { consent: "pending", trackPageviews: "auto" });
  await browser.advance(1000);
  page.pushState("/b");
  await browser.advance(1000);
  client.setConsent("granted");
  await browser.advance(10_000);

  assertEquals(page.events.map(({ context, identity }) => [context?.pageUrl, !!identity]), [
    ["https://shop.example/users/7", false],
    ["https://shop.example/b", true],
  ]);
});

for (const state of ["denied", "pending"] as const) {
  for (const trackPageviews of [false, "auto"] as const) {
    Deno.test(`a rule that sets ${state} lets no event out and stores none, pageviews ${trackPageviews}`, async () => {
      const { browser, page, client } = visit([(event) => {
        client.setConsent(state);
        return event.kind === "aggregate" ? null : event;
      }], { trackPageviews });
      client.step("a");
      client.step("b");
      await browser.advance(10_000);
      page.hide();
      await browser.advance(60_000);

      assertEquals(page.requests, []);
      assertEquals(entryKeys(browser), []);
      assertEquals(client.drops(), { consent: trackPageviews ? 3 : 2 });
    });
  }
}

Deno.test("a rule that sets denied leaves nothing on the device, and a later grant brings nothing back", async () => {
  let isDenying = true;
  const { browser, page, client } = visit([(event) => {
    if (isDenying) client.setConsent("denied");
    return event;
  }], { trackPageviews: true });
  client.step("a");
  await browser.advance(10_000);
  const stored = [...browser.storage.keys()];
  isDenying = false;
  client.setConsent("granted");
  client.step("b");
  await browser.advance(10_000);

  assertEquals(stored, []);
  assertEquals(page.events.map(({ name }) => name), ["b"]);
});

Deno.test("what was captured before a rule denied consent stays void when it grants it again", async () => {
  let isFirst = true;
  const { browser, page, client } = visit([(event) => {
    if (isFirst) { for (const state of ["denied", "granted"] as const) client.setConsent(state); }
    isFirst = false;
    return event;
  }]);
  for (const name of ["a", "b"]) client.step(name);
  await browser.settle();
  client.step("c");
  await browser.advance(10_000);

  assertEquals([page.events.map(({ name }) => name), client.drops()], [["c"], { consent: 2 }]);
});

Deno.test("a page stays counted once, without a visitor, where a rule grants consent for its aggregate", async () => {
  const { browser, page, client } = visit([(event) => {
    client.setConsent("granted");
    return event;
  }], { consent: "pending", trackPageviews: "auto" });
  await browser.advance(10_000);

  assertEquals(page.events.map(({ name, identity }) => [name, identity]), [["$pageview", undefined]]);
});
