import { assertEquals } from "@std/assert";
import { stub } from "@std/testing/mock";
import { Vendor } from "../../../mod.ts";
import { addProperties, addRules, type Rule } from "../../../src/addons/rules/mod.ts";
import { createClient } from "../../../src/client/mod.ts";
import { captureVendor, createTestBrowser } from "../../../src/testing/mod.ts";

const LIMIT = 32_768;

function warningsOf<T>(act: () => T): { readonly result: T; readonly warnings: readonly string[] } {
  const warnings: string[] = [];
  const warn = stub(console, "warn", (message) => void warnings.push(message));
  try {
    return { result: act(), warnings };
  } finally {
    warn.restore();
  }
}

Deno.test("addProperties() adds to steps and full pageviews, never to aggregates, and a step's own win", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/teas");
  const client = createClient({ apiKey: "pk_test", consent: "pending", trackPageviews: "auto" }, page.environment);
  addRules(client, addProperties({ release: "1.4", team: "tea" }));
  await browser.advance(6000);
  client.setConsent("granted");
  client.step("plain");
  client.step("own", { release: "2.0", items: 3 });
  page.pushState("/cart");
  await browser.advance(10_000);

  assertEquals(page.events.map(({ name, sessionId, properties }) => [name, sessionId === undefined, properties]), [
    ["$pageview", true, undefined],
    ["plain", false, { release: "1.4", team: "tea" }],
    ["own", false, { release: "2.0", team: "tea", items: 3 }],
    ["$pageview", false, { release: "1.4", team: "tea" }],
  ]);
});

Deno.test("addProperties() reads its values at the call, as step() does, and gives each event a copy", () => {
  let count = 1;
  const values = {
    get count() {
      return count;
    },
    at: new Date(0),
    tags: new Set(["a"]),
    nested: { changed: 0 },
  };
  const change: Rule = (event) => {
    (event.properties?.nested as { changed: number }).changed++;
    return event;
  };
  const page = captureVendor(Vendor);
  const remove = addRules(Vendor, addProperties(values), change);
  values.nested.changed = count = 7;
  for (const name of ["a", "b"]) Vendor.step(name);
  const properties = { count: 1, at: "1970-01-01T00:00:00.000Z", tags: ["a"], nested: { changed: 1 } };

  assertEquals(page.events.map((event) => event.properties), [properties, properties]);
  remove();
  page.restore();
});

Deno.test("addProperties() leaves the common ones out where the step has no room for them, with one warning", () => {
  const rule = addProperties({ common: "é".repeat(100) });
  const own = (characters: number) => ({ text: "t".repeat(characters) });
  const page = captureVendor(Vendor);
  const remove = addRules(Vendor, rule);
  // {"common":"…","text":"…"} has 23 bytes beside its texts.
  const room = LIMIT - 200 - 23;
  const { result: events, warnings } = warningsOf(() => {
    for (const characters of [room, room + 1, LIMIT - 11]) Vendor.step("a", own(characters));
    return page.events;
  });

  assertEquals(events.map(({ properties }) => Object.keys(properties ?? {})), [["common", "text"], ["text"], ["text"]]);
  assertEquals(warnings, ["[Vendor] addProperties() left out: over 32 KiB with the event's own"]);
  remove();
  page.restore();
});

for (const values of ["release", null, new Proxy({}, { ownKeys: () => [][0] as never })]) {
  Deno.test(`addProperties() warns of what it can't read: ${typeof values} ${values === null}`, () => {
    const { result: rule, warnings } = warningsOf(() => addProperties(values as object));

    assertEquals(warnings, ["[Vendor] addProperties() takes an object that can be read: nothing is added"]);
    const event = { kind: "step", name: "a", url: "", referrer: "", title: "" } as const;
    assertEquals(rule(event), event);
  });
}

Deno.test("rules see what was recorded before them and isn't kept yet", () => {
  const page = captureVendor(Vendor);
  Vendor.step("before");
  const remove = addRules(Vendor, addProperties({ release: "1.4" }));

  assertEquals(page.events.map(({ properties }) => properties), [{ release: "1.4" }]);
  remove();
  page.restore();
});
