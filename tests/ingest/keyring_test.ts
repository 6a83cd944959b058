import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { createDigest } from "../../src/ingest/keys/digest.ts";
import { createKeyring } from "../../src/ingest/keys/keyring.ts";
import { KEY, OTHER_KEY } from "./fixtures.ts";

const SHA256_OF_ABC = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";

const keys = [KEY, OTHER_KEY].map((apiKey) => ({ apiKey, origins: "any" as const }));

Deno.test("createDigest() is SHA-256, with Node's module and without", async () => {
  assertEquals(createDigest()("abc"), SHA256_OF_ABC);
  assertEquals(await createDigest({})("abc"), SHA256_OF_ABC);
});

Deno.test("createKeyring() compares digests alone", async () => {
  const digested: string[] = [];
  const keyring = createKeyring(keys, (text) => {
    digested.push(text);
    return `digest of ${text}`;
  });

  const found = [await keyring.find(OTHER_KEY), await keyring.find(`${KEY}x`), await keyring.find(null)];

  assertEquals(found.map((key) => key?.name), ["key-2", undefined, undefined]);
  assertEquals(digested, [KEY, OTHER_KEY, OTHER_KEY, `${KEY}x`]);
});

Deno.test("createKeyring() computes nothing before the first request", () => {
  const createUnready = () =>
    createKeyring(keys, () => {
      throw new Error("not while modules are loaded");
    });

  assertEquals(createUnready().keys.map(({ name }) => name), ["key-1", "key-2"]);
});

Deno.test("createKeyring() tries again after the digest has failed once", async () => {
  const faults = [new Error("not now")];
  const keyring = createKeyring(keys, (text) => {
    const fault = faults.pop();
    if (fault) throw fault;
    return text;
  });

  await assertRejects(() => keyring.find(KEY), Error, "not now");

  assertEquals((await keyring.find(KEY))?.name, "key-1");
});

Deno.test("createKeyring() refuses names that would mix keys up or show them", () => {
  const create = (...names: string[]) => () =>
    createKeyring(names.map((name, index) => ({ apiKey: `pk_${index}`, name, origins: "any" as const })));

  assertThrows(create("shop", "shop"), TypeError, "keys[1].name is listed twice");
  const error = assertThrows(create("pk_0"), TypeError, "keys[0].name must not be a key: it is for logs");
  assertEquals(error.message.includes("pk_0"), false);
  assertThrows(create("shop", "pk_0"), TypeError, "keys[1].name must not be a key: it is for logs");
});
