import { createApp } from "../../src/ingest/server/app.ts";
import type { EventSink } from "../../src/ingest/sinks/sink.ts";
import { DEMO_KEY } from "./demo_key.ts";
import type { FeedRow } from "./feed_row.ts";
import { type DemoServer, startServer } from "./server.ts";

/** Settings of {@linkcode startIngest}. */
export interface IngestServerOptions {
  /** Port; 0 picks a free one. */
  readonly port: number;
  /** Where events are stored. */
  readonly sink: EventSink;
  /** Origins that may send with the demo's key. */
  readonly origins: readonly string[];
  /** Hears of everything the ingest accepts, knows already or refuses. */
  readonly onRow: (row: FeedRow) => void;
}

/** The ingest behind a server. */
export interface IngestServer extends DemoServer {
  /** What goes into the SDK's `endpoint`. */
  readonly endpoint: string;
}

const PATH = "/v1/events";

/** Far more than a visitor of a demo does at a time. */
const MAX_PENDING = 100;

const REQUEST_TIMEOUT_MS = 25_000;

/** Starts the ingest on its own port, so that the site's requests are cross-origin. */
export async function startIngest({ port, sink, origins, onRow }: IngestServerOptions): Promise<IngestServer> {
  const app = createApp({
    keys: [{ apiKey: DEMO_KEY, origins }],
    sink,
    path: PATH,
    maxPending: MAX_PENDING,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    log: (level, message, { reason } = {}) => {
      if (level === "error") console.error(`ingest: ${message}: ${reason}`);
    },
    onEvents: (events) => events.forEach((event) => onRow({ kind: "accepted", at: toTime(), event })),
    onOutcome: (outcome) => {
      if (outcome.kind === "refused") onRow({ ...outcome, at: toTime() });
      else if (outcome.duplicates > 0) onRow({ kind: "duplicates", at: toTime(), count: outcome.duplicates });
    },
  });
  const server = await startServer({ port, flag: "--ingest-port", handle: app.handle });
  return { ...server, endpoint: server.origin + PATH };
}

function toTime(): string {
  return new Date().toISOString();
}
