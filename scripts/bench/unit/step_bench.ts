import { createBrowserEnvironment } from "../../../src/environment/browser.ts";
import { createInstance } from "../../../src/instance.ts";
import { toJson } from "../../../src/json.ts";
import { createBareWindow } from "./bare_window.ts";
import { buildSampleProperties } from "./sample_properties.ts";

const PROPERTIES = buildSampleProperties(1);
const AMOUNT = 1000;

Deno.bench("1,000 steps with 8 properties", { group: "step", baseline: true }, (bench) => {
  const instance = createInstance(createBrowserEnvironment(createBareWindow().scope));
  instance.init({ apiKey: "bench" });
  bench.start();
  for (let i = 0; i < AMOUNT; i++) instance.step("signup", PROPERTIES);
  bench.end();
});

Deno.bench("1,000 steps with 8 properties, and the task after", { group: "step" }, (bench) => {
  const { scope, runTimers } = createBareWindow();
  const instance = createInstance(createBrowserEnvironment(scope));
  instance.init({ apiKey: "bench" });
  bench.start();
  for (let i = 0; i < AMOUNT; i++) instance.step("signup", PROPERTIES);
  runTimers();
  bench.end();
});

Deno.bench("JSON.stringify() of 8 properties", { group: "json", baseline: true }, () => {
  JSON.stringify(PROPERTIES);
});

Deno.bench("toJson() of 8 properties", { group: "json" }, () => {
  toJson(PROPERTIES);
});

Deno.bench("toJson() of a Date, a Map and a Set", { group: "json" }, () => {
  toJson(ODD);
});

const ODD = { at: new Date(0), sizes: new Map([["a", 1]]), tags: new Set(["a", "b"]) };
