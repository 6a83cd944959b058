import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createDigest, createDigestLookup } from "../../../src/ingest/platform/digest.ts";
import { createKeyring } from "../../../src/ingest/keys/keyring.ts";
import type { IngestKey } from "../../../src/ingest/mod.ts";
import { KEY, OTHER_KEY } from "../fixtures.ts";

const SHA256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

Deno.test("createDigest() is SHA-256, with Node's module and without", async () => {
  assertEquals(createDigest()("abc"), SHA256_OF_ABC);
  assertEquals(await createDigest({})("abc"), SHA256_OF_ABC);
});

Deno.test("createKeyring() finds a key by its whole text", async () => {
  const { find } = createKeyring([KEY, OTHER_KEY].map((apiKey) => ({ apiKey, origins: "any" })));

  const found = [await find(OTHER_KEY), await find(`${KEY}x`), await find(null)];

  assertEquals(found.map((key) => key?.name), ["key-2", undefined, undefined]);
});

Deno.test("createDigestLookup() compares digests alone, and computes none before the first search", async () => {
  const digested: string[] = [];
  const { find } = createDigestLookup([["a", 1], ["b", 2]], (text) => {
    digested.push(text);
    return `digest of ${text}`;
  });
  const before = [...digested];

  const found = [await find("b"), await find("c")];

  assertEquals([before, found], [[], [2, undefined]]);
  assertEquals(digested, ["a", "b", "b", "c"]);
});

Deno.test("createDigestLookup() tries again after the digest has failed once", async () => {
  const faults = [new Error("not now")];
  const { find } = createDigestLookup([["a", 1]], (text) => {
    const fault = faults.pop();
    if (fault) throw fault;
    return text;
  });

  await assertRejects(() => find("a"), Error, "not now");

  assertEquals(await find("a"), 1);
});

Deno.test("prepare() of createDigestLookup() digests what is new, before anybody asks", async () => {
  const digested: string[] = [];
  const { find, prepare } = createDigestLookup([["a", 1], ["b", 2]], (text) => {
    digested.push(text);
    return `digest of ${text}`;
  });
  await find("a");
  digested.length = 0;

  const put = await prepare([["b", 20], ["c", 3]]);
  const before = [...digested];
  const unchanged = await Promise.all(["a", "b", "c"].map(find));
  put();
  const found = await Promise.all(["a", "b", "c"].map(find));

  assertEquals([before, unchanged, found], [["c"], [1, 2, undefined], [undefined, 20, 3]]);
});

Deno.test("createKeyring() refuses names that would mix keys up or show them", () => {
  const create = (...names: string[]) => () =>
    createKeyring(names.map((name, index) => ({ apiKey: `pk_${index}`, name, origins: "any" as const })));

  assertThrows(create("shop", "shop"), TypeError, "keys[1].name is listed twice");
  const error = assertThrows(create("pk_0"), TypeError, "keys[0].name must not be a key: it is for logs");
  assertEquals(error.message.includes("pk_0"), false);
  assertThrows(create("shop", "pk_0"), TypeError, "keys[1].name must not be a key: it is for logs");
});

Deno.test("createKeyring() takes every origin that a page can have, and an application", () => {
  for (
    const origin of [
      "https://shop.example",
      "http://localhost:3000",
      "http://[::1]:3000",
      "https://xn--bcher-kva.example",
      "capacitor://localhost",
      "tauri://localhost",
      "chrome-extension://abcdefghijklmnopabcdefghijklmnop",
      "safari-web-extension://6F1A3C5E-0B2D-4E6F-8A9B-1C2D3E4F5A6B",
      "null",
    ]
  ) assertEquals(createKeyring([{ apiKey: KEY, origins: [origin] }]).names(), ["key-1"], origin);
});

Deno.test("createKeyring() names the origin that is near to what was given", () => {
  for (
    const [given, nearest] of [
      ["https://shop.example/", "https://shop.example"],
      ["https://Shop.example", "https://shop.example"],
      ["HTTPS://shop.example", "https://shop.example"],
      ["https://shop.example:443", "https://shop.example"],
      ["http://shop.example:80/cart?a#b", "http://shop.example"],
      ["https://jo:pw@shop.example", "https://shop.example"],
      [" https://shop.example", "https://shop.example"],
      ["https://bücher.example", "https://xn--bcher-kva.example"],
      ["shop.example:8443/cart", "https://shop.example:8443"],
      ["Capacitor://localhost/", "capacitor://localhost"],
      ["chrome-extension://abcdefgh/popup.html", "chrome-extension://abcdefgh"],
    ] as const
  ) {
    const message = `keys[0].origins[0] must be an origin as browsers send it: "${nearest}"`;
    assertThrows(() => createKeyring([{ apiKey: KEY, origins: [given] }]), TypeError, message);
  }
  for (
    const given of ["", "shop", "pk_live_1", "*", "https://*.shop.example", "file:///x", "capacitor:localhost", "any"]
  ) {
    const error = assertThrows(() => createKeyring([{ apiKey: KEY, origins: [given] }]), TypeError);
    assertEquals(error.message.includes('such as "https://shop.example"'), true, given);
  }
});

Deno.test("replace() takes other keys, and keeps the counts of what stays", async () => {
  const rateLimit = { requestsPerSecond: 1 };
  const [kept, changed, revoked] = ["kept", "changed", "revoked"].map((name) => ({
    apiKey: `pk_${name}`,
    name,
    origins: "any" as const,
    rateLimit,
  })) as [IngestKey, IngestKey, IngestKey];
  const keyring = createKeyring([kept, changed, revoked], () => 0);
  for (const apiKey of ["pk_kept", "pk_changed"]) {
    const key = await keyring.find(apiKey);
    key?.bucket?.take();
    key?.bytes?.spend(100_000_000);
  }

  await keyring.replace([{ ...kept, origins: ["https://shop.example"] }, {
    ...changed,
    rateLimit: { requestsPerSecond: 2 },
    bytesPerSecond: 1000,
  }]);
  const found = await Promise.all(["pk_kept", "pk_changed", "pk_revoked"].map((apiKey) => keyring.find(apiKey)));

  assertEquals(found.map((key) => key?.bucket?.take()), [1000, 0, undefined]);
  assertEquals(found.map((key) => key?.bytes?.take() === 0), [false, true, false]);
  assertEquals(found[0]?.origins, ["https://shop.example"]);
  assertEquals(keyring.names(), ["kept", "changed"]);
});

Deno.test("replace() changes nothing where a key can't be", async () => {
  const keyring = createKeyring([{ apiKey: KEY, origins: "any" }]);

  await assertRejects(
    () => keyring.replace([{ apiKey: " ", origins: "any" }]),
    TypeError,
    "keys[0].apiKey must be",
  );
  assertEquals((await keyring.find(KEY))?.apiKey, KEY);
  await keyring.replace([]);
  assertEquals(await keyring.find(KEY), undefined);
});
