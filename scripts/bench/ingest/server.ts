/**
 * The server of the load bench, in a process of its own, on Deno or Node: `bare` is the runtime's own server, which parses
 * the JSON and does nothing else, the others are the program without its settings. Prints its port; each line on its
 * standard input is answered with the CPU time it has used.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import process from "node:process";
import { createApp } from "../../../src/ingest/server/http/app.ts";
import { listen } from "../../../src/ingest/server/http/listen.ts";
import { createMemorySink } from "../../../src/ingest/stores/memory/memory_sink.ts";
import type { EventSink } from "../../../src/ingest/ports/sink.ts";
import { createFileSink } from "../../../src/ingest/stores/file/file_sink.ts";
import { BENCH_KEY } from "./body.ts";

async function answerBare(request: Request): Promise<Response> {
  const { events } = await request.json();
  return Response.json({ accepted: events.length, duplicates: 0 }, { status: 202 });
}

async function answerBareOnNode(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
  const pieces: Uint8Array[] = [];
  for await (const piece of incoming) pieces.push(piece);
  const { events } = JSON.parse(Buffer.concat(pieces).toString());
  const text = JSON.stringify({ accepted: events.length, duplicates: 0 });
  outgoing.writeHead(202, { "Content-Type": "application/json", "Content-Length": text.length }).end(text);
}

/** Starts the runtime's own server; returns its port. */
async function startBare(address: { readonly hostname: string; readonly port: number }): Promise<number> {
  if ("Deno" in globalThis) return Deno.serve({ ...address, onListen: () => {} }, answerBare).addr.port;
  const server = createServer(answerBareOnNode);
  await new Promise<void>((resolve) => server.listen(address.port, address.hostname, resolve));
  return (server.address() as AddressInfo).port;
}

/** A memory sink that forgets: in a bench, what it remembers would be most of what it does. */
function createForgetfulSink(): EventSink {
  let sink = createMemorySink();
  let stored = 0;
  return {
    store: (batch) => {
      stored += batch.events.length;
      if (stored > 10_000) {
        sink = createMemorySink();
        stored = 0;
      }
      return sink.store(batch);
    },
    close: () => sink.close(),
  };
}

/** Starts the server; returns its port. */
async function start(kind: string, folder: string): Promise<number> {
  const address = { hostname: "127.0.0.1", port: 0 };
  if (kind === "bare") return await startBare(address);
  const limits = { maxPending: 256, requestTimeoutMs: 25_000 };
  const log = (...line: unknown[]): void => console.error(...line);
  const app = createApp({
    keys: [{ apiKey: BENCH_KEY, origins: "any", bytesPerSecond: Infinity }],
    sink: kind === "file" ? await createFileSink({ path: folder }) : createForgetfulSink(),
    path: "/v1/events",
    log: (level, ...line) => level === "debug" || log(...line),
    ...limits,
  });
  return (await listen({ host: address.hostname, port: 0, portFlag: "--port", handle: app.handle, ...limits }))
    .port;
}

const [kind = "bare", folder = ""] = process.argv.slice(2);
console.log(await start(kind, folder));
for await (const _ of process.stdin) {
  const { user, system } = process.cpuUsage();
  console.log(user + system);
}
