import type { FeedRow } from "./feed_row.ts";

/** Hands rows to every browser that watches. */
export interface Feed {
  /** Sends a row to all, and keeps it for those that come later. */
  publish(row: FeedRow): void;
  /** Answers a request for the feed with a stream that begins with the rows it hasn't seen. */
  open(request: Request): Response;
  /** Ends all streams. */
  close(): void;
}

/** How many rows a browser that comes later still gets to see. */
const MAX_KEPT_ROWS = 200;

const RECONNECT_MS = 1_000;

type Stream = ReadableStreamDefaultController<Uint8Array>;

/** Creates a feed of server-sent events (HTML, 9.2). */
export function createFeed(): Feed {
  const encoder = new TextEncoder();
  const streams = new Set<Stream>();
  const kept: { readonly seq: number; readonly row: FeedRow }[] = [];
  // Distinguishes this run in event IDs: a browser that reconnects to the next one has seen none of its rows.
  const run = crypto.randomUUID();
  let lastSeq = 0;

  function encode(seq: number, data: { readonly isReplay: boolean; readonly row: FeedRow }): Uint8Array {
    return encoder.encode(`event: row\nid: ${run}/${seq}\ndata: ${JSON.stringify(data)}\n\n`);
  }

  function seenSeq(request: Request): number {
    const [seenRun, seq] = request.headers.get("Last-Event-ID")?.split("/") ?? [];
    return seenRun === run ? Number(seq) : 0;
  }

  return {
    publish(row): void {
      lastSeq += 1;
      kept.push({ seq: lastSeq, row });
      if (kept.length > MAX_KEPT_ROWS) kept.shift();
      for (const stream of streams) stream.enqueue(encode(lastSeq, { isReplay: false, row }));
    },
    open(request): Response {
      const seen = seenSeq(request);
      let own: Stream | undefined;
      const body = new ReadableStream<Uint8Array>({
        start(stream): void {
          own = stream;
          streams.add(stream);
          stream.enqueue(encoder.encode(`retry: ${RECONNECT_MS}\n\n`));
          for (const { seq, row } of kept) if (seq > seen) stream.enqueue(encode(seq, { isReplay: true, row }));
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
