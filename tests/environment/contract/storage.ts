import { assertEquals } from "@std/assert";
import type { Register } from "./register.ts";

/** Registers the tests of storage. */
export function registerStorage(test: Register): void {
  test("keeps what is stored on the device", ({ environment: { storage }, stored }) => {
    assertEquals(storage.get("a.1"), null);

    assertEquals(storage.set("a.1", "one"), true);
    assertEquals(storage.set("a.1", "two"), true);

    assertEquals(storage.get("a.1"), "two");
    assertEquals(stored(), { "a.1": "two" });
  });

  test("removes one key, and lists the keys that start with a prefix", ({ environment: { storage }, stored }) => {
    storage.set("a.1", "one");
    storage.set("a.2", "");
    storage.set("b.a.", "other");

    assertEquals([...storage.keys("a.")].sort(), ["a.1", "a.2"]);
    assertEquals(storage.keys("c."), []);
    storage.remove("a.1");
    storage.remove("a.3");

    assertEquals(stored(), { "a.2": "", "b.a.": "other" });
    assertEquals([storage.get("a.1"), storage.keys("a.")], [null, ["a.2"]]);
  });

  test("remembers for the page what a blocked device refuses", ({ environment: { storage }, blockStorage, stored }) => {
    blockStorage();

    assertEquals(storage.get("a.1"), null);
    assertEquals(storage.set("a.1", "one"), false);
    assertEquals([storage.get("a.1"), storage.keys("a.")], ["one", ["a.1"]]);
    assertEquals(stored(), {});

    storage.remove("a.1");
    assertEquals([storage.get("a.1"), storage.keys("a.")], [null, []]);
  });

  test("remembers for the page what a full device refuses", ({ environment: { storage }, fillStorage, stored }) => {
    storage.set("a.1", "before");
    fillStorage();

    assertEquals([storage.set("a.1", "after"), storage.set("a.2", "new")], [false, false]);
    assertEquals([storage.get("a.1"), storage.get("a.2")], ["after", "new"]);
    assertEquals([...storage.keys("a.")].sort(), ["a.1", "a.2"]);

    storage.remove("a.1");
    storage.remove("a.2");
    assertEquals([storage.get("a.1"), storage.get("a.2")], [null, null]);
    assertEquals(stored(), {});
  });
}
