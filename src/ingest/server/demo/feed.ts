import type { FeedRow } from "./feed_row.ts";

/** Hands rows to every browser that watches. */
export interface Feed {
  /** Sends a row to all, and keeps it for those that come later. */
  publish(row: FeedRow): void;
  /** Answers a request with a stream that begins with the rows so far. */
  open(): Response;
  /** Ends all streams. */
  close(): void;
}

/** Rows that a browser which comes later still gets to see. */
const MAX_KEPT_ROWS = 200;

const RECONNECT_MS = 1_000;

type Stream = ReadableStreamDefaultController<Uint8Array>;

/** Creates a feed of server-sent events (HTML, 9.2). */
export function createFeed(): Feed {
  const encoder = new TextEncoder();
  const streams = new Set<Stream>();
  const kept: string[] = [];
  return {
    publish(row): void {
      const message = `data: ${JSON.stringify(row)}\n\n`;
      kept.push(message);
      if (kept.length > MAX_KEPT_ROWS) kept.shift();
      for (const stream of streams) stream.enqueue(encoder.encode(message));
    },
    open(): Response {
      let own: Stream | undefined;
      const body = new ReadableStream<Uint8Array>({
        start(stream): void {
          own = stream;
          streams.add(stream);
          stream.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n\n${kept.join("")}`));
        },
        cancel(): void {
          if (own !== undefined) streams.delete(own);
        },
      });
      return new Response(body, { headers: { "Content-Type": "text/event-stream", "Cache-Control": "no-store" } });
    },
    close(): void {
      for (const stream of streams) stream.close();
      streams.clear();
    },
  };
}
