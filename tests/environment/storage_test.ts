import { assertEquals } from "@std/assert";
import { createStorage } from "../../src/environment/storage.ts";
import { withWindow } from "./window_scope.ts";

Deno.test("createStorage() touches nothing before its first use", () => {
  let opened = 0;

  createStorage(() => opened++);

  assertEquals(opened, 0);
});

Deno.test("createStorage() reads what another page wrote", () =>
  withWindow("https://shop.example/", ({ localStorage }) => {
    const first = createStorage(() => localStorage);
    const second = createStorage(() => localStorage);

    first.set("vendor.sdk.visitor", "a");
    assertEquals(second.get("vendor.sdk.visitor"), "a");

    second.set("vendor.sdk.visitor", "b");
    assertEquals(first.get("vendor.sdk.visitor"), "b");
  }));

Deno.test("createStorage() lists no key of anyone else", () =>
  withWindow("https://shop.example/", ({ localStorage }) => {
    localStorage.setItem("vendor.sdk.visitor", "a");
    localStorage.setItem("vendor.sdk.session", "b");
    localStorage.setItem("vendor.sdkx", "c");
    localStorage.setItem("cart", "vendor.sdk.");

    const keys = createStorage(() => localStorage).keys("vendor.sdk.");

    assertEquals([...keys].sort(), ["vendor.sdk.session", "vendor.sdk.visitor"]);
  }));

Deno.test("createStorage() goes on in memory where naming localStorage throws", () => {
  const storage = createStorage(() => {
    throw new DOMException("sandboxed", "SecurityError");
  });

  assertEquals(storage.get("vendor.sdk.visitor"), null);
  storage.set("vendor.sdk.visitor", "a");
  assertEquals(storage.get("vendor.sdk.visitor"), "a");
  storage.remove("vendor.sdk.visitor");
  assertEquals(storage.get("vendor.sdk.visitor"), null);
});

Deno.test("createStorage() goes on in memory where localStorage is null", () => {
  const storage = createStorage(() => null);

  storage.set("vendor.sdk.visitor", "a");
  assertEquals(storage.get("vendor.sdk.visitor"), "a");
  storage.remove("vendor.sdk.visitor");
  assertEquals(storage.get("vendor.sdk.visitor"), null);
});

Deno.test("createStorage() goes on in memory where localStorage is undefined", () => {
  const storage = createStorage(() => undefined);

  storage.set("vendor.sdk.visitor", "a");

  assertEquals(storage.get("vendor.sdk.visitor"), "a");
});

Deno.test("createStorage() returns to the device once that takes writes again", () =>
  withWindow("https://shop.example/", ({ localStorage }) => {
    let isBlocked = true;
    const storage = createStorage(() => isBlocked ? null : localStorage);
    storage.set("vendor.sdk.visitor", "memory");
    assertEquals(localStorage.length, 0);

    isBlocked = false;
    storage.set("vendor.sdk.visitor", "device");
    assertEquals(localStorage.getItem("vendor.sdk.visitor"), "device");

    localStorage.setItem("vendor.sdk.visitor", "another tab");
    assertEquals(storage.get("vendor.sdk.visitor"), "another tab");
  }));
