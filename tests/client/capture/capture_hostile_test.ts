import { assertEquals } from "@std/assert";
import { arrivalOf } from "../../support/hostile.ts";
import { namesOf, only, startVisit, warningsOf } from "../../support/visit.ts";

const throwing = new Proxy({}, {
  get: fail,
  has: fail,
  ownKeys: fail,
  getOwnPropertyDescriptor: fail,
  getPrototypeOf: fail,
});

for (
  const [what, properties] of [
    ["a proxy that throws whatever is done with it", throwing],
    ["such a proxy within", { throwing, ok: 1 }],
    ["a getter that throws", Object.defineProperty({ ok: 1 }, "broken", { get: fail, enumerable: true })],
    ["a long text in place of properties", "x".repeat(40_000)],
  ] as const
) {
  Deno.test(`step() survives ${what}: the event goes without properties, with a warning`, async () => {
    assertEquals(await arrivalOf(properties), { isThere: true, properties: undefined, warnings: 1 });
  });
}

Deno.test("step() survives properties that are no object, with one warning for all", async () => {
  const { client, page, accepted } = startVisit();
  const shapes = [null, 0, "x", true, 1n, Symbol("s"), () => {}, [1]];

  for (const shape of shapes) client.step("a", shape as unknown as object);

  const events = await accepted();
  assertEquals([events.length, events.filter((event) => "properties" in event)], [shapes.length, []]);
  assertEquals(warningsOf(page).length, 1);
});

Deno.test("step() survives names that are no string, with one warning for all", async () => {
  const { client, page, accepted } = startVisit();
  const names = [undefined, null, 1, 1n, Symbol("s"), {}, [], () => {}, Object("boxed"), throwing];

  for (const name of names) client.step(name as string);
  client.step("next");

  assertEquals([namesOf(await accepted()), warningsOf(page).length], [["next"], 1]);
});

Deno.test("step() survives lone surrogates in names, keys and values", async () => {
  const { client, page, accepted } = startVisit();

  client.step("tea \ud83c", { "\udf75": "\ud83c" });
  const { name, properties } = only(await accepted());

  assertEquals([name, properties], ["tea \ud83c", { "\udf75": "\ud83c" }]);
  assertEquals(only(page.requests).text.isWellFormed(), true);
});

Deno.test("identify() survives traits that can't be read, userId stays", async () => {
  const { client, accepted } = startVisit();

  client.identify("user-1", throwing);
  client.step("a");

  const { identity } = only(await accepted());
  assertEquals([identity?.userId, identity?.traits], ["user-1", undefined]);
});

for (const state of ["denied", "pending"] as const) {
  Deno.test(`step() asks for consent again after a getter made it ${state}`, async () => {
    const { browser, page, client } = startVisit();

    client.step("a", Object.defineProperty({}, "sly", { get: () => client.setConsent(state), enumerable: true }));
    await browser.advance(60_000);
    page.close();

    assertEquals([page.requests, [...browser.storage.keys()], client.drops()], [[], [], {}]);
  });
}

Deno.test("identify() asks for consent again after a getter withdrew it", async () => {
  const { client, accepted } = startVisit();

  client.identify("user-1", {
    get sly() {
      return client.setConsent("denied");
    },
  });
  client.setConsent("granted");
  client.step("a");

  assertEquals(only(await accepted()).identity?.userId, null);
});

Deno.test("step() survives a getter that calls step(), both events arrive", async () => {
  const { client, accepted } = startVisit();
  const names = ["inner"];

  client.step("outer", {
    get nested() {
      for (const name of names.splice(0)) client.step(name); // it may be asked more than once
      return true;
    },
  });

  assertEquals(namesOf(await accepted()), ["inner", "outer"]);
});

Deno.test("a title or a screen that a page put something else in place of is left out", async () => {
  const { page, client, accepted } = startVisit();
  page.environment.title = () => ({ length: 2 }) as unknown as string;
  page.environment.screen = () => ({ screenWidth: undefined as unknown as number, screenHeight: NaN });

  client.step("a");

  const { context } = only(await accepted());
  assertEquals([context?.pageTitle, context?.screenWidth, context?.screenHeight], [undefined, undefined, undefined]);
});

Deno.test("step() survives a getter that closes the client, and nothing leaves afterwards", async () => {
  const { browser, page, client } = startVisit();

  client.step("a", {
    get last() {
      return client.close();
    },
  });
  client.step("b");
  await browser.advance(60_000);

  assertEquals(page.requests, []);
});

function fail(): never {
  throw new Error("hostile");
}

for (const writable of [true, false]) {
  Deno.test(`a context has nothing of what a page put on every object, writable: ${writable}`, async () => {
    Object.defineProperty(Object.prototype, "mail", {
      value: "ann@shop.example",
      enumerable: true,
      configurable: true,
      writable,
    });
    try {
      const { page, accepted } = startVisit({ trackPageviews: "auto", consent: "pending" });
      await accepted();

      assertEquals(page.requests.map(({ text }) => text.includes("ann@")), [false]);
    } finally {
      Reflect.deleteProperty(Object.prototype, "mail");
    }
  });
}
