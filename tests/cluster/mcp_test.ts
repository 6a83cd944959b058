import { assertEquals, assertMatch } from "@std/assert";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { fileURLToPath } from "node:url";
import { createFileSink } from "../../src/ingest/mod.ts";
import { buildPageview, SITE } from "../ingest/reports/fixtures.ts";
import { KEY, storeEvents } from "../ingest/reports/report_store.ts";

const PROGRAM = fileURLToPath(new URL("../../src/ingest/server/bin.ts", import.meta.url));

for (const mode of ["legacy", "auto"] as const) {
  const name = `vendor-ingest mcp answers the protocol's own client, which starts it (${mode})`;
  // The client leaves a timer behind, which would have killed the program.
  Deno.test({ name, sanitizeOps: false, sanitizeResources: false }, async () => {
    const directory = await Deno.makeTempDir();
    const path = `${directory}/events`;
    const sink = await createFileSink({ path });
    await storeEvents(sink, [buildPageview({ timestamp: new Date().toISOString(), pageUrl: `${SITE}/teas` })]);
    await sink.close();
    const client = new Client({ name: "test", version: "1.0.0" }, { versionNegotiation: { mode } });
    const transport = new StdioClientTransport({
      command: Deno.execPath(),
      args: ["run", "-A", PROGRAM, "mcp", "--key", KEY, "--sink", `file:${path}`],
    });
    try {
      await client.connect(transport);
      const { tools } = await client.listTools();
      const { content: [part] } = await client.callTool({ name: "pages", arguments: { site: SITE } });

      assertEquals(tools.some(({ name }) => name === "person"), false);
      assertMatch(part?.type === "text" ? part.text : "", /"path":"\/teas"/);
    } finally {
      await client.close();
      await Deno.remove(directory, { recursive: true });
    }
  });
}
