import { assertEquals, assertStringIncludes } from "@std/assert";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import fc from "fast-check";
import { createReports, type Reports } from "../../../../src/ingest/mod.ts";
import { VIEWS } from "../../../../src/ingest/reports/views/registry.ts";
import { EVENTS } from "../answer_fixtures.ts";
import { buildPageview, SITE } from "../fixtures.ts";
import { ask, createTestReports, NOW_MS, SECRET, TEST_KEY } from "../reports_fixtures.ts";

const MCP_URL = "https://ingest.shop.example/mcp";

/** Opens the view of everybody, and no person. */
const AGENCY = "sk_agency_0123456789";

const KEY = { ...TEST_KEY, goals: { Order: { step: "=signup" } }, reportSecrets: { agency: { secret: AGENCY } } };

const NAMES = VIEWS.map(({ name }) => name);

/** Sends a message as it is. */
async function post(reports: Reports, body: unknown, headers: Record<string, string> = {}): Promise<Response> {
  const request = new Request(MCP_URL, {
    method: "POST",
    headers: { "Authorization": `Bearer ${SECRET}`, "Content-Type": "application/json", ...headers },
    body: typeof body === "string" ? body : JSON.stringify(body),
  });
  return await reports(request) ?? Response.error();
}

/** Uses the client of the protocol's authors, which talks to the reports. */
async function withClient(
  reports: Reports,
  { secret = SECRET, mode }: { readonly secret?: string; readonly mode: "legacy" | "auto" },
  use: (client: Client) => Promise<void>,
): Promise<void> {
  const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
  const transport = new StreamableHTTPClientTransport(new URL(MCP_URL), {
    fetch: async (url, init) => await reports(new Request(url, init)) ?? Response.error(),
    requestInit: { headers: { Authorization: `Bearer ${secret}` } },
  });
  await client.connect(transport);
  try {
    await use(client);
  } finally {
    await client.close();
  }
}

const textOf = ({ content }: Awaited<ReturnType<Client["callTool"]>>): string =>
  content.map((part) => part.type === "text" ? part.text : "").join("");

for (const [mode, version] of [["legacy", "2025-11-25"], ["auto", "2026-07-28"]] as const) {
  Deno.test(`createReports() answers the protocol's own client by the revision ${version}`, async () => {
    const reports = await createTestReports(EVENTS, { keys: [KEY] });

    await withClient(reports, { mode }, async (client) => {
      const { tools } = await client.listTools();
      const answer = await client.callTool({ name: "pages", arguments: { from: "2026-03-30" } });

      assertEquals(client.getNegotiatedProtocolVersion(), version);
      assertStringIncludes(client.getInstructions() ?? "", "people who agreed");
      assertEquals(tools.map(({ name }) => name), NAMES);
      assertEquals(tools.map(({ annotations }) => annotations?.readOnlyHint), NAMES.map(() => true));
      assertEquals(textOf(answer), await (await ask(reports, "?view=pages&format=json&from=2026-03-30")).text());
    });
  });
}

Deno.test("createReports() says to a program what is wrong with a call, as it does in JSON", async () => {
  const reports = await createTestReports(EVENTS, { keys: [KEY] });

  await withClient(reports, { mode: "auto" }, async (client) => {
    const call = async (name: string, given: Record<string, unknown>): Promise<unknown> => {
      const answer = await client.callTool({ name, arguments: given });
      return [answer.isError, JSON.parse(textOf(answer)).error];
    };

    assertEquals(await call("pages", { from: "yesterday" }), [
      true,
      (await (await ask(reports, "?view=pages&format=json&from=yesterday")).json()).error,
    ]);
    assertEquals(await call("sites", { site: SITE }), [true, {
      code: "bad_argument",
      message: 'there is no argument "site"; there are from, to, zone, compare, traffic, filter, limit',
    }]);
    assertEquals(await call("pages", { filter: { page: "/" } }), [true, {
      code: "bad_argument",
      message: "the argument filter is of another type: see its schema",
    }]);
    assertEquals(await call("pages", { limit: 0 }), [true, {
      code: "bad_limit",
      message: "limit must be a whole number from 1 to 10000",
    }]);
  });
});

Deno.test("createReports() shows what single people did to no program that may not read it", async () => {
  const reports = await createTestReports(EVENTS, { keys: [KEY] });
  const body = new URLSearchParams({ anonymousId: "ada" });
  const headers = { Authorization: `Bearer ${SECRET}` };
  const page = await ask(reports, "?view=person&format=json", { method: "POST", headers, body });

  await withClient(reports, { mode: "auto" }, async (client) => {
    const answer = await client.callTool({ name: "person", arguments: { anonymousId: "ada" } });

    assertEquals(textOf(answer), await page.text());
  });
  await withClient(reports, { mode: "auto", secret: AGENCY }, async (client) => {
    const { tools } = await client.listTools();
    const refusal = await client.callTool({ name: "person", arguments: { anonymousId: "ada" } }).catch(String);

    assertEquals(tools.map(({ name }) => name), NAMES.filter((name) => name !== "person"));
    assertStringIncludes(`${refusal}`, 'there is no tool "person"');
  });
});

