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

  test("says that a blocked device takes and gives nothing", ({ environment: { storage }, blockStorage, stored }) => {
    blockStorage();

    assertEquals([storage.set("a.1", "one"), storage.get("a.1"), storage.keys("a.")], [false, null, []]);
    storage.remove("a.1");
    assertEquals(stored(), {});
  });

  test("says what a full device refuses, and lets it be read and erased", (driver) => {
    const { environment: { storage }, fillStorage, stored } = driver;
    storage.set("a.1", "before");
    fillStorage();

    assertEquals([storage.set("a.1", "after"), storage.get("a.1"), storage.keys("a.")], [false, "before", ["a.1"]]);
    storage.remove("a.1");
    assertEquals(stored(), {});
  });
}
