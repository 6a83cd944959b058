import { assertEquals, assertThrows } from "@std/assert";
import { createIngest, createMemorySink, type IngestKey, type StoredEvent } from "../../../src/ingest/mod.ts";
import { AGGREGATE, FULL, KEY, ORIGIN, post } from "../fixtures.ts";

const SECRET = "ss_0123456789abcdef0123456789abcdef";

const ALL = ["browser", "system", "device", "country"] as const;

const WINDOWS = "Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko)";

const ANDROID = "Mozilla/5.0 (Linux; Android 10; K) AppleWebKit/537.36 (KHTML, like Gecko)";

const MAC = "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko)";

const IPHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 18_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko)";

interface Sent {
  readonly dimensions?: IngestKey["dimensions"];
  readonly headers?: Readonly<Record<string, string | null>>;
  readonly body?: unknown;
}

/** Returns the classes that the events of a body are stored with. */
async function classesOf({ dimensions = ALL, headers = {}, body = FULL }: Sent): Promise<readonly unknown[]> {
  const sink = createMemorySink();
  const keys = [{ apiKey: KEY, origins: [ORIGIN], sendingSecrets: { billing: SECRET }, dimensions }];
  const countryOf = (request: Request): string | undefined => request.headers.get("CF-IPCountry") ?? undefined;
  assertEquals((await createIngest({ keys, sink, countryOf })(post(body, headers))).status, 202);
  return (await sink.events()).map(({ dimensions }: StoredEvent) => dimensions);
}

Deno.test("createIngest() tells browser, system and device by the agent", async () => {
  const cases: readonly (readonly [agent: string, browser?: string | undefined, system?: string, device?: string])[] = [
    [`${WINDOWS} Chrome/142.0.0.0 Safari/537.36`, "Chrome 142", "Windows", "desktop"],
    [`${WINDOWS} Chrome/142.0.0.0 Safari/537.36 Edg/142.0.0.0`, "Edge 142", "Windows", "desktop"],
    [`${WINDOWS} Chrome/140.0.0.0 Safari/537.36 OPR/124.0.0.0`, "Opera 124", "Windows", "desktop"],
    [`${ANDROID} Chrome/142.0.0.0 Mobile Safari/537.36`, "Chrome 142", "Android", "phone"],
    [`${ANDROID} Chrome/142.0.0.0 Safari/537.36`, "Chrome 142", "Android", "tablet"],
    [`${ANDROID} SamsungBrowser/28.0 Chrome/130.0.0.0 Mobile Safari/537.36`, "Samsung Internet 28", "Android", "phone"],
    [
      "Mozilla/5.0 (Linux; Android 14; SM-S911B; wv) AppleWebKit/537.36 (KHTML, like Gecko) Version/4.0 Chrome/142.0.0.0 Mobile Safari/537.36",
      ...["Android WebView 142", "Android", "phone"] as const,
    ],
    [`${MAC} Version/26.1 Safari/605.1.15`, "Safari 26", "macOS", "desktop"],
    [`${IPHONE} Version/26.1 Mobile/15E148 Safari/604.1`, "Safari 26", "iOS", "phone"],
    [`${IPHONE} CriOS/142.0.7444.77 Mobile/15E148 Safari/604.1`, "Chrome 142", "iOS", "phone"],
    [`${IPHONE} Mobile/15E148 Instagram 400.0.0.20 (iPhone15,2; iOS 18_6)`, "Instagram 400", "iOS", "phone"],
    [`${IPHONE} Mobile/15E148`, "iOS WebView", "iOS", "phone"],
    [
      "Mozilla/5.0 (iPad; CPU OS 16_6 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/16.6 Mobile/15E148 Safari/604.1",
      ...["Safari 16", "iPadOS", "tablet"] as const,
    ],
    ["Mozilla/5.0 (X11; Linux x86_64; rv:145.0) Gecko/20100101 Firefox/145.0", "Firefox 145", "Linux", "desktop"],
    ["Mozilla/5.0 (Android 15; Mobile; rv:145.0) Gecko/145.0 Firefox/145.0", "Firefox 145", "Android", "phone"],
    ["Mozilla/5.0 (Android 15; Tablet; rv:145.0) Gecko/145.0 Firefox/145.0", "Firefox 145", "Android", "tablet"],
    [
      "Mozilla/5.0 (X11; CrOS x86_64 14541.0.0) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36",
      ...["Chrome 142", "ChromeOS", "desktop"] as const,
    ],
    [
      "Mozilla/5.0 (SMART-TV; LINUX; Tizen 7.0) AppleWebKit/537.36 (KHTML, like Gecko) 94.0.4606.31/7.0 TV Safari/537.36",
      ...[undefined, "Tizen"] as const,
    ],
    ["Mozilla/5.0 Chrome/123456789.0", "Chrome"],
    ["a browser that nobody knows"],
  ];

  for (const [agent, browser, system, device] of cases) {
    const [found = {}] = await classesOf({ headers: { "User-Agent": agent } });
    const { browser: family, version, ...others } = found as NonNullable<StoredEvent["dimensions"]>;
    assertEquals([agent, version, others.system, others.device], [agent, browser, system, device]);
    assertEquals(family, browser?.replace(/ \d+$/, ""));
  }
});

Deno.test("createIngest() takes the country of a proxy, in two letters", async () => {
  const countryOf = async (text: string | null): Promise<unknown> =>
    (await classesOf({ dimensions: ["country"], headers: { "CF-IPCountry": text } }))[0];

  assertEquals(await Promise.all(["DE", "de", "XX", "T1", "Germany", null].map(countryOf)), [
    ...[{ country: "DE" }, { country: "DE" }],
    ...Array(4).fill(undefined),
  ]);
});

Deno.test("createIngest() keeps the classes that the key asks for, of full events of pages alone", async () => {
  const agent = `${WINDOWS} Chrome/142.0.0.0 Safari/537.36`;
  const headers = { "User-Agent": agent, "CF-IPCountry": "DE" };
  const backend = { ...headers, Origin: null, Authorization: `Bearer ${SECRET}` };

  assertEquals(await classesOf({ headers, dimensions: [] }), [undefined]);
  assertEquals(await classesOf({ headers, dimensions: ["device"] }), [{ device: "desktop" }]);
  assertEquals(await classesOf({ headers, body: AGGREGATE }), [undefined]);
  assertEquals(await classesOf({ headers: backend }), [undefined]);
});

Deno.test("createIngest() stores nothing else of agent and country", async () => {
  const sink = createMemorySink();
  const keys = [{ apiKey: KEY, origins: [ORIGIN], dimensions: ALL }];
  await createIngest({ keys, sink, countryOf: () => "DE" })(
    post(FULL, { "User-Agent": `${WINDOWS} Chrome/142.0.7444.77 Safari/537.36` }),
  );

  const text = JSON.stringify(await sink.events());
  assertEquals([text.includes("AppleWebKit"), text.includes("7444")], [false, false]);
});

Deno.test("createIngest() refuses a class that there isn't", () => {
  const keys = [{ apiKey: KEY, origins: [ORIGIN], dimensions: ["region" as "country"] }];

  assertThrows(
    () => createIngest({ keys, sink: createMemorySink() }),
    TypeError,
    "createIngest(): keys[0].dimensions must be some of browser, system, device, country",
  );
});
