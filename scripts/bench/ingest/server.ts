/**
 * The server of the load bench, in a process of its own: `bare` is a Deno.serve that parses the JSON and nothing else,
 * the others are the program without its settings. Prints its port;
 * each line on its standard input is answered with the CPU time it has used.
 *
 * @module
 */
import { cpuUsage } from "node:process";
import { createApp } from "../../../src/ingest/server/http/app.ts";
import { listen } from "../../../src/ingest/server/http/listen.ts";
import { createMemorySink } from "../../../src/ingest/stores/memory/memory_sink.ts";
import type { EventSink } from "../../../src/ingest/ports/sink.ts";
import { createSqliteSink } from "../../../src/ingest/stores/sqlite/sqlite_sink.ts";
import { BENCH_KEY } from "./body.ts";

async function answerBare(request: Request): Promise<Response> {
  const { events } = await request.json();
  return Response.json({ accepted: events.length, duplicates: 0 }, { status: 202 });
}

/** A memory sink that forgets: in a bench, what it remembers would be most of what it does. */
function createForgetfulSink(): EventSink {
  let sink = createMemorySink();
  let stored = 0;
  return {
    store: (batch) => {
      stored += batch.events.length;
      if (stored > 100_000) {
        sink = createMemorySink();
        stored = 0;
      }
      return sink.store(batch);
    },
    close: () => sink.close(),
  };
}

/** Starts the server; returns its port. */
async function start(kind: string, databasePath: string): Promise<number> {
  const address = { hostname: "127.0.0.1", port: 0 };
  if (kind === "bare") return Deno.serve({ ...address, onListen: () => {} }, answerBare).addr.port;
  const limits = { maxPending: 256, requestTimeoutMs: 25_000 };
  const log = (...line: unknown[]): void => console.error(...line);
  const app = createApp({
    keys: [{ apiKey: BENCH_KEY, origins: "any", bytesPerSecond: Infinity }],
    sink: kind === "sqlite" ? await createSqliteSink({ path: databasePath }) : createForgetfulSink(),
    path: "/v1/events",
    log: (level, ...line) => level === "debug" || log(...line),
    ...limits,
  });
  return (await listen({ host: address.hostname, port: 0, handle: app.handle, ...limits }))
    .port;
}

const [kind = "bare", databasePath = ""] = Deno.args;
console.log(await start(kind, databasePath));
for await (const _ of Deno.stdin.readable) {
  const { user, system } = cpuUsage();
  console.log(user + system);
}
