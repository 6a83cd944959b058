import { assertEquals } from "@std/assert";
import { createIngest, createMemorySink } from "../../src/ingest/mod.ts";

const CURL = /curl (\S+) \\\n((?: +-H "[^"]+" \\\n)+) +-d '([^']+)'/;

Deno.test("the request that the guide sends with curl is accepted, and the second time known", async () => {
  const guide = await Deno.readTextFile(new URL("../../docs/ingest.md", import.meta.url));
  const [, url = "", options = "", body = ""] = CURL.exec(guide) ?? [];
  const headers = [...options.matchAll(/"([^:]+): ([^"]+)"/g)].map(([, name = "", value = ""]) => [name, value]);
  const keys = [{ apiKey: "pk_live_123", origins: ["https://shop.example"] }]; // as the guide starts the program
  const ingest = createIngest({ keys, sink: createMemorySink() });
  const send = () => ingest(new Request(url, { method: "POST", headers: Object.fromEntries(headers), body }));
  const answers = [await (await send()).text(), await (await send()).text()];

  assertEquals(answers.filter((answer) => guide.includes(`\`${answer}\``)), [
    '{"accepted":1,"duplicates":0}',
    '{"accepted":0,"duplicates":1}',
  ]);
});
