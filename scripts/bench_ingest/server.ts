/**
 * The server of the load bench, in a process of its own: `bare` parses the JSON and nothing else. Prints its port;
 * each line on its standard input is answered with the CPU time it has used.
 *
 * @module
 */
import { cpuUsage } from "node:process";
import { createIngest } from "../../src/ingest/handler.ts";
import { createMemorySink } from "../../src/ingest/sinks/memory/memory_sink.ts";
import type { EventSink } from "../../src/ingest/sinks/sink.ts";
import { createSqliteSink } from "../../src/ingest/sinks/sqlite/sqlite_sink.ts";
import { BENCH_KEY } from "./body.ts";

type Handler = (request: Request) => Promise<Response>;

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

async function createHandler(kind: string, databasePath: string): Promise<Handler> {
  if (kind === "bare") return answerBare;
  const sink = kind === "sqlite" ? await createSqliteSink({ path: databasePath }) : createForgetfulSink();
  return createIngest({ keys: [{ apiKey: BENCH_KEY, origins: "any" }], sink, onError: console.error });
}

const [kind = "bare", databasePath = ""] = Deno.args;
Deno.serve(
  { hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) },
  await createHandler(kind, databasePath),
);
for await (const _ of Deno.stdin.readable) {
  const { user, system } = cpuUsage();
  console.log(user + system);
}
