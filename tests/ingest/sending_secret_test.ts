import { assertEquals, assertThrows } from "@std/assert";
import { createIngest, createMemorySink, type IngestKey } from "../../src/ingest/mod.ts";
import { createApp } from "../../src/ingest/server/http/app.ts";
import { doAtOnce } from "../../src/ingest/platform/pieces.ts";
import { checkSecrets } from "../../src/ingest/reports/access/authenticator.ts";
import { assertRefused, assertStored } from "./answers.ts";
import { AGGREGATE, FULL, KEY, manyEvents, ORIGIN, OTHER_KEY, post } from "./fixtures.ts";
import { ask } from "./server/http/ask.ts";

const SECRET = "ss_0123456789abcdef0123456789abcdef";
const OTHER_SECRET = "ss_fedcba9876543210fedcba9876543210";

const SHOP: IngestKey = { apiKey: KEY, origins: [ORIGIN], sendingSecrets: { billing: SECRET } };
const APP: IngestKey = { apiKey: OTHER_KEY, origins: "any", sendingSecrets: { mails: OTHER_SECRET } };

/** What a backend sends: a secret in the place of an Origin. */
function withSecret(secret: string, more: Readonly<Record<string, string | null>> = {}) {
  return { Origin: null, Authorization: `Bearer ${secret}`, ...more };
}

function setUp(key: IngestKey = SHOP) {
  const sink = createMemorySink();
  return { ingest: createIngest({ keys: [key, APP], sink }), sink };
}

Deno.test("createIngest() takes a sending secret of the key in place of an Origin, in both forms", async () => {
  const { ingest } = setUp();

  await assertStored(await ingest(post(FULL, withSecret(SECRET))), 1, 0);
  await assertStored(await ingest(post(FULL, withSecret(SECRET, { Authorization: `bearer  ${SECRET}` }))), 0, 1);
  await assertStored(await ingest(post(AGGREGATE, withSecret(SECRET))), 1, 0);
});

Deno.test("createIngest() answers 401 to a sending secret that isn't one of the key's", async () => {
  const { ingest, sink } = setUp();
  const error = {
    code: "unknown_secret",
    message: "header Authorization must carry a sending secret of this key, or be missing",
  };

  for (const secret of [`${SECRET}x`, SECRET.slice(0, -1), OTHER_SECRET, KEY, "__proto__"]) {
    await assertRefused(await ingest(post(FULL, withSecret(secret))), 401, error);
  }
  assertEquals(await sink.events(), []);
  // A key that takes senders without an Origin takes those whose HTTP layer adds a token of their own.
  await assertStored(await ingest(post(FULL, withSecret("a-user-of-the-app", { "X-API-Key": OTHER_KEY }))), 1, 0);
});

Deno.test("createIngest() answers 403 to a request with an Origin and a sending secret of any key", async () => {
  const { ingest, sink } = setUp();
  const error = { code: "secret_with_origin", message: "a sending secret must never be in a page: revoke it" };

  await assertRefused(await ingest(post(FULL, withSecret(SECRET, { Origin: ORIGIN }))), 403, error);
  await assertRefused(await ingest(post(FULL, withSecret(SECRET, { Origin: "null" }))), 403, error);
  await assertRefused(await ingest(post(FULL, withSecret(OTHER_SECRET, { Origin: ORIGIN }))), 403, error);

  assertEquals(await sink.events(), []);
});

Deno.test("createIngest() ignores what a page has in Authorization, if it is no sending secret", async () => {
  const { ingest } = setUp();
  const page = (authorization: string, origin = ORIGIN) =>
    ingest(post(FULL, { Origin: origin, Authorization: authorization }));

  await assertStored(await page("Bearer a-token-of-the-application"), 1, 0);
  await assertStored(await page("Basic dGVhOnBvdA=="), 0, 1);
  assertEquals((await page("Bearer a-token-of-the-application", "https://evil.example")).status, 403);
  // No token at all is no secret: the origin counts.
  assertEquals((await ingest(post(FULL, { Origin: null, Authorization: "Basic dGVhOnBvdA==" }))).status, 403);
});

Deno.test("a sending secret takes the place of the Origin and of nothing else", async () => {
  const { ingest } = setUp({ ...SHOP, rateLimit: { requestsPerSecond: 0.01, burst: 1 } });
  const send = async (body: unknown, headers: Readonly<Record<string, string | null>> = {}) =>
    (await ingest(post(body, withSecret(SECRET, headers)))).status;

  assertEquals(await send(FULL, { "X-API-Key": "pk_unknown" }), 401);
  assertEquals(await send(FULL, { "Content-Type": "text/plain" }), 415);
  assertEquals(await send(FULL, { "X-Vendor-SDK-Version": null }), 400);
  assertEquals(await send({ ...FULL, events: manyEvents(101) }), 413);
  assertEquals(await send(FULL), 429);
});

