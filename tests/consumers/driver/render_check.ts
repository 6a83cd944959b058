import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import type { IngestServer } from "../../browser/ingest_server.ts";
import type { ServerProcess } from "./server_process.ts";

const PATHS = ["/?utm_source=mail", "/teas", "/teas/sencha", "/brewing"] as const;
const ROUNDS = 5;
/** Two pages that wait for one another wait no longer. */
const RENDER_LIMIT_MS = 10_000;
/** Several flush intervals: what a server collected would have been sent by then. */
const QUIET_MS = 300;

/**
 * Asks a server for pages of two visitors, rendered at the same time, and then for those of a third one, for whom it
 * doesn't call the SDK: each page is the visitor's own, nothing is collected, and nothing that the SDK was handed is
 * still in the server's memory.
 */
export async function checkRendering(server: ServerProcess, ingest: IngestServer): Promise<void> {
  // No server has these names from elsewhere.
  const [alice, bob, carol] = [buildName("alice"), buildName("bob"), buildName("carol")];
  const check = (html: string, own: string): void => {
    assertMatch(html, new RegExp(`Signed in:(\\s|<!--.*?-->)*${own}`));
    for (const other of [alice, bob, carol]) if (other !== own) assertNotMatch(html, new RegExp(other));
    assertNotMatch(html, /handed-over-by/);
  };
  for (let round = 0; round < ROUNDS; round++) {
    await Promise.all(PATHS.map(async (path, index) => {
      const meet = `meet=${round}_${index}`;
      const [first, second] = await Promise.all([
        render(server.origin + path, `user=${alice}; consent=granted; ${meet}`),
        render(server.origin + path, `user=${bob}; ${meet}`),
      ]);
      check(first, alice);
      check(second, bob);
      check(await render(server.origin + path, `user=${carol}; silent=yes`), carol);
    }));
  }
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  assertEquals(ingest.requests.map(({ text }) => text), [], "the server collected");
  assertEquals(ingest.preflights, []);
  const memory = await server.readMemory();
  for (const name of [alice, bob]) {
    assertEquals(memory.includes(`served-${name}`), true, "the memory isn't that of the server");
    assertEquals(memory.includes(`handed-over-by-${name}`), false, `the server keeps what ${name} is to the SDK`);
  }
}

function buildName(name: string): string {
  return name + crypto.randomUUID().slice(0, 8);
}

async function render(url: string, cookie: string): Promise<string> {
  const response = await fetch(url, { headers: { cookie }, signal: AbortSignal.timeout(RENDER_LIMIT_MS) });
  const html = await response.text();
  assertEquals(response.status, 200, html);
  return html;
}
