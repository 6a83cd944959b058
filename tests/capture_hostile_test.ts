import { assert, assertEquals, assertLess } from "@std/assert";
import { Window } from "happy-dom";
import { arrivalOf } from "./support/hostile.ts";
import { namesOf, only, startVisit, warningsOf } from "./support/visit.ts";

Deno.test("step() survives cycles", async () => {
  const cycle: Record<string, unknown> = { name: "a" };
  cycle.self = cycle;

  assertEquals((await arrivalOf(cycle)).properties, { name: "a", self: "[Circular]" });
});

Deno.test("step() survives BigInt", async () => {
  assertEquals((await arrivalOf({ n: 10n ** 20n })).properties, { n: "100000000000000000000" });
});

Deno.test("step() survives a proxy that throws whatever is done with it", async () => {
  const proxy = createThrowingProxy();

  assertEquals((await arrivalOf({ proxy, ok: 1 })).properties, { proxy: "[Unreadable]", ok: 1 });
});

Deno.test("step() survives such a proxy as properties, the event goes without", async () => {
  const { isThere, properties, warnings } = await arrivalOf(createThrowingProxy());

  assertEquals([isThere, properties, warnings], [true, undefined, 1]);
});

Deno.test("step() survives a revoked proxy as properties", async () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();

  const { isThere, properties } = await arrivalOf(proxy);

  assertEquals([isThere, properties], [true, undefined]);
});

Deno.test("step() survives getters that throw", async () => {
  const value = {
    get broken(): never {
      throw new Error("no");
    },
    ok: 1,
  };

  assertEquals((await arrivalOf(value)).properties, { broken: "[Unreadable]", ok: 1 });
});

Deno.test("step() survives getters that throw what is no Error", async () => {
  const value = {
    get broken(): never {
      throw null;
    },
  };

  assertEquals((await arrivalOf(value)).properties, { broken: "[Unreadable]" });
});

Deno.test("step() asks for consent again after a getter withdrew it", async () => {
  const { browser, page, client } = startVisit();
  const value = {
    get sly() {
      client.setConsent("denied");
      return 1;
    },
  };

  client.step("a", value);
  await browser.advance(60_000);
  page.close();

  assertEquals([page.requests, [...browser.storage.keys()]], [[], []]);
});

Deno.test("identify() asks for consent again after a getter withdrew it", async () => {
  const { client, accepted } = startVisit();
  const traits = {
    get sly() {
      client.setConsent("denied");
      return 1;
    },
  };

  client.identify("user-1", traits);
  client.setConsent("granted");
  client.step("a");

  assertEquals(only(await accepted()).identity?.userId, null);
  client.close();
});

Deno.test("step() survives a getter that calls step(), both events arrive", async () => {
  const { client, accepted } = startVisit();
  const value = {
    get nested() {
      client.step("inner");
      return 1;
    },
  };

  client.step("outer", value);

  assertEquals([...namesOf(await accepted())].sort(), ["inner", "outer"]);
  client.close();
});

Deno.test("step() survives a getter that closes the client, and nothing leaves afterwards", async () => {
  const { browser, page, client } = startVisit();
  const value = {
    get last() {
      client.close();
      return 1;
    },
  };

  client.step("a", value);
  const atOnce = page.requests.length;
  client.step("b");
  await browser.advance(60_000);

  assertEquals(page.requests.length, atOnce);
});

Deno.test("step() leaves DOM nodes out", async () => {
  const window = new Window({ url: "https://shop.example/" });
  const { document } = window;
  const button = document.createElement("button");
  document.body.append(button);

  const { properties } = await arrivalOf({
    button,
    document,
    text: document.createTextNode("x"),
    list: [button],
    ok: 1,
  });

  assertEquals(properties, { list: [null], ok: 1 });
  await window.happyDOM.close();
});

Deno.test("step() leaves a window out", async () => {
  const window = new Window({ url: "https://shop.example/" });

  const { properties, tookMs } = await arrivalOf({ window, ok: 1 });

  assertEquals(properties, { ok: 1 });
  assertLess(tookMs, 1000);
  await window.happyDOM.close();
});

Deno.test("step() survives a DOM event, whose nodes are left out", async () => {
  const window = new Window({ url: "https://shop.example/" });
  let event: unknown;
  window.document.body.addEventListener("click", (click) => event = click);
  window.document.body.click();

  const { isThere, tookMs } = await arrivalOf({ event });

  assert(isThere);
  assertLess(tookMs, 1000);
  await window.happyDOM.close();
});

