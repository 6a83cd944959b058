import { assertEquals } from "@std/assert";
import { runInNewContext } from "node:vm";
import { snapshot } from "../src/snapshot.ts";
import { textOf } from "./support/hostile.ts";

Deno.test("snapshot() keeps what JSON keeps", () => {
  assertEquals(textOf({ a: 1, b: "x", c: true, d: null, e: [1, [2]], f: {} }), {
    a: 1,
    b: "x",
    c: true,
    d: null,
    e: [1, [2]],
    f: {},
  });
});

Deno.test("snapshot() makes a Date an ISO string, an invalid one null", () => {
  assertEquals(textOf({ at: new Date(0), never: new Date(NaN) }), { at: "1970-01-01T00:00:00.000Z", never: null });
});

Deno.test("snapshot() makes a BigInt a decimal string", () => {
  assertEquals(textOf({ n: 9007199254740993n, boxed: Object(5n), list: [-1n] }), {
    n: "9007199254740993",
    boxed: "5",
    list: ["-1"],
  });
});

Deno.test("snapshot() makes NaN and infinities null", () => {
  assertEquals(textOf({ a: NaN, b: Infinity, c: [-Infinity] }), { a: null, b: null, c: [null] });
});

Deno.test("snapshot() makes a Map an object", () => {
  const map = new Map<unknown, unknown>([["a", 1], [2, new Map([["b", new Date(0)]])], [null, "n"]]);

  assertEquals(textOf({ map }), { map: { a: 1, 2: { b: "1970-01-01T00:00:00.000Z" }, null: "n" } });
});

Deno.test("snapshot() makes a Set an array", () => {
  assertEquals(textOf({ set: new Set([1, "a", new Set([2n])]) }), { set: [1, "a", ["2"]] });
});

Deno.test("snapshot() makes an Error its name and message", () => {
  const cause = new TypeError("no such tea", { cause: new Error("hidden") });

  assertEquals(textOf({ cause }), { cause: { name: "TypeError", message: "no such tea" } });
});

Deno.test("snapshot() makes an Error of a class of one's own its name and message", () => {
  class ShopError extends Error {
    override readonly name = "ShopError";
    readonly secret = "stays";
  }

  assertEquals(textOf({ cause: new ShopError("sold out") }), { cause: { name: "ShopError", message: "sold out" } });
});

Deno.test("snapshot() makes a DOMException its name and message", () => {
  assertEquals(textOf({ cause: new DOMException("stopped", "AbortError") }), {
    cause: { name: "AbortError", message: "stopped" },
  });
});

Deno.test("snapshot() makes boxed primitives plain", () => {
  const boxed = { n: Object(1), s: Object("x"), b: Object(false) };

  assertEquals(textOf(boxed), { n: 1, s: "x", b: false });
});

Deno.test("snapshot() leaves functions, symbols and undefined out, null in an array", () => {
  const values = { f: () => 1, s: Symbol("s"), u: undefined, list: [() => 1, Symbol("s"), undefined] };

  assertEquals(textOf(values), { list: [null, null, null] });
});

Deno.test("snapshot() leaves symbol keys, inherited and hidden members out", () => {
  const value = Object.create({ inherited: 1 }, {
    hidden: { value: 2, enumerable: false },
    own: { value: 3, enumerable: true },
    [Symbol("s")]: { value: 4, enumerable: true },
  });

  assertEquals(textOf({ value }), { value: { own: 3 } });
});

Deno.test("snapshot() makes a cycle [Circular]", () => {
  const value: Record<string, unknown> = { name: "a" };
  value.self = value;
  value.list = [value, { value }];

  assertEquals(textOf(value), { name: "a", self: "[Circular]", list: ["[Circular]", { value: "[Circular]" }] });
});

Deno.test("snapshot() clones the same object twice where there is no cycle", () => {
  const tea = { name: "sencha" };

  assertEquals(textOf({ first: tea, second: tea, list: [tea, tea] }), {
    first: { name: "sencha" },
    second: { name: "sencha" },
    list: [{ name: "sencha" }, { name: "sencha" }],
  });
});

Deno.test("snapshot() keeps 64 levels", () => {
  let value: unknown = "bottom";
  for (let i = 0; i < 64; i++) value = { value };

  assertEquals(snapshot(value, 32_768).text, JSON.stringify(value));
});

Deno.test("snapshot() cuts off what is nested deeper", () => {
  let value: Record<string, unknown> = { bottom: true };
  for (let i = 0; i < 10_000; i++) value = { value };

  const { text = "" } = snapshot(value, 32_768);

  assertEquals([text.includes("[Truncated]"), text.split("{").length <= 67, JSON.parse(text) !== null], [
    true,
    true,
    true,
  ]);
});

