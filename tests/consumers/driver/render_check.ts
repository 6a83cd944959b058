import { assertEquals, assertMatch, assertNotMatch } from "@std/assert";
import type { IngestServer } from "../../browser/ingest_server.ts";

const PATHS = ["/?utm_source=mail", "/teas", "/teas/sencha", "/brewing"] as const;
const ROUNDS = 5;
/** Several flush intervals: what a server collected would have been sent by then. */
const QUIET_MS = 300;

/** Asks a server for pages as two visitors in turn: each page is the visitor's own, and nothing is collected. */
export async function checkRendering(site: string, ingest: IngestServer): Promise<void> {
  for (let round = 0; round < ROUNDS; round++) {
    const pages = await Promise.all(
      PATHS.flatMap((path) => [
        render(`${site}${path}`, "user=alice; consent=granted"),
        render(`${site}${path}`, "user=bob"),
      ]),
    );
    pages.forEach((html, index) => {
      const [own, other] = index % 2 === 0 ? ["alice", "bob"] : ["bob", "alice"];
      assertMatch(html, new RegExp(`Signed in:(\\s|<!--.*?-->)*${own}`));
      assertNotMatch(html, new RegExp(other));
      assertEquals(/<button[^>]*>Accept/.test(html), own === "bob", `the banner for ${own}: ${html}`);
    });
  }
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  assertEquals(ingest.requests.map(({ text }) => text), [], "the server collected");
  assertEquals(ingest.preflights, []);
}

async function render(url: string, cookie: string): Promise<string> {
  const response = await fetch(url, { headers: { cookie } });
  const html = await response.text();
  assertEquals(response.status, 200, html);
  return html;
}
