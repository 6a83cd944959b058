import { createIngest } from "@vendor/ingest";
import { DEMO_KEY } from "../../src/ingest/server/demo/demo_key.ts";
import type { FeedOutcome, FeedRow } from "../../src/ingest/server/demo/feed_row.ts";
import { type DemoServer, startServer } from "./server.ts";
import type { VisitStore } from "./store.ts";

/** Settings of {@linkcode startIngest}. */
export interface IngestServerOptions {
  /** Port; 0 picks a free one. */
  readonly port: number;
  /** Where events are stored. */
  readonly store: VisitStore;
  /** Origins that may send with the demo's key. */
  readonly origins: readonly string[];
  /** Hears of everything the ingest accepts, knows already or refuses. */
  readonly onRow: (row: FeedRow) => void;
}

/** The ingest behind a server. */
export interface IngestServer extends DemoServer {
  /** URL for the SDK's `endpoint`. */
  readonly endpoint: string;
}

const PATH = "/v1/events";

/** Starts the ingest on its own port, so that the site's requests are cross-origin. */
export function startIngest({ port, store, origins, onRow }: IngestServerOptions): IngestServer {
  const publish = (outcome: FeedOutcome): void => onRow({ ...outcome, at: new Date().toISOString() });
  const ingest = createIngest({
    keys: [{ apiKey: DEMO_KEY, origins }],
    sink: store.sink,
    path: PATH,
    onError: (error) => console.error(`ingest: ${error}`),
    onEvents: (events) => events.forEach((event) => publish({ kind: "accepted", event })),
    onOutcome: (outcome) => {
      if (outcome.kind === "refused") publish(outcome);
      else if (outcome.duplicates > 0) publish({ kind: "duplicates", count: outcome.duplicates });
    },
  });
  const server = startServer({ port, flag: "--ingest-port", handle: ingest });
  return { ...server, endpoint: server.origin + PATH };
}
