import { assertEquals } from "@std/assert";
import { Window } from "happy-dom";
import { toJson } from "../../src/client/json.ts";
import { textOf } from "../support/hostile.ts";

const tea = { name: "sencha" };
const cycle: Record<string, unknown> = { name: "a" };
cycle.self = cycle;
cycle.list = [cycle, { cycle }, new Map([["cycle", cycle]])];
const ownForm = { a: 1, toJSON: () => ownForm };
const around: Record<string, unknown> = { a: 1, inner: { toJSON: () => around } };
const instance = Object.create({ inherited: 1 }, {
  hidden: { value: 2, enumerable: false },
  own: { value: 3, enumerable: true },
  [Symbol("s")]: { value: 4, enumerable: true },
});
class ShopError extends Error {
  override readonly name = "ShopError";
  readonly secret = "stays";
}
class Block {
  nodeType = "task";
  nodeName = "Build";
}

for (
  const [what, value, form] of [
    ["plain values as they are", { a: 1, b: "x", c: true, d: null, e: [1, [2]], f: {} }, undefined],
    ["a Date as an ISO string, an invalid one as null", { at: new Date(0), never: new Date(NaN) }, {
      at: "1970-01-01T00:00:00.000Z",
      never: null,
    }],
    ["a BigInt as a decimal string", { n: 9007199254740993n, list: [-1n] }, { n: "9007199254740993", list: ["-1"] }],
    ["NaN and infinities as null", { a: NaN, b: [-Infinity] }, { a: null, b: [null] }],
    ["a Map as an object", { map: new Map<unknown, unknown>([["a", 1], [2, new Map([["b", 2n]])], [null, "n"]]) }, {
      map: { a: 1, 2: { b: "2" }, null: "n" },
    }],
    ["a Set as an array", { set: new Set([1, "a", new Set([2n])]) }, { set: [1, "a", ["2"]] }],
    ["what has no enumerable members of its own as an empty object", {
      file: new File(["x"], "x.txt"),
      promise: Promise.resolve(1),
      pattern: /x/,
      form: new FormData(),
    }, { file: {}, promise: {}, pattern: {}, form: {} }],
    ["an Error as name and message", { cause: new ShopError("sold out", { cause: new Error("hidden") }) }, {
      cause: { name: "ShopError", message: "sold out" },
    }],
    ["a DOMException so, too", { cause: new DOMException("stopped", "AbortError") }, {
      cause: { name: "AbortError", message: "stopped" },
    }],
    ["functions, symbols and undefined not at all, null in an array", { f() {}, s: Symbol("s"), list: [() => 1] }, {
      list: [null],
    }],
    ["own and enumerable members alone", { instance }, { instance: { own: 3 } }],
    ["a cycle as [Circular]", cycle, {
      name: "a",
      self: "[Circular]",
      list: ["[Circular]", { cycle: "[Circular]" }, { cycle: "[Circular]" }],
    }],
    ["an object twice where there is no cycle", { tea, list: [tea, { tea }] }, undefined],
    ["what toJSON() returns", { url: new URL("https://shop.example/"), own: { toJSON: () => ({ ok: 1n }) }, ownForm }, {
      url: "https://shop.example/",
      own: { ok: "1" },
      ownForm: { a: 1 },
    }],
    ["[Circular] where toJSON() leads back to what is around it", { around }, {
      around: { a: 1, inner: "[Circular]" },
    }],
    ["what looks like a DOM node but is none", { node: new Block(), worker: { nodeType: 3, nodeName: "worker-1" } }, {
      node: { nodeType: "task", nodeName: "Build" },
      worker: { nodeType: 3, nodeName: "worker-1" },
    }],
    ["a proxy as what it stands for", new Proxy({ list: new Proxy([tea], {}) }, {}), { list: [tea] }],
  ] as const
) Deno.test(`toJson() writes ${what}`, () => assertEquals<unknown>(textOf(value), form ?? value));

Deno.test("toJson() keeps a __proto__ key as data, and no prototype changes", () => {
  const text = '{"__proto__":{"polluted":true},"constructor":1}';

  assertEquals([toJson(JSON.parse(text)), "polluted" in {}], [text, false]);
});

Deno.test("toJson() asks a toJSON() that is inherited from a plain object", () => {
  const made = Object.assign(Object.create({ toJSON: () => ({ ok: 1 }) }), { inner: "not to be seen" });

  assertEquals(textOf(made), { ok: 1 });
});