Deno.test("createIngest() refuses sending secrets that are weak, known to others or used twice, and repeats none", () => {
  const problemOf = (...keys: readonly Partial<IngestKey>[]) => {
    const all = keys.map((key, index) => ({ apiKey: `pk_test_of_this_shop_0123456789abc_${index}`, ...key }));
    const { message } = assertThrows(() => {
      createIngest({ keys: all.map((key) => ({ origins: "any", ...key })), sink: createMemorySink() });
    }, TypeError);
    return message;
  };

  assertEquals(
    problemOf({ sendingSecrets: { billing: "ss_0123456789abcdef" } }),
    "createIngest(): keys[0].sendingSecrets[0] must have at least 32 characters",
  );
  assertEquals(
    problemOf({ sendingSecrets: { billing: "ab".repeat(16) } }),
    "createIngest(): keys[0].sendingSecrets[0] must have at least 6 different characters",
  );
  assertEquals(
    problemOf({ sendingSecrets: { billing: `${SECRET} x` } }),
    "createIngest(): keys[0].sendingSecrets[0] must be printable ASCII without spaces",
  );
  assertEquals(
    problemOf({ sendingSecrets: { billing: SECRET, mails: "pk_test_of_this_shop_0123456789abc_1" } }, {}),
    "createIngest(): keys[0].sendingSecrets[1] must not be a publishable key",
  );
  assertEquals(
    problemOf({ sendingSecrets: { billing: SECRET } }, { sendingSecrets: { mails: SECRET } }),
    "createIngest(): keys[1].sendingSecrets[0] is used twice",
  );
  assertThrows(
    () => doAtOnce(checkSecrets([{ apiKey: KEY, sendingSecrets: { billing: SECRET }, secretKey: SECRET }])),
    TypeError,
    "keys[0].secretKey must not be a sending secret",
  );
});

const STEP = FULL.events.at(-1);

for (
  const [what, origins, context, site] of [
    ["of the key's only site", [ORIGIN], undefined, ORIGIN],
    ["of it beside one's own machine", ["http://localhost:5173", ORIGIN], undefined, ORIGIN],
    ["of one's own machine, where that is all", ["http://localhost:5173"], undefined, "http://localhost:5173"],
    ["of it beside pages without an origin", ["null", ORIGIN], undefined, ORIGIN],
    ["of no site, where only pages without an origin may send", ["null"], undefined, undefined],
    ["of no site, where the key has two", [ORIGIN, "https://other.example"], undefined, undefined],
    ["of no site, where any origin may send", "any", undefined, undefined],
    ["of its page's site alone, where it names one", [ORIGIN], { pageUrl: "https://other.example/" }, undefined],
  ] as const
) {
  Deno.test(`a backend's step is ${what}`, async () => {
    const { ingest, sink } = setUp({ ...SHOP, origins });
    const event = { ...STEP, name: "purchase", context: { ...FULL.context, ...context } };
    const { pageUrl: _, ...bare } = event.context;
    const sent = { ...FULL, events: [{ ...event, context: context === undefined ? bare : event.context }] };

    await assertStored(await ingest(post(sent, withSecret(SECRET))), 1, 0);

    assertEquals((await sink.events()).map((stored) => stored.site), [site]);
  });
}

Deno.test("no pageview of a backend and no event of a page gets the key's site", async () => {
  const { ingest, sink } = setUp();
  const { pageUrl: _, ...context } = FULL.context;
  const events = (name: string, id: string) => ({ ...FULL, events: [{ ...STEP, id, name, context }] });

  await assertStored(await ingest(post(events("$pageview", "a"), withSecret(SECRET))), 1, 0);
  await assertStored(await ingest(post(events("signup", "b"))), 1, 0);

  assertEquals((await sink.events()).map((stored) => stored.site), [undefined, undefined]);
});

Deno.test("a revoked sending secret is refused from the next request on", async () => {
  const app = createApp({
    keys: [SHOP],
    sink: createMemorySink(),
    path: "/v1/events",
    maxPending: 10,
    requestTimeoutMs: 1000,
    log: () => {},
  });
  const send = async (secret: string) => {
    const answer = await ask(app, post(FULL, withSecret(secret)));
    await answer.body?.cancel();
    return answer.status;
  };
  const before = await send(SECRET);

  await app.replaceKeys([{ ...SHOP, sendingSecrets: { billing: OTHER_SECRET } }]);
  const replaced = [await send(SECRET), await send(OTHER_SECRET)];
  await app.replaceKeys([{ apiKey: KEY, origins: [ORIGIN] }]);
  const revoked = [await send(SECRET), await send(OTHER_SECRET)];
  await app.stop();

  assertEquals([before, replaced, revoked], [202, [401, 202], [401, 401]]);
});
