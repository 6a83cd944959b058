import { assertEquals } from "@std/assert";
import { cleanLabel, createLocator } from "../../../src/ingest/events/place.ts";

const locate = createLocator();

function pathOf(path: string): string {
  return locate(`https://shop.example${path}`).path;
}

Deno.test("cleanLabel() makes text safe to store", () => {
  assertEquals(cleanLabel("a\0b\nc\ud800"), "a\ufffdb\ufffdc\ufffd");
});

Deno.test("createLocator() reads origin and path of a URL", () => {
  const places = [
    "https://Shop.example:443/a/../b%20c?d#e",
    "https://shop.example",
    "android-app://com.example.mail/",
    "about:srcdoc",
    "javascript:alert(1)",
    "",
    "//shop.example",
  ].map(locate).map(({ origin, path }) => [origin, path]);

  assertEquals(places, [
    ["https://shop.example", "/b%20c"],
    ["https://shop.example", "/"],
    ["android-app://com.example.mail", "/"],
    ["null", "srcdoc"],
    ["null", "alert(1)"],
    ["", ""],
    ["", ""],
  ]);
});

Deno.test("createLocator() writes a path in one way, however it is percent-encoded", () => {
  const paths = ["/café", "/caf%C3%A9", "/caf%c3%a9", "/c%61f%C3%a9", "/%7euser%2D1%5f", "/a%2fb%3f", "/100%", "/%%341"]
    .map(pathOf);

  assertEquals(paths, [...Array(4).fill("/caf%C3%A9"), "/~user-1_", "/a%2Fb%3F", "/100%", "/%41"]);
});

Deno.test("createLocator() cuts a path that is out of all proportion", () => {
  assertEquals(pathOf(`/${"a".repeat(100_000)}`).length, 1024);
});

Deno.test("createLocator() parses no more of a URL than it keeps: a megabyte of dot segments takes long", () => {
  const { origin, path } = locate(`https://shop.example/teas?${"a/../".repeat(200_000)}`);
  const host = locate(`https://${"ü.".repeat(200_000)}example/`).origin;

  assertEquals([origin, path, pathOf(`/${"a/../".repeat(9)}b`)], ["https://shop.example", "/teas", "/b"]);
  assertEquals(host.length <= 1024, true);
});
