import { assertEquals, assertMatch, assertStringIncludes } from "@std/assert";
import { createIngest, createMemorySink } from "../../src/ingest/mod.ts";
import { runProcess } from "../../scripts/process.ts";
import { KEY, ORIGIN } from "./fixtures.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** Runs the conformance suite against a handler. */
async function runSuite(handler: Handler, args: readonly string[]): Promise<{ code: number; output: string }> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  const url = `http://127.0.0.1:${server.addr.port}/v1/events`;
  try {
    return await runProcess(Deno.execPath(), {
      args: ["run", "-A", "scripts/conformance.ts", "--url", url, "--key", KEY, ...args],
      isQuiet: true,
    });
  } finally {
    await server.shutdown();
  }
}

Deno.test("the conformance suite passes our ingest, and again without a registered origin", async () => {
  const sink = createMemorySink();
  const bound = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink });
  const open = createIngest({ keys: [{ apiKey: KEY, origins: "any" }], sink });

  const first = await runSuite(bound, ["--origin", ORIGIN]);
  const second = await runSuite(open, []);

  assertMatch(first.output.trim(), /\n\d{3} passed, 0 failed$/);
  assertEquals([first.code, second.code], [0, 0]);
  assertStringIncludes(second.output, "Not tried without --origin: 5 cases");
});

Deno.test("the conformance suite fails an endpoint that takes everything", async () => {
  const headers = { "Access-Control-Allow-Origin": "*", "Content-Type": "application/json" };
  const takeAll = () => new Response('{"accepted":1,"duplicates":0}', { status: 202, headers });

  const { code, output } = await runSuite(takeAll, ["--origin", ORIGIN]);

  assertEquals(code, 1);
  assertStringIncludes(output, "202 doesn't expose Retry-After");
  assertMatch(output.trim(), /\n0 passed, \d{3} failed$/);
});

Deno.test("the conformance suite fails an ingest that forgets one rule", async () => {
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink: createMemorySink() });
  const forgetful: Handler = async (request) => {
    const answer = await ingest(request);
    if (answer.status !== 401) return answer;
    return new Response(answer.body, { status: 401, headers: { "Content-Type": "application/json" } });
  };

  const { code, output } = await runSuite(forgetful, ["--origin", ORIGIN]);

  assertEquals(code, 1);
  assertMatch(output.trim(), /\n\d{3} passed, 7 failed$/);
});
