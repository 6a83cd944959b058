import { assertEquals, assertThrows } from "@std/assert";
import { createAddressCheck, isNetwork } from "../../../src/ingest/keys/address_check.ts";
import {
  createIngest,
  createMemorySink,
  type EventFlag,
  type IngestKey,
  type IngestOptions,
} from "../../../src/ingest/mod.ts";
import {
  AGGREGATE,
  AGGREGATE_CONTEXT,
  CONTEXT,
  EVENT,
  FULL,
  IDENTITY,
  KEY,
  ORIGIN,
  PAGEVIEW,
  post,
} from "../fixtures.ts";

const BROWSER = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0";

const CRAWLER = "Mozilla/5.0 AppleWebKit/537.36 (KHTML, like Gecko; compatible; Googlebot/2.1; " +
  "+http://www.google.com/bot.html) Chrome/140.0.0.0 Safari/537.36";

const SECRET = "ss_0123456789abcdef0123456789abcdef";

interface Sent {
  readonly ownVisits?: IngestKey["ownVisits"];
  readonly addressOf?: IngestOptions["addressOf"];
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
}

/** Returns the flags that the events of a body are stored with. */
async function flagsOf(
  { ownVisits, addressOf, headers = {}, body = FULL }: Sent,
): Promise<readonly (EventFlag | undefined)[]> {
  const sink = createMemorySink();
  const key: IngestKey = {
    apiKey: KEY,
    origins: [ORIGIN],
    sendingSecrets: { billing: SECRET },
    ...(ownVisits && { ownVisits }),
  };
  const ingest = createIngest({ keys: [key], sink, ...(addressOf && { addressOf }) });
  assertEquals((await ingest(post(body, { "User-Agent": BROWSER, ...headers }))).status, 202);
  return (await sink.events()).map(({ flag }) => flag);
}

Deno.test("createIngest() flags what a crawler sends in either form, and keeps nothing else of its agent", async () => {
  const sink = createMemorySink();
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink });
  await ingest(post(FULL, { "User-Agent": CRAWLER }));
  await ingest(post(AGGREGATE, { "User-Agent": CRAWLER }));
  const events = await sink.events();

  assertEquals(events.map(({ flag }) => flag), ["bot", "bot"]);
  assertEquals(JSON.stringify(events).includes("Googlebot"), false);
  assertEquals(await flagsOf({}), [undefined]);
  assertEquals(await flagsOf({ headers: { "User-Agent": null } }), [undefined]);
});

Deno.test("createIngest() tells crawlers from browsers, and from programs that run no page", async () => {
  const flagOf = async (agent: string): Promise<EventFlag | undefined> =>
    (await flagsOf({ headers: { "User-Agent": agent } }))[0];
  const crawlers = [
    "Googlebot/2.1 (+http://www.google.com/bot.html)",
    "Screaming Frog SEO Spider/19.0",
    "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) HeadlessChrome/140.0.0.0 Safari/537.36",
  ];
  const others = ["node", "curl/8.5.0", "Python/3.11 aiohttp/3.9.1", BROWSER];

  assertEquals(await Promise.all(crawlers.map(flagOf)), ["bot", "bot", "bot"]);
  assertEquals(await Promise.all(others.map(flagOf)), Array(4).fill(undefined));
});

Deno.test("createIngest() takes no headless browser on a page of localhost for a crawler", async () => {
  const sink = createMemorySink();
  const origins = ["http://localhost:3000", "http://127.0.0.1", "http://[::1]:8080", "https://localhost.example"];
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins }], sink });
  for (const [index, origin] of origins.entries()) {
    const body = { ...FULL, events: [{ ...EVENT, id: `e-${index}` }] };
    await ingest(post(body, { "User-Agent": CRAWLER, "Origin": origin }));
  }

  assertEquals((await sink.events()).map(({ flag }) => flag), [undefined, undefined, undefined, "bot"]);
});

Deno.test("createIngest() takes nobody of an application for a crawler, whose agent may be anything", async () => {
  const sink = createMemorySink();
  const origins = ["app://shop", "capacitor://localhost", "chrome-extension://abcdefgh", "null", "http://shop.example"];
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins }], sink });
  for (const [index, origin] of origins.entries()) {
    const body = { ...FULL, events: [{ ...EVENT, id: `e-${index}` }] };
    await ingest(post(body, { "User-Agent": "Mozilla/5.0 (iPhone) FeedReader/1", "Origin": origin }));
  }

  assertEquals((await sink.events()).map(({ flag }) => flag), [...Array(4).fill(undefined), "bot"]);
});

Deno.test("createIngest() asks neither for the agent nor the address of a backend", async () => {
  const backend = { "User-Agent": "node", "Origin": null, "Authorization": `Bearer ${SECRET}` };
  const addressOf = (): string => "203.0.113.7";

  assertEquals(await flagsOf({ headers: backend, addressOf, ownVisits: { addresses: [addressOf()] } }), [undefined]);
  assertEquals(await flagsOf({ headers: backend, ownVisits: { users: ["u-1"] } }), ["own"]);
});

