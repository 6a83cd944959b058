import { assertEquals, assertStringIncludes } from "@std/assert";
import { DEMO_KEY } from "../../src/ingest/server/demo/demo_key.ts";
import { EXPECTED } from "../../scripts/demo/once_events.ts";
import { type OnceOptions, runOnce } from "../../scripts/demo/run_once.ts";
import { SHOP_ORIGIN } from "../../scripts/demo/visit.ts";

const OPTIONS = { isOnce: true, isHelp: false, port: 0, ingestPort: 0 };

Deno.test("runOnce() finds exactly the expected events after the scripted visit", async () => {
  const { code, output } = await run({});

  assertEquals(code, 0, output);
  assertStringIncludes(output, `All ${EXPECTED.length} expected events are there, and nothing else.`);
});

Deno.test("runOnce() fails when events are missing", async () => {
  const { code, output } = await run({ makeVisit: () => Promise.resolve([]) });

  assertEquals(code, 1);
  assertStringIncludes(output, "- event 1: there is nothing, expected $pageview aggregate");
  assertStringIncludes(output, "- event 9: there is nothing, expected $pageview full");
});

Deno.test("runOnce() fails when something stays on the device", async () => {
  const { code, output } = await run({ makeVisit: () => Promise.resolve(["vendor.sdk.id"]) });

  assertEquals(code, 1);
  assertStringIncludes(output, "- still on the device after consent was denied: vendor.sdk.id\n");
});

Deno.test("runOnce() fails when the ingest refuses a request", async () => {
  const makeVisit = async (endpoint: string): Promise<readonly string[]> => {
    const headers = { "X-API-Key": DEMO_KEY, Origin: SHOP_ORIGIN };
    const response = await fetch(endpoint, { method: "POST", headers, body: "{}" });
    await response.text();
    return [];
  };

  const { code, output } = await run({ makeVisit });

  assertEquals(code, 1);
  assertStringIncludes(output, "refused    415 unsupported_media_type");
});

async function run(options: OnceOptions): Promise<{ readonly code: number; readonly output: string }> {
  const lines: string[] = [];
  const code = await runOnce(OPTIONS, { ...options, print: (line) => lines.push(line) });
  return { code, output: `${lines.join("\n")}\n` };
}
