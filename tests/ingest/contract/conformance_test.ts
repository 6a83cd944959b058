import { assertMatch, assertStringIncludes } from "@std/assert";
import { createIngest, createMemorySink } from "../../../src/ingest/mod.ts";
import { runCases } from "../../../scripts/conformance/run_cases.ts";
import { createTarget } from "../../../scripts/conformance/target.ts";
import { KEY, ORIGIN } from "../fixtures.ts";

type Handler = (request: Request) => Response | Promise<Response>;

/** Runs the conformance suite against a handler; resolves to what it says. */
async function runSuite(handler: Handler, origin?: string): Promise<string> {
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, handler);
  const url = `http://127.0.0.1:${server.addr.port}/v1/events`;
  const lines: string[] = [];
  const failed = await runCases(createTarget({ url, key: KEY, ...(origin && { origin }) }), (line) => lines.push(line));
  await server.shutdown();
  assertMatch(lines.at(-1) ?? "", new RegExp(` ${failed} failed$`));
  return lines.join("\n");
}

Deno.test("the conformance suite passes our ingest, and again without a registered origin", async () => {
  const sink = createMemorySink();
  const bound = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink });
  const open = createIngest({ keys: [{ apiKey: KEY, origins: "any" }], sink });

  const first = await runSuite(bound, ORIGIN);
  const second = await runSuite(open);

  assertMatch(first, /\n\d{3} passed, 0 failed$/);
  assertMatch(second, /Not tried without --origin: 5 cases.*\n\d{3} passed, 0 failed$/);
});

Deno.test("the conformance suite fails an endpoint that takes everything", async () => {
  const headers = { "Access-Control-Allow-Origin": "*", "Content-Type": "application/json" };
  const takeAll = () => new Response('{"accepted":1,"duplicates":0}', { status: 202, headers });

  const output = await runSuite(takeAll, ORIGIN);

  assertStringIncludes(output, "202 doesn't name the origin that asked");
  assertMatch(output, /\n0 passed, \d{3} failed$/);
});

Deno.test("the conformance suite fails an ingest that forgets one rule", async () => {
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink: createMemorySink() });
  const forgetful: Handler = async (request) => {
    const answer = await ingest(request);
    if (answer.status !== 401) return answer;
    return new Response(answer.body, { status: 401, headers: { "Content-Type": "application/json" } });
  };

  const output = await runSuite(forgetful, ORIGIN);

  assertMatch(output, /\n\d{3} passed, 7 failed$/);
});
