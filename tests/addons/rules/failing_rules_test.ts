import { assertEquals } from "@std/assert";
import { addRules, type Rule, type RuledEvent } from "../../../src/addons/rules/mod.ts";
import { openPage } from "../../support/visit.ts";
import { textOf, visit } from "./rules_visit.ts";

function nest(levels: number): Record<string, unknown> {
  return levels === 0 ? {} : { in: nest(levels - 1) };
}

const FAILING: Readonly<Record<string, (event: RuledEvent) => unknown>> = {
  "throws": () => {
    throw new Error("no");
  },
  "returns nothing": () => {},
  "returns a promise": (event) => Promise.resolve(event),
  "returns a name that is too long": (event) => ({ ...event, name: "n".repeat(101) }),
  "returns properties that are none": (event) => ({ ...event, properties: "text" }),
  "returns properties that can't be written": (event) => ({ ...event, properties: { event, n: 1n } }),
  "returns properties over the limit": (event) => ({ ...event, properties: { text: "t".repeat(32_768) } }),
  "returns traits over the limit": (event) => ({ ...event, traits: { text: "t".repeat(8192) } }),
  "returns properties of more levels than the ingest takes": (event) => ({ ...event, properties: nest(200) }),
  "returns a title that is no text": (event) => ({ ...event, title: 7 }),
};

for (const [what, rule] of Object.entries(FAILING)) {
  Deno.test(`an event for which a rule ${what} is neither stored nor sent, with a warning`, async () => {
    const { browser, page, client } = visit([rule as Rule]);
    client.step("secret");
    page.hide();
    await browser.advance(60_000);

    assertEquals(textOf({ browser, page, client }).includes("secret"), false);
    const [warning = "", ...others] = page.logs.map(({ message }) => message);
    assertEquals(warning.startsWith("[Vendor] event dropped: "), true, warning);
    assertEquals([client.drops(), others], [{ redacted: 1 }, []]);
    client.close();
  });
}

Deno.test("an event for which a rule throws costs no other one, and its warning says why", async () => {
  const { browser, page, client } = visit([(event) => {
    if (event.name === "b") throw new TypeError("no properties");
    return event;
  }]);
  for (const name of ["a", "b", "c", "b", "d"]) client.step(name);
  await browser.advance(10_000);

  assertEquals(page.events.map(({ name }) => name), ["a", "c", "d"]);
  assertEquals([client.drops(), page.logs.map(({ message }) => message)], [
    { redacted: 2 },
    ["[Vendor] event dropped: TypeError: no properties"],
  ]);
});

Deno.test("texts that a rule makes too long are left out, and the event stays", async () => {
  const long = "a".repeat(9000);
  const rule: Rule = (event) => ({
    ...event,
    title: long,
    url: `https://shop.example/teas?q=${long}`,
    referrer: `https://mail.example/${long}`,
  });
  const { browser, page, client } = visit([rule]);
  client.step("a");
  await browser.advance(10_000);

  const { context } = page.events[0] ?? {};
  assertEquals([context?.pageUrl, context?.referrer, context?.pageTitle], [
    "https://shop.example/teas",
    undefined,
    undefined,
  ]);
});

for (const thrown of [Symbol("x"), Object.create(null)]) {
  Deno.test(`addRules(): a rule that throws a ${typeof thrown} costs its event, and holds up no withdrawal`, async () => {
    const { browser, page, vendor } = openPage();
    addRules(vendor, (event) => {
      if (event.name === "a") throw thrown;
      return event;
    });
    vendor.init({ apiKey: "pk" });
    for (const name of ["b", "a", "c"]) vendor.step(name);
    await browser.advance(10_000);
    vendor.step("a");
    vendor.setConsent("pending");

    assertEquals([page.events.map(({ name }) => name), vendor.getConsent()], [["b", "c"], "pending"]);
  });
}

Deno.test("a rule whose errors differ makes one warning, its first, and the next rule its own", async () => {
  const failing = (what: string): Rule => (event) => {
    if (event.name.startsWith(what)) throw new Error(`no ${event.name}`);
    return event;
  };
  const { browser, page, client } = visit([failing("a"), failing("b")]);
  for (const name of ["a1", "a2", "b1", "a3", "b2", "c"]) client.step(name);
  await browser.advance(10_000);

  assertEquals([page.events.map(({ name }) => name), client.drops()], [["c"], { redacted: 5 }]);
  assertEquals(page.logs.map(({ message }) => message), [
    "[Vendor] event dropped: Error: no a1",
    "[Vendor] event dropped: Error: no b1",
  ]);
});
