/**
 * The server of the long fuzz, in a process of its own. Its sink forgets, so that what grows is a leak. Prints its
 * port; each line on its standard input is answered with its memory in bytes: the heap and everything.
 *
 * @module
 */
import { createIngest } from "../../src/ingest/handler.ts";
import { KEY, ORIGIN } from "../../tests/ingest/fixtures.ts";

const ingest = createIngest({
  keys: [{ apiKey: KEY, origins: [ORIGIN], rateLimit: { requestsPerSecond: 1e6 }, pageviewAllowance: 10 }],
  sink: {
    store: ({ events }) => Promise.resolve({ accepted: events.length, duplicates: 0, events }),
    close: () => Promise.resolve(),
  },
  onError: (error) => console.error("the ingest failed:", error),
});

Deno.serve({ hostname: "127.0.0.1", port: 0, onListen: ({ port }) => console.log(port) }, ingest);
for await (const _ of Deno.stdin.readable) {
  // Run with --expose-gc, so that what is measured is in use.
  (globalThis as { readonly gc?: () => void }).gc?.();
  const { heapUsed, rss } = Deno.memoryUsage();
  console.log(`${heapUsed} ${rss}`);
}
