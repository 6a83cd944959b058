/** Key of the bench. */
export const BENCH_KEY = "pk_bench_0123456789abcdef0123456789";

/** Makes requests whose events have ids of their own, at little cost: the ids are written into a finished text. */
export interface RequestMaker {
  /** Returns the next request as bytes of HTTP/1.1; they are overwritten by the one after. */
  next(): Uint8Array;
}

const ID_TEMPLATE = "00000000-0000-4000-8000-000000000000";

const HEX = new TextEncoder().encode("0123456789abcdef");

const EVENT = {
  id: ID_TEMPLATE,
  name: "Checkout started",
  properties: { total: 12.5, currency: "EUR", items: [{ sku: "s-1", count: 2 }] },
  timestamp: "2026-03-01T10:00:00.000Z",
  sessionId: "0b6f7f3e-6a0c-4f0e-9d0a-2f4c3f1f7a11",
  identity: { userId: "u-1234", anonymousId: "f3b1c9d2-1c1e-4a57-8c55-52e6d7a4b0aa", traits: { plan: "pro" } },
  context: {
    sdkName: "@vendor/sdk",
    sdkVersion: "0.1.0",
    pageUrl: "https://shop.example/cart?step=2#pay",
    referrer: "https://search.example/?q=shoes",
    pageTitle: "Cart",
    screenWidth: 1280,
    screenHeight: 720,
  },
};

/** Creates the requests of so many events each, as the SDK sends them. */
export function createRequestMaker(eventsPerRequest: number): RequestMaker {
  const { sessionId, identity, context, timestamp } = EVENT;
  const events = Array.from({ length: eventsPerRequest }, () => EVENT);
  const batchId = crypto.randomUUID();
  const body = JSON.stringify({ type: "event", batchId, sessionId, identity, events, sentAt: timestamp, context });
  const head = [
    "POST /v1/events HTTP/1.1",
    "Host: 127.0.0.1",
    "Content-Type: application/json",
    `X-API-Key: ${BENCH_KEY}`,
    "X-Vendor-SDK-Version: 0.1.0",
    "Origin: https://shop.example",
    `Content-Length: ${body.length}`,
  ];
  const text = `${head.join("\r\n")}\r\n\r\n${body}`;
  const bytes = new TextEncoder().encode(text);
  const places = findAll(text, ID_TEMPLATE);
  return {
    next: () => {
      const random = crypto.getRandomValues(new Uint8Array(places.length * 16));
      for (const [index, place] of places.entries()) {
        writeId(bytes, place, random.subarray(index * 16, index * 16 + 16));
      }
      return bytes;
    },
  };
}

// All digits are random, which an id may be; the dashes stay.
function writeId(bytes: Uint8Array, place: number, random: Uint8Array): void {
  let at = place;
  for (const byte of random) {
    for (const digit of [byte >> 4, byte & 15]) {
      if (bytes[at] === 0x2d) at += 1;
      bytes[at] = HEX[digit] ?? 0;
      at += 1;
    }
  }
}

function findAll(text: string, part: string): readonly number[] {
  const places: number[] = [];
  for (let at = text.indexOf(part); at >= 0; at = text.indexOf(part, at + part.length)) places.push(at);
  return places;
}