Deno.test("createIngest() flags own visits: by address all of a request, by ids and path each event", async () => {
  const context = { ...CONTEXT, pageUrl: `${ORIGIN}/Admin/teas?id=1` };
  const body = {
    ...FULL,
    events: [
      EVENT,
      { ...EVENT, id: "e-2", identity: { ...IDENTITY, anonymousId: "a-2" } },
      { ...EVENT, id: "e-3", identity: { ...IDENTITY, userId: "u-2" } },
      { ...EVENT, id: "e-4", context },
      { ...EVENT, id: "e-5", identity: { userId: null } },
    ],
  };
  const addressOf = (): string => "203.0.113.7";

  const [no, own] = [undefined, "own"] as const;
  assertEquals(await flagsOf({ body, ownVisits: { visitors: ["a-2"] } }), [no, own, no, no, no]);
  assertEquals(await flagsOf({ body, ownVisits: { users: ["u-2"] } }), [no, no, own, no, no]);
  assertEquals(await flagsOf({ body, ownVisits: { paths: ["/Admin/*"] } }), [no, no, no, own, no]);
  assertEquals(await flagsOf({ body, addressOf, ownVisits: { addresses: ["203.0.113.0/24"] } }), Array(5).fill(own));
  assertEquals(await flagsOf({ body, addressOf, ownVisits: { addresses: ["203.0.114.0/24"] } }), Array(5).fill(no));
  assertEquals(await flagsOf({ body, ownVisits: { addresses: ["0.0.0.0/0"] } }), Array(5).fill(no));
  assertEquals(
    await flagsOf({ headers: { "User-Agent": CRAWLER }, addressOf, ownVisits: { addresses: [addressOf()] } }),
    [own],
  );
});

Deno.test("createIngest() flags aggregates by path and address, which name nobody", async () => {
  const body = {
    ...AGGREGATE,
    events: [PAGEVIEW, {
      ...PAGEVIEW,
      id: "0b0c8a4e-6f0e-4c0a-9d39-5f2f6f0a0002",
      context: { ...AGGREGATE_CONTEXT, pageUrl: `${ORIGIN}/admin/caf%c3%a9` },
    }],
  };

  assertEquals(await flagsOf({ body, ownVisits: { paths: ["/admin/café"] } }), [undefined, "own"]);
});

Deno.test("createIngest() stores events all the same where the address can't be found", async () => {
  const addressOf = (): string => {
    throw new Error("no socket");
  };

  assertEquals(await flagsOf({ addressOf, ownVisits: { addresses: ["203.0.113.7"] } }), [undefined]);
});

Deno.test("createIngest() refuses own visits that could never match", () => {
  const check = (ownVisits: IngestKey["ownVisits"], message: string): void => {
    const key = { apiKey: KEY, origins: [ORIGIN], ...(ownVisits && { ownVisits }) };
    assertThrows(() => createIngest({ keys: [key], sink: createMemorySink() }), TypeError, message);
  };

  check(
    { addresses: ["203.0.113.7", "203.0.113.0/33"] },
    "keys[0].ownVisits.addresses[1] must be an address, or a network such as 203.0.113.0/24",
  );
  check({ paths: ["admin"] }, "keys[0].ownVisits.paths[0] must begin with a slash");
  check({ users: [""] }, "keys[0].ownVisits.visitors and users must not be empty");
});

Deno.test("createAddressCheck() finds addresses in networks of both versions, however they are written", () => {
  const cases: readonly (readonly [network: string, address: string, isIn: boolean])[] = [
    ["203.0.113.7", "203.0.113.7", true],
    ["203.0.113.7", "::ffff:203.0.113.7", true],
    ["203.0.113.7", "::ffff:cb00:7107", true],
    ["203.0.113.7", "203.0.113.8", false],
    ["203.0.113.0/24", "203.0.113.255", true],
    ["203.0.113.128/25", "203.0.113.127", false],
    ["0.0.0.0/0", "198.51.100.1", true],
    ["0.0.0.0/0", "2001:db8::1", false],
    ["2001:db8::/32", "2001:DB8:0:0:1::", true],
    ["2001:db8::/32", "2001:db9::", false],
    ["2001:db8::1", "2001:0db8:0000:0000:0000:0000:0000:0001", true],
    ["::1", "::1", true],
    ["::/0", "0.0.0.1", false],
    ["203.0.113.7", "unknown", false],
  ];

  for (const [network, address, isIn] of cases) {
    assertEquals([network, address, createAddressCheck([network])(address)], [network, address, isIn]);
  }
});

Deno.test("isNetwork() takes addresses, and networks with a length", () => {
  const right = ["203.0.113.7", "10.0.0.0/8", "2001:db8::/32", "::1"];
  const wrong = [
    "",
    "203.0.113",
    "203.0.113.256",
    "shop.example",
    "10.0.0.0/33",
    "::/129",
    "10.0.0.0/8/8",
    "::1%eth0",
    "1::2::3",
  ];

  assertEquals([...right, ...wrong].filter(isNetwork), right);
});
