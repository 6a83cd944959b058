import { assertEquals } from "@std/assert";
import { compareLines, EXPECTED, toLines } from "../../scripts/demo/once_events.ts";
import type { StoredEvent } from "@vendor/sdk/ingest";

const FULL: StoredEvent = {
  id: "1",
  name: "basket_add",
  collection: "full",
  timestamp: "2026-01-01T00:00:00.000Z",
  receivedAt: "2026-01-01T00:00:01.000Z",
  properties: { tea: "sencha" },
  sessionId: "session-a",
  identity: { userId: "ada", anonymousId: "visitor-a", traits: { plan: "team" } },
  context: { sdkName: "@vendor/sdk", sdkVersion: "0.1.0", pageUrl: "https://tidewater.example/teas?a=1#b" },
  batchId: "batch",
};

const AGGREGATE: StoredEvent = {
  id: "2",
  name: "$pageview",
  collection: "aggregate",
  timestamp: "2026-01-01T00:00:00.000Z",
  receivedAt: "2026-01-01T00:00:01.000Z",
  context: {
    sdkName: "@vendor/sdk",
    sdkVersion: "0.1.0",
    pageUrl: "https://tidewater.example/teas",
    referrer: "https://a.example",
  },
};

Deno.test("toLines() keeps everything but the identifiers' values", () => {
  assertEquals(toLines([FULL, AGGREGATE]), [
    {
      name: "basket_add",
      collection: "full",
      user: "ada",
      visitor: "V1",
      session: "S1",
      page: "/teas?a=1#b",
      context: "pageUrl",
      properties: '{"tea":"sencha"}',
      traits: '{"plan":"team"}',
    },
    {
      name: "$pageview",
      collection: "aggregate",
      user: "-",
      visitor: "-",
      session: "-",
      page: "/teas",
      context: "pageUrl referrer",
      properties: "-",
      traits: "-",
    },
  ]);
});

Deno.test("toLines() numbers visitors and sessions as they appear", () => {
  const other: StoredEvent = { ...FULL, sessionId: "session-b", identity: { userId: null, anonymousId: "visitor-b" } };

  const lines = toLines([FULL, other, FULL]).map(({ user, visitor, session }) => `${user} ${visitor} ${session}`);

  assertEquals(lines, ["ada V1 S1", "anonymous V2 S2", "ada V1 S1"]);
});

Deno.test("compareLines() finds no fault in what was expected", () => {
  assertEquals(compareLines(EXPECTED, [...EXPECTED]), []);
});

Deno.test("compareLines() says where an event is missing, not expected, or another", () => {
  const lines = toLines([FULL]);
  const others = toLines([{ ...FULL, name: "other", properties: { tea: "assam" } }]);
  const line = 'basket_add full ada V1 S1 /teas?a=1#b pageUrl {"tea":"sencha"} {"plan":"team"}';
  const other = line.replace("basket_add", "other").replace("sencha", "assam");

  assertEquals(compareLines(lines, []), [`event 1: there is nothing, expected ${line}`]);
  assertEquals(compareLines([], lines), [`event 1: there is ${line}, expected nothing`]);
  assertEquals(compareLines(lines, others), [`event 1: there is ${other}, expected ${line}`]);
});

Deno.test("compareLines() minds the order", () => {
  const [first, second, ...rest] = EXPECTED;
  const swapped = first !== undefined && second !== undefined ? [second, first, ...rest] : [];

  assertEquals(compareLines(EXPECTED, swapped).length, 2);
});
