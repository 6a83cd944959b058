import { assertEquals, assertLess } from "@std/assert";
import { snapshot } from "../src/snapshot.ts";

Deno.test("snapshot() doesn't hang on a wide graph beside a DataView", () => {
  let node: object = { leaf: true };
  for (let i = 0; i < 22; i++) node = { left: node, right: node };
  const startedMs = performance.now();

  const { failure } = snapshot({ view: new DataView(new ArrayBuffer(1)), node }, 32_768);

  assertEquals(failure, "size");
  assertLess(performance.now() - startedMs, 1500);
});

Deno.test("snapshot() doesn't hang on a wide graph beside an array that hides its length", () => {
  let node: object = { leaf: true };
  for (let i = 0; i < 22; i++) node = { left: node, right: node };
  const list = new Proxy([], { get: (target, key) => key === "length" ? NaN : Reflect.get(target, key) });
  const startedMs = performance.now();

  const { failure } = snapshot({ list, node }, 32_768);

  assertEquals(failure, "size");
  assertLess(performance.now() - startedMs, 1500);
});

Deno.test("snapshot() reads no more of an iterator than fits", () => {
  let reads = 0;
  function* endless(): Generator<number> {
    while (reads < 5_000_000) yield reads++;
  }
  const list = Object.assign([1], { [Symbol.iterator]: endless });

  snapshot({ list }, 32_768);
  snapshot({ set: { [Symbol.toStringTag]: "Set", [Symbol.iterator]: endless } }, 32_768);

  assertLess(reads, 100_000);
});

for (
  const [what, keyLength, value] of [["long strings", 1, "x".repeat(1000)], ["long keys", 1000, 1], [
    "members",
    1,
    1,
  ]] as const
) {
  Deno.test(`snapshot() reads no more of an object of ${what} than fits`, () => {
    let reads = 0;
    const object = {};
    for (let i = 0; i < 20_000; i++) {
      const get = (): unknown => (reads++, value);
      Object.defineProperty(object, `${i}`.padStart(keyLength, "k"), { get, enumerable: true });
    }

    const { failure } = snapshot(object, 8192);

    assertEquals(failure, "size");
    assertLess(reads, keyLength > 1 || value !== 1 ? 20 : 8192);
  });
}