Deno.test("step() takes Vue-like proxies for what they wrap", async () => {
  const target = { items: [{ name: "sencha" }], total: 3 };
  const reactive = <T extends object>(value: T): T =>
    new Proxy(value, {
      get(raw, key, receiver) {
        if (key === "__v_raw") return raw;
        if (key === "__v_isReactive") return true;
        const member: unknown = Reflect.get(raw, key, receiver);
        return typeof member === "object" && member !== null ? reactive(member) : member;
      },
    });

  assertEquals((await arrivalOf(reactive(target))).properties, { items: [{ name: "sencha" }], total: 3 });
});

Deno.test("step() survives symbols and functions, null in arrays", async () => {
  assertEquals((await arrivalOf({ list: [Symbol("s"), () => {}], f() {} })).properties, { list: [null, null] });
});

Deno.test("step() survives __proto__ keys", async () => {
  const { properties } = await arrivalOf(JSON.parse('{"__proto__":{"admin":true},"constructor":1}'));

  assertEquals(JSON.stringify(properties), '{"__proto__":{"admin":true},"constructor":1}');
});

Deno.test("step() survives lone surrogates in names, keys and values", async () => {
  const { client, page, accepted } = startVisit();

  client.step("tea \ud83c", { "\udf75": "\ud83c" });
  const event = only(await accepted());

  assertEquals([event.name, event.properties, only(page.requests).text.isWellFormed()], [
    "tea \ud83c",
    { "\udf75": "\ud83c" },
    true,
  ]);
  client.close();
});

Deno.test("step() survives names that are no string, one warning for all", async () => {
  const { client, page, accepted } = startVisit();
  const names = [undefined, null, 1, 1n, Symbol("s"), {}, [], () => {}, Object("boxed"), createThrowingProxy()];

  for (const name of names) client.step(name as string);
  client.step("next");

  assertEquals([namesOf(await accepted()), warningsOf(page).length], [["next"], 1]);
  client.close();
});

Deno.test("step() survives properties that are no object, the event goes without and with one warning", async () => {
  const { client, page, accepted } = startVisit();
  const shapes = [null, 0, "x", true, 1n, Symbol("s"), () => {}, [1]];

  for (const shape of shapes) client.step("a", shape as unknown as object);

  const events = await accepted();
  assertEquals([events.length, events.filter((event) => "properties" in event)], [shapes.length, []]);
  assertEquals(warningsOf(page).length, 1);
  client.close();
});

Deno.test("identify() survives hostile traits, userId stays", async () => {
  const { client, accepted } = startVisit();

  client.identify("user-1", createThrowingProxy());
  client.step("a");
  client.identify("user-2", { n: 1n, at: new Date(0), map: new Map([["k", NaN]]) });
  client.step("b");

  assertEquals((await accepted()).map(({ identity }) => [identity?.userId, identity?.traits]), [
    ["user-1", undefined],
    ["user-2", { n: "1", at: "1970-01-01T00:00:00.000Z", map: { k: null } }],
  ]);
  client.close();
});

function createThrowingProxy(): object {
  const fail = (): never => {
    throw new Error("hostile");
  };
  const traps = ["get", "has", "ownKeys", "getOwnPropertyDescriptor", "getPrototypeOf", "set"];
  return new Proxy({}, Object.fromEntries(traps.map((name) => [name, fail])));
}

Deno.test("a getter that withdraws consent to pending keeps its event from being recorded", async () => {
  const { browser, page, client } = startVisit();

  client.step("a", {
    get text() {
      client.setConsent("pending");
      return "x";
    },
  });
  await browser.advance(60_000);

  assertEquals([page.requests, client.drops()], [[], {}]);
  client.close();
});

Deno.test("each event has the title and the screen of its own time", async () => {
  const { page, client, accepted } = startVisit({}, { title: "Teas" });
  let screen = { width: 800, height: 600 };
  page.environment.screen = () => screen;
  client.step("a");
  page.setTitle("Teas (2)");
  client.step("b");
  screen = { width: 600, height: 600 };
  client.step("c");
  screen = { width: 600, height: 800 };
  client.step("d");

  const seen = (await accepted()).map(({ context }) => [
    context?.pageTitle,
    context?.screenWidth,
    context?.screenHeight,
  ]);
  assertEquals(seen, [["Teas", 800, 600], ["Teas (2)", 800, 600], ["Teas (2)", 600, 600], ["Teas (2)", 600, 800]]);
  client.close();
});

Deno.test("a title or a screen that a page put something else in place of is left out", async () => {
  const { page, client, accepted } = startVisit();
  page.environment.title = () => ({ length: 2 }) as unknown as string;
  page.environment.screen = () => ({ width: "800" as unknown as number, height: NaN });

  client.step("a");

  const { context } = only(await accepted());
  assertEquals([context?.pageTitle, context?.screenWidth, context?.screenHeight], [undefined, undefined, undefined]);
  client.close();
});