Deno.test("snapshot() makes a getter that throws [Unreadable], which costs its member only", () => {
  const value = {
    before: 1,
    get broken(): never {
      throw new Error("no");
    },
    after: 2,
  };

  assertEquals(textOf({ value }), { value: { before: 1, broken: "[Unreadable]", after: 2 } });
});

Deno.test("snapshot() makes a toJSON that throws [Unreadable]", () => {
  const toJSON = (): never => {
    throw new Error("no");
  };

  assertEquals(textOf({ a: { toJSON }, b: 1 }), { a: "[Unreadable]", b: 1 });
});

Deno.test("snapshot() calls toJSON", () => {
  assertEquals(textOf({ url: new URL("https://shop.example/teas"), own: { toJSON: () => ({ ok: 1n }) } }), {
    url: "https://shop.example/teas",
    own: { ok: "1" },
  });
});

Deno.test("snapshot() copies the members where a toJSON returns its own object, as JSON does", () => {
  const value = {
    a: 1,
    toJSON() {
      return value;
    },
  };

  assertEquals(textOf({ value }), { value: { a: 1 } });
});

Deno.test("snapshot() takes only what has the types of a DOM node's members for one", () => {
  class Block {
    nodeType = "task";
    nodeName = "Build";
  }

  assertEquals(textOf({ node: new Block() }), { node: { nodeType: "task", nodeName: "Build" } });
});

Deno.test("snapshot() doesn't call the toJSON of what a toJSON returned, as JSON doesn't", () => {
  class Payment {
    amount = 3;
    card? = "4111";
    toJSON(): Payment {
      const shown = Object.assign(new Payment(), this);
      delete shown.card;
      return shown;
    }
  }
  const create = (): unknown => ({ toJSON: create });

  assertEquals(textOf({ payment: new Payment(), list: [new Payment()] }), {
    payment: { amount: 3 },
    list: [{ amount: 3 }],
  });
  assertEquals(textOf(new Payment()), { amount: 3 });
  assertEquals(textOf({ value: create() }), { value: {} });
});

Deno.test("snapshot() ends where toJSON leads back to what is around it", () => {
  const value: Record<string, unknown> = { a: 1, inner: { toJSON: () => value } };

  assertEquals(textOf({ value }), { value: { a: 1, inner: "[Circular]" } });
});

Deno.test("snapshot() knows an Error of a frame", () => {
  const error = runInNewContext(`new TypeError("of a frame")`);

  assertEquals(textOf({ error, list: [error] }), {
    error: { name: "TypeError", message: "of a frame" },
    list: [{ name: "TypeError", message: "of a frame" }],
  });
});

Deno.test("snapshot() copies what toJSON repeats no more often than it is there", () => {
  const value: Record<string, unknown> = {};
  for (let i = 0; i < 50; i++) value[`m${i}`] = { toJSON: () => value };

  assertEquals(Object.values(Object(textOf({ value })).value), Array.from({ length: 50 }, () => "[Circular]"));
});

Deno.test("snapshot() makes a revoked proxy [Unreadable]", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();

  assertEquals(textOf({ proxy, list: [proxy], ok: 1 }), { proxy: "[Unreadable]", list: ["[Unreadable]"], ok: 1 });
});

Deno.test("snapshot() keeps a __proto__ key as data, and no prototype changes", () => {
  const value = JSON.parse('{"__proto__": {"polluted": true}, "a": 1}');

  const { text } = snapshot(value, 32_768);

  assertEquals([text, "polluted" in {}], ['{"__proto__":{"polluted":true},"a":1}', false]);
});

Deno.test("snapshot() escapes lone surrogates, so that the text is valid UTF-8", () => {
  const { text = "" } = snapshot({ name: "\ud83c", "\udf75": "tail" }, 32_768);

  assertEquals([text, text.isWellFormed()], ['{"name":"\\ud83c","\\udf75":"tail"}', true]);
});

Deno.test("snapshot() has no text for what is no object", () => {
  const shapes = [null, 1, "x", true, 1n, Symbol("s"), () => {}, [1], new Set([1]), new Date(0)];

  assertEquals<unknown>(shapes.map((value) => snapshot(value, 32_768)), shapes.map(() => ({ failure: "shape" })));
});

Deno.test("snapshot() has neither text nor failure for undefined", () => {
  assertEquals(snapshot(undefined, 32_768), {});
});

Deno.test("snapshot() makes an array item whose getter throws [Unreadable], which costs that item only", () => {
  const list = Object.defineProperty([1, 2], 0, {
    get() {
      throw new Error("no");
    },
    enumerable: true,
  });

  assertEquals(snapshot({ list }, 999).text, '{"list":["[Unreadable]",2]}');
});

Deno.test("snapshot() leaves out a function that has a toJSON of its own", () => {
  const method = Object.assign(() => {}, { toJSON: () => "x" });

  assertEquals(textOf({ method, list: [method] }), { list: [null] });
});
