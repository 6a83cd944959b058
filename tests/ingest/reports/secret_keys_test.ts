import { assertEquals, assertThrows } from "@std/assert";
import type { ReportKey } from "../../../src/ingest/mod.ts";
import { createAuthenticator } from "../../../src/ingest/reports/authenticator.ts";

const SHOP: ReportKey = { apiKey: "pk_1", secretKey: "sk_0123456789abcdef", origins: ["https://shop.example"] };
const BLOG: ReportKey = { apiKey: "pk_2", secretKey: "sk_:fedcba9876543210", origins: ["https://blog.example"] };

async function find(authorization: string | null): Promise<string | undefined> {
  const found = await createAuthenticator([SHOP, BLOG], Date.now).find(authorization, undefined);
  return "apiKey" in found ? found.apiKey : undefined;
}

Deno.test("createAuthenticator() takes the secret as the password of Basic, whatever the user name", async () => {
  assertEquals(await find(`Basic ${btoa("me:sk_0123456789abcdef")}`), "pk_1");
  assertEquals(await find(`Basic ${btoa(":sk_0123456789abcdef")}`), "pk_1");
  assertEquals(await find(`basic  ${btoa("me:sk_:fedcba9876543210")}`), "pk_2");
});

Deno.test("createAuthenticator() takes the secret as a Bearer token", async () => {
  assertEquals(await find("Bearer sk_0123456789abcdef"), "pk_1");
  assertEquals(await find("BEARER sk_:fedcba9876543210 "), "pk_2");
});

Deno.test("createAuthenticator() takes nothing else", async () => {
  assertEquals(await find(null), undefined);
  assertEquals(await find(""), undefined);
  assertEquals(await find("sk_0123456789abcdef"), undefined);
  assertEquals(await find("Bearer"), undefined);
  assertEquals(await find("Bearer "), undefined);
  assertEquals(await find("Bearer pk_1"), undefined);
  assertEquals(await find("Bearer sk_0123456789abcde"), undefined);
  assertEquals(await find("Bearer sk_0123456789abcdefg"), undefined);
  assertEquals(await find("Bearer sk_0123456789abcdeF"), undefined);
  assertEquals(await find("Bearer sk_0123456789abcdef, sk_0123456789abcdef"), undefined);
  assertEquals(await find("Digest sk_0123456789abcdef"), undefined);
  assertEquals(await find(`Basic ${btoa("sk_0123456789abcdef:")}`), undefined);
  assertEquals(await find(`Basic ${btoa("sk_0123456789abcdef")}`), undefined);
  assertEquals(await find("Basic %%%"), undefined);
  assertEquals(await find(`Basic ${btoa("me:pk_1")}`), undefined);
  assertEquals(await find(`Bearer ${"a".repeat(1_000_000)}`), undefined);
});

Deno.test("createAuthenticator() refuses secrets that protect nothing, without repeating them", () => {
  const withSecret = (secretKey: string): ReportKey => ({ ...BLOG, secretKey });

  assertThrows(() => createAuthenticator([], Date.now), TypeError, "keys must name at least one key");
  assertThrows(
    () => createAuthenticator([SHOP, withSecret("sk_short")], Date.now),
    TypeError,
    "keys[1].secretKey must have at least 16 characters",
  );
  assertThrows(
    () => createAuthenticator([SHOP, withSecret("aaaaaaaaaaaaaaaa")], Date.now),
    TypeError,
    "keys[1].secretKey must have at least 6 different characters",
  );
  assertThrows(
    () => createAuthenticator([SHOP, withSecret("sk 0123456789abcdef")], Date.now),
    TypeError,
    "keys[1].secretKey must be printable ASCII without spaces",
  );
  assertThrows(
    () => createAuthenticator([SHOP, withSecret(SHOP.secretKey)], Date.now),
    TypeError,
    "keys[1].secretKey is used twice",
  );
  assertThrows(
    () => createAuthenticator([{ ...SHOP, apiKey: BLOG.secretKey }, BLOG], Date.now),
    TypeError,
    "keys[1].secretKey must not be a publishable key",
  );
});
