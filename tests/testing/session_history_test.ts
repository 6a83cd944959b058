import { assertEquals, assertThrows } from "@std/assert";
import { createSessionHistory } from "../../src/testing/session_history.ts";

Deno.test("createSessionHistory() writes URLs as browsers do", () => {
  const history = createSessionHistory("HTTPS://Shop.example/teas/../coffee?b=ä");

  assertEquals(history.url(), "https://shop.example/coffee?b=%C3%A4");
});

Deno.test("createSessionHistory() takes relative URLs", () => {
  const history = createSessionHistory("https://shop.example/teas/green?sort=price");

  history.push("black");
  assertEquals(history.url(), "https://shop.example/teas/black");

  history.replace("?sort=name");
  assertEquals(history.url(), "https://shop.example/teas/black?sort=name");

  history.push("#top");
  assertEquals(history.url(), "https://shop.example/teas/black?sort=name#top");
});

Deno.test("createSessionHistory() goes back and forward, as far as it goes", () => {
  const history = createSessionHistory("https://shop.example/1");
  history.push("/2");
  history.push("/3");
  history.replace("/three");

  assertEquals([history.go(-1), history.url()], [true, "https://shop.example/2"]);
  assertEquals([history.go(-2), history.url()], [false, "https://shop.example/2"]);
  assertEquals([history.go(1), history.url()], [true, "https://shop.example/three"]);
  assertEquals([history.go(1), history.url()], [false, "https://shop.example/three"]);
});

Deno.test("createSessionHistory() forgets what came later once something else is pushed", () => {
  const history = createSessionHistory("https://shop.example/1");
  history.push("/2");
  history.go(-1);

  history.push("/other");

  assertEquals([history.go(1), history.url()], [false, "https://shop.example/other"]);
});

Deno.test("createSessionHistory() takes no URL of another origin, as browsers don't", () => {
  const history = createSessionHistory("https://shop.example/1");

  assertThrows(() => history.push("https://other.example/"), Error, "another origin");
  assertThrows(() => history.replace("//other.example/"), Error, "another origin");

  assertEquals([history.url(), history.go(-1)], ["https://shop.example/1", false]);
});
