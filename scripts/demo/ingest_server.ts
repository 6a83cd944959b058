import { createIngest, createReports } from "@vendor/ingest";
import type { DemoDatabase } from "./database.ts";
import { DEMO_KEY } from "../../src/ingest/server/demo/demo_key.ts";
import type { FeedOutcome, FeedRow } from "../../src/ingest/server/demo/feed_row.ts";
import { type DemoServer, startServer } from "./server.ts";

/** Settings of {@linkcode startIngest}. */
export interface IngestServerOptions {
  /** Port; 0 picks a free one. */
  readonly port: number;
  /** Where events are stored and counted. */
  readonly database: DemoDatabase;
  /** Origins that may send with the demo's key. */
  readonly origins: readonly string[];
  /** Hears of everything the ingest accepts, knows already or refuses. */
  readonly onRow: (row: FeedRow) => void;
}

/** The ingest behind a server, with the reports of what it stores at `/reports`. */
export interface IngestServer extends DemoServer {
  /** What goes into the SDK's `endpoint`. */
  readonly endpoint: string;
}

const PATH = "/v1/events";

/** Starts the ingest on its own port, so that the site's requests are cross-origin. */
export function startIngest({ port, database, origins, onRow }: IngestServerOptions): IngestServer {
  const publish = (outcome: FeedOutcome): void => onRow({ ...outcome, at: new Date().toISOString() });
  const onError = (error: unknown): void => console.error(`ingest: ${error}`);
  const ingest = createIngest({
    keys: [{ apiKey: DEMO_KEY, origins }],
    sink: database.sink,
    path: PATH,
    onError,
    onEvents: (events) => events.forEach((event) => publish({ kind: "accepted", event })),
    onOutcome: (outcome) => {
      if (outcome.kind === "refused") publish(outcome);
      else if (outcome.duplicates > 0) publish({ kind: "duplicates", count: outcome.duplicates });
    },
  });
  const secretKey = `sk_${crypto.randomUUID()}`;
  const reports = createReports({ keys: [{ apiKey: DEMO_KEY, secretKey, origins }], reader: database.reader, onError });
  // Anyone on this machine may read what the demo counted. A server that others reach passes the request on as it is,
  // and the browser asks for the secret.
  const credentials = { headers: { Authorization: `Bearer ${secretKey}` } };
  const server = startServer({
    port,
    flag: "--ingest-port",
    handle: async (request) => await reports(new Request(request.url, credentials)) ?? await ingest(request),
  });
  return { ...server, endpoint: server.origin + PATH };
}
