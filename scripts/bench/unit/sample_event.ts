import type { Target } from "../../../src/batch.ts";
import type { CapturedEvent } from "../../../src/capture.ts";
import { buildSampleProperties } from "./sample_properties.ts";

const text = JSON.stringify({
  id: "00000000-0000-4000-8000-000000000001",
  name: "signup",
  timestamp: "2026-01-01T00:00:00.000Z",
  properties: buildSampleProperties(1),
}).slice(0, -1);

const tail = `,${
  JSON.stringify({
    context: {
      sdkName: "@vendor/sdk",
      sdkVersion: "1.0.0",
      pageUrl: "https://shop.example/p1?utm_source=bench",
      pageTitle: "Bench page",
      screenWidth: 1280,
      screenHeight: 800,
    },
    sessionId: "00000000-0000-4000-8000-000000000002",
    identity: { userId: null, anonymousId: "00000000-0000-4000-8000-000000000003" },
  }).slice(1)
}`;

/** A finished event (SPEC 2.6) with 8 properties. */
export const EVENT: CapturedEvent = { text, tail, bytes: text.length + tail.length, timeMs: 0 };

/** Where the events of a benchmark would go. */
export const TARGET: Target = {
  endpoint: "https://ingest.example/v1/events",
  apiKey: "bench",
  account: "1",
  maxEvents: 50,
  flushInterval: 5000,
};
