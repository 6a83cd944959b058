import { assert, assertEquals } from "@std/assert";
import { createIngest, createMemorySink, type MemorySink } from "../../src/ingest/mod.ts";
import { FULL, headersOf, KEY, manyEvents, ORIGIN } from "./fixtures.ts";

async function withServer(use: (url: string, sink: MemorySink) => Promise<void>): Promise<void> {
  const sink = createMemorySink();
  const ingest = createIngest({ keys: [{ apiKey: KEY, origins: [ORIGIN] }], sink });
  const server = Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: () => {} }, ingest);
  try {
    await use(`http://127.0.0.1:${server.addr.port}/v1/events`, sink);
  } finally {
    await server.shutdown();
  }
}

Deno.test("createIngest() mounts in Deno.serve and takes concurrent requests", () =>
  withServer(async (url, sink) => {
    const send = async (prefix: string) => {
      const body = JSON.stringify({ ...FULL, events: manyEvents(50, prefix) });
      const answer = await fetch(url, { method: "POST", headers: headersOf(), body });
      return await answer.json();
    };

    const answers = await Promise.all(["a", "b", "c", "a", "b", "c"].map(send));

    assertEquals(answers.reduce((sum, { accepted }) => sum + accepted, 0), 150);
    assertEquals(answers.reduce((sum, { duplicates }) => sum + duplicates, 0), 150);
    assertEquals((await sink.events()).length, 150);
  }));

Deno.test("createIngest() lets a sender read the refusal of a body that is too long or unwanted", () =>
  withServer(async (url) => {
    const body = "x".repeat(1_900_000);
    const statuses: number[] = [];

    for (let round = 0; round < 10; round++) {
      const tooLarge = await fetch(url, { method: "POST", headers: headersOf(), body });
      const wrongPath = await fetch(`${url}/x`, { method: "POST", headers: headersOf(), body: body.slice(0, 900_000) });
      statuses.push(tooLarge.status, wrongPath.status);
      await Promise.all([tooLarge.text(), wrongPath.text()]);
    }

    assertEquals(new Set(statuses), new Set([413, 404]));
  }));

Deno.test("createIngest() outlives a sender that breaks off", () =>
  withServer(async (url, sink) => {
    const { hostname, port } = new URL(url);
    const connection = await Deno.connect({ hostname, port: Number(port) });
    const head = [...headersOf({ "Content-Length": "5000" })].map(([name, value]) => `${name}: ${value}\r\n`).join("");
    await connection.write(new TextEncoder().encode(`POST /v1/events HTTP/1.1\r\nHost: x\r\n${head}\r\n{"type":`));
    connection.close();

    const answer = await fetch(url, { method: "POST", headers: headersOf(), body: JSON.stringify(FULL) });

    assert(answer.ok);
    await answer.body?.cancel();
    assertEquals((await sink.events()).length, 1);
  }));