Deno.test("toJson() writes what an inherited toJSON() gives of a member, by its form", () => {
  class Old {
    static {
      Object.defineProperty(Old.prototype, "constructor", { value: Object });
    }
    constructor(readonly form: unknown) {}
    toJSON(): unknown {
      return this.form;
    }
  }
  const cycle: Record<string, unknown> = {};
  cycle.self = cycle;
  const hidden = Object.defineProperty({ a: 1 }, "toJSON", { value: () => new Error("sold out") });

  assertEquals(
    textOf({ map: new Old(new Map([["k", 1]])), big: new Old(10n), cycle: new Old(cycle), hidden }),
    { map: { k: 1 }, big: "10", cycle: { self: "[Circular]" }, hidden: { name: "Error", message: "sold out" } },
  );
  assertEquals(textOf({ none: Object.assign(Object.create(null), { a: 1n }) }), { none: { a: "1" } });
});

Deno.test("toJson() escapes lone surrogates, so that the text is valid UTF-8", () => {
  assertEquals(toJson({ name: "\ud83c", "\udf75": "tail" }), '{"name":"\\ud83c","\\udf75":"tail"}');
});

for (
  const [what, build] of [
    ["objects that all know each other", () => {
      const peers: object[] = Array.from({ length: 30 }, () => ({}));
      for (const peer of peers) Object.assign(peer, { peers: [...peers] });
      return { peers };
    }],
    ["objects that know each other by name", () => {
      const peers = Array.from({ length: 30 }, (): Record<string, unknown> => ({}));
      for (const peer of peers) peers.forEach((other, index) => peer[`peer${index}`] = other);
      return peers[0];
    }],
    ["two ways on from each object", () => {
      let end: object = {};
      for (let depth = 0; depth < 64; depth++) end = { left: end, right: end };
      return end;
    }],
    ["Maps and Sets that hold each other", () => {
      let end: object = new Map();
      for (let depth = 0; depth < 64; depth++) end = new Map([["a", new Set([end])], ["b", new Set([end])]]);
      return { end };
    }],
    ["a list that is nearly all holes", () => {
      const list: number[] = [];
      list[30_000_000] = 1;
      return { list };
    }],
    ["levels without end that an inherited toJSON() gives", () => {
      let end: object = {};
      for (let depth = 0; depth < 500; depth++) end = { end };
      return { made: Object.create({ toJSON: () => end }) };
    }],
    ["a proxy that always has more", () => {
      const more = (): object =>
        new Proxy({ left: 0, right: 0 }, { get: (_, key) => key === "toJSON" ? undefined : more() });
      return more();
    }],
  ] as const
) {
  Deno.test(`toJson() gives up on ${what}`, () => {
    assertEquals(problemOf(build()), "Error: too large");
  });
}

Deno.test("toJson() writes a Map that leads back to itself once, and gives up on a huge one", () => {
  const all = new Map<string, unknown>([["n", 1]]);
  all.set("self", all).set("items", new Set([{ all }]));
  const huge = new Map(Array.from({ length: 30_000 }, (_, index) => [index, index]));

  assertEquals(textOf({ all }), { all: { n: 1, self: "[Circular]", items: [{ all: "[Circular]" }] } });
  assertEquals(problemOf({ huge }), "Error: too large");
});

Deno.test("toJson() writes 32 KiB of the shortest values whole", () => {
  const list = Array.from({ length: 16_000 }, () => 1);

  assertEquals(textOf({ list }), { list });
});

Deno.test("toJson() leaves DOM nodes and windows out", async () => {
  const window = new Window({ url: "https://shop.example/" });
  const { document } = window;
  const button = document.createElement("button");
  const text = document.createTextNode("x");

  assertEquals(textOf({ window, document, button, text, list: [button], ok: 1 }), { list: [null], ok: 1 });
  await window.happyDOM.close();
});

Deno.test("toJson() throws for what is no object", () => {
  const shapes = [null, 1, "x", true, 1n, Symbol("s"), () => {}, [1], new Set([1]), new Date(0)];

  assertEquals(shapes.map(problemOf), shapes.map(() => "Error: no object"));
});

Deno.test("toJson() throws for what can't be read", () => {
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  const fail = (): never => {
    throw "a getter of the page";
  };
  const getter = Object.defineProperty({}, "broken", { get: fail, enumerable: true });
  const failing = [getter, { toJSON: fail }, new Proxy({}, { ownKeys: fail, get: fail })];

  assertEquals(failing.map(problemOf), failing.map(() => "a getter of the page"));
  assertEquals([proxy, { proxy }].map((value) => problemOf(value).startsWith("TypeError")), [true, true]);
});

Deno.test("toJson() writes 90 levels whole, and gives up on more: the ingest refuses a whole request over 100", () => {
  const nest = (levels: number): object => Array.from({ length: levels - 1 }).reduce<object>((deep) => ({ deep }), {});

  assertEquals(textOf(nest(90)), nest(90));
  assertEquals([91, 100_000].map((levels) => problemOf(nest(levels))), ["Error: too large", "Error: too large"]);
});

/** Returns what toJson() throws, as text; nothing where it returns one. */
function problemOf(value: unknown): string {
  try {
    toJson(value);
    return "";
  } catch (problem) {
    return String(problem);
  }
}
