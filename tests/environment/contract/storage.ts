import { assertEquals } from "@std/assert";
import type { Register } from "./register.ts";

/** Registers the tests of storage. */
export function registerStorage(test: Register): void {
  test("keeps what is stored on the device", ({ environment: { storage }, stored }) => {
    assertEquals(storage.get("a.1"), null);

    storage.set("a.1", "one");
    storage.set("a.1", "two");

    assertEquals(storage.get("a.1"), "two");
    assertEquals(stored(), { "a.1": "two" });
  });

  test("removes the keys that start with a prefix", ({ environment: { storage }, stored }) => {
    storage.set("a.1", "one");
    storage.set("a.2", "");
    storage.set("b.a.", "other");

    storage.clear("a.");

    assertEquals(stored(), { "b.a.": "other" });
    assertEquals(storage.get("a.1"), null);
    assertEquals(storage.get("a.2"), null);
  });

  test("remembers for the page what a blocked device refuses", ({ environment: { storage }, blockStorage, stored }) => {
    blockStorage();

    assertEquals(storage.get("a.1"), null);
    storage.set("a.1", "one");
    assertEquals(storage.get("a.1"), "one");
    assertEquals(stored(), {});

    storage.clear("a.");
    assertEquals(storage.get("a.1"), null);
  });

  test("remembers for the page what a full device refuses", ({ environment: { storage }, fillStorage, stored }) => {
    storage.set("a.1", "before");
    fillStorage();

    storage.set("a.1", "after");
    storage.set("a.2", "new");
    assertEquals([storage.get("a.1"), storage.get("a.2")], ["after", "new"]);

    storage.clear("a.");
    assertEquals([storage.get("a.1"), storage.get("a.2")], [null, null]);
    assertEquals(stored(), {});
  });
}
