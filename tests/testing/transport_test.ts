import { assertEquals } from "@std/assert";
import { createTestBrowser } from "../../src/testing/mod.ts";
import { ENDPOINT, send } from "./send.ts";
import { UNSENDABLE } from "../../src/client/mod.ts";

Deno.test("TestPage.block() refuses the URL on this page alone", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/1");
  const other = browser.open("https://shop.example/2");
  page.block(`${ENDPOINT}#ignored`);

  const blocked = send(page);
  const elsewhere = send(page, { url: `${ENDPOINT}?v=1` });
  const onOther = send(other);
  await browser.settle();

  assertEquals([blocked, elsewhere, onOther], [[0], [202], [202]]);
  assertEquals(page.requests.map(({ state }) => state), ["refused", "answered"]);
});

Deno.test("TestPage refuses a request that no browser could build", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");

  const statuses = [
    send(page, { url: "nowhere" }),
    send(page, { url: "https://u@ingest.example/" }),
    send(page, { headers: { "X-API-Key": "a\nb" } }),
    send(page, { headers: { "X-API-Key": " pk \n" } }),
  ];
  await browser.settle();

  assertEquals(statuses, [[UNSENDABLE], [UNSENDABLE], [UNSENDABLE], [202]]);
});

Deno.test("TestPage has 64 KiB of keepalive, in UTF-8 bytes of what is under way", async () => {
  const browser = createTestBrowser();
  const page = browser.open("https://shop.example/");
  browser.respond("hang");
  const bytes = (count: number): string => `"${"é".repeat((count - 2) / 2)}"`;

  const first = send(page, { body: bytes(65_000) });
  const full = send(page, { body: bytes(536) });
  const over = send(page, { body: bytes(2) });
  const without = send(page, { body: bytes(65_000), keepalive: false });
  await browser.settle();
  assertEquals([first, full, over, without], [[], [], [0], []]);
  assertEquals(page.requests.map(({ state }) => state), ["pending", "pending", "failed", "pending"]);

  page.requests[0]?.answer({ status: 202 });
  const next = send(page, { body: bytes(65_000) });
  await browser.settle();
  assertEquals([first, next], [[202], []]);
});