Deno.test("createReports() answers a program what it answers in JSON, to the byte", async () => {
  const reports = await createTestReports(EVENTS, { keys: [KEY] });
  const filters = fc.subarray(["page:/teas", "channel:Search", "goal:Order", "screen:phone", "nothing:1"]);
  const query = fc.record({
    site: fc.constantFrom(SITE, "https://blog.example", "https://unregistered.example"),
    from: fc.constantFrom("2026-03-30", "2026-01-01", "2026-02-30", ""),
    to: fc.constantFrom("2026-03-31", "2026-03-30"),
    zone: fc.constantFrom("Europe/Berlin", "Asia/Kolkata", "Mars"),
    compare: fc.constantFrom("weeks", "year"),
    traffic: fc.constantFrom("bots", "own"),
    filter: filters,
    by: fc.constantFrom("campaign", "landing"),
    of: fc.constantFrom("first"),
    step: fc.constantFrom("=signup", "none"),
    stage: fc.subarray(["page:/teas", "step:=signup", "page:/"], { minLength: 2 }),
    within: fc.constantFrom("7d", "never"),
    unit: fc.constantFrom("day", "month"),
    limit: fc.constantFrom(1, 2, "3"),
  }, { requiredKeys: [] });

  await withClient(reports, { mode: "auto" }, async (client) => {
    const { tools } = await client.listTools();
    await fc.assert(
      fc.asyncProperty(fc.constantFrom(...tools.filter(({ name }) => name !== "person")), query, async (tool, all) => {
        const taken = Object.keys(tool.inputSchema.properties ?? {});
        const given = Object.fromEntries(Object.entries(all).filter(([name]) => taken.includes(name)));
        const search = new URLSearchParams([
          ["view", tool.name],
          ["format", "json"],
          ...Object.entries(given).flatMap(([name, value]) => [value].flat().map((one) => [name, `${one}`])),
        ]);
        const [json, answer] = await Promise.all([
          ask(reports, `?${search}`),
          client.callTool({ name: tool.name, arguments: given }),
        ]);

        assertEquals([answer.isError ?? false, textOf(answer)], [json.status !== 200, await json.text()]);
      }),
      { numRuns: 150 },
    );
  });
});

Deno.test("createReports() gives a program a hundred rows of a list, unless it asks for more", async () => {
  const timestamp = "2026-03-31T10:00:00.000Z";
  const pages = Array.from({ length: 101 }, (_, index) => buildPageview({ timestamp, pageUrl: `${SITE}/${index}` }));
  const reports = await createTestReports(pages);
  const rowsOf = async (limit: Record<string, unknown>): Promise<number> => {
    const call = { jsonrpc: "2.0", id: 1, method: "tools/call", params: { name: "pages", arguments: limit } };
    const { result } = await (await post(reports, call)).json();
    return JSON.parse(result.content[0].text).rows.length;
  };

  assertEquals([await rowsOf({}), await rowsOf({ limit: 1000 }), await rowsOf({ limit: 7 })], [100, 101, 7]);
});

Deno.test("createReports() refuses what is no message of the protocol", async () => {
  const reports = await createTestReports(EVENTS);
  const list = { jsonrpc: "2.0", id: 1, method: "tools/list" };
  const modern = { ...list, params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2026-07-28" } } };
  const later = { ...list, params: { _meta: { "io.modelcontextprotocol/protocolVersion": "2027-01-01" } } };
  const cases: readonly (readonly [what: unknown, headers: Record<string, string>, status: number, code: unknown])[] = [
    ["{", {}, 400, -32700],
    [[list], {}, 400, -32600],
    [{ ...list, jsonrpc: "1.0" }, {}, 400, -32600],
    [{ ...list, id: null }, {}, 400, -32600],
    [{ ...list, method: "resources/list" }, {}, 200, -32601],
    [{ ...modern, method: "resources/list" }, {}, 404, -32601],
    [{ ...list, method: "tools/call", params: { name: 1 } }, {}, 200, -32602],
    [later, {}, 400, -32022],
    [modern, { "MCP-Protocol-Version": "2025-11-25" }, 400, -32020],
    [modern, { "Mcp-Method": "tools/call" }, 400, -32020],
    [list, { "Content-Type": "text/plain" }, 415, "unsupported_media_type"],
    [list, { "Authorization": "Bearer sk_wrong_0123456789" }, 401, "unauthorized"],
    [list, { "Authorization": `Basic ${btoa(`a:${SECRET}`)}` }, 401, "unauthorized"],
    [list, { "Origin": SITE }, 403, "origin_refused"],
    ["x".repeat(65_537), {}, 413, "body_too_large"],
  ];

  for (const [body, headers, status, code] of cases) {
    const answer = await post(reports, body, headers);
    assertEquals([answer.status, (await answer.json()).error.code], [status, code]);
  }
  assertEquals((await post(reports, { jsonrpc: "2.0", method: "notifications/initialized" })).status, 202);
  const read = await reports(new Request(MCP_URL, { headers: { Authorization: `Bearer ${SECRET}` } }));
  assertEquals([read?.status, read?.headers.get("Allow")], [405, "POST"]);
  await read?.body?.cancel();
  const asked = await post(reports, list, { Authorization: "" });
  assertEquals(asked.headers.get("WWW-Authenticate"), 'Bearer realm="Reports"');
  await asked.body?.cancel();
});

Deno.test("createReports() tells a program that the store can't be read", async () => {
  const errors: unknown[] = [];
  const fail = (): Promise<never> => Promise.reject(new Error("no such file"));
  const reader = new Proxy({}, { get: (_, name) => name === "until" ? undefined : fail });
  const options = { keys: [TEST_KEY], now: () => NOW_MS, onError: (error: unknown) => void errors.push(error) };
  const reports = createReports({ ...options, reader: reader as never });

  await withClient(reports, { mode: "auto" }, async (client) => {
    const answer = await client.callTool({ name: "overview", arguments: {} });

    assertEquals([answer.isError, JSON.parse(textOf(answer)).error.code, errors.length], [true, "unavailable", 1]);
  });
});
