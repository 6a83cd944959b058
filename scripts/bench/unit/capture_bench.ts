import { createBrowserEnvironment } from "../../../src/environment/browser.ts";
import { createCapture } from "../../../src/capture.ts";
import { createInstance } from "../../../src/instance.ts";
import { snapshot } from "../../../src/snapshot.ts";
import { createBareWindow } from "./bare_window.ts";
import { buildSampleProperties } from "./sample_properties.ts";

const PROPERTIES = buildSampleProperties(1);
const MAX_BYTES = 32_768;
const AMOUNT = 1000;
const MOMENT = {
  id: "00000000-0000-4000-8000-000000000001",
  timeMs: Date.UTC(2026, 0, 1),
  url: "https://shop.example/p1?utm_source=bench",
  referrer: "",
  owner:
    ',"sessionId":"00000000-0000-4000-8000-000000000002","identity":{"userId":null,"anonymousId":"00000000-0000-4000-8000-000000000003"}',
};

const { capture } = createCapture(createBrowserEnvironment(createBareWindow().scope));
const copy = snapshot(PROPERTIES, MAX_BYTES);
const { text, tail } = capture(MOMENT, "signup", copy);
const event = JSON.parse(text + tail);

Deno.bench("JSON.stringify() of 1,000 finished events", { group: "step", baseline: true }, () => {
  for (let i = 0; i < AMOUNT; i++) JSON.stringify(event);
});

Deno.bench("1,000 steps with 8 properties", { group: "step" }, (bench) => {
  const instance = createInstance(createBrowserEnvironment(createBareWindow().scope));
  instance.init({ apiKey: "bench" });
  bench.start();
  for (let i = 0; i < AMOUNT; i++) instance.step("signup", PROPERTIES);
  bench.end();
});

Deno.bench("capture() of 1,000 events", { group: "step" }, () => {
  for (let i = 0; i < AMOUNT; i++) capture(MOMENT, "signup", copy);
});

Deno.bench("JSON.stringify() of 8 properties", { group: "snapshot", baseline: true }, () => {
  JSON.stringify(PROPERTIES);
});

Deno.bench("snapshot() of 8 properties", { group: "snapshot" }, () => {
  snapshot(PROPERTIES, MAX_BYTES);
});

Deno.bench("snapshot() of a class, a Date, a Map and a Set", { group: "snapshot" }, () => {
  snapshot(HOSTILE, MAX_BYTES);
});

class Cart {
  readonly items = [1, 2, 3];
}

const HOSTILE = { cart: new Cart(), at: new Date(0), sizes: new Map([["a", 1]]), tags: new Set(["a", "b"]) };
