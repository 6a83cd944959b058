import { openDatabase } from "./database.ts";
import { createFeed } from "../../src/ingest/server/demo/feed.ts";
import { formatRow, ROW_HEADER } from "../../src/ingest/server/demo/format_row.ts";
import { startIngest } from "./ingest_server.ts";
import type { DemoOptions } from "./options.ts";
import { startServer } from "./server.ts";
import { createSiteHandler } from "./site_handler.ts";
import { untilSignal } from "../../src/ingest/server/cli/signals.ts";

/**
 * Runs the site and its ingest until Ctrl-C; returns the exit code.
 *
 * @throws {DemoFault} When a port or the database can't be used.
 */
export async function runSite({ port, ingestPort, dbPath }: DemoOptions): Promise<number> {
  const closers: (() => void | Promise<void>)[] = [];
  const signal = untilSignal();
  try {
    const database = await openDatabase(dbPath);
    closers.push(database.close);
    const feed = createFeed();

    // The ingest has to know the site's origin, and the site the ingest's address: the site answers once it does.
    const handler = Promise.withResolvers<(request: Request) => Promise<Response>>();
    const site = startServer({
      port,
      flag: "--port",
      handle: async (request) => (await handler.promise)(request),
    });
    closers.push(site.stop);
    const ingest = startIngest({
      port: ingestPort,
      database,
      origins: [site.origin, `http://localhost:${site.port}`],
      onRow: (row) => {
        console.log(formatRow(row));
        feed.publish(row);
      },
    });
    // First to close of all: a stream that is open keeps its server from ending.
    closers.push(ingest.stop, feed.close);
    handler.resolve(await createSiteHandler({ endpoint: ingest.endpoint, feed }));

    console.log(`Site      ${site.origin}/`);
    console.log(`Ingest    ${ingest.endpoint}`);
    console.log(`Reports   ${ingest.origin}/reports`);
    console.log(`Database  ${database.label}`);
    console.log(`Ctrl-C stops both.\n\n${ROW_HEADER}`);
    await signal.received;
    console.log("\nStopped.");
    return 0;
  } finally {
    for (const close of closers.reverse()) await close();
    signal.release();
  }
}
