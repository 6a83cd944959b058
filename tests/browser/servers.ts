import type { InitConfig } from "../../mod.ts";
import { script } from "./html.ts";
import { type IngestServer, KEY, startIngest } from "./ingest_server.ts";
import { type SiteServer, startSite } from "./site_server.ts";

/** The servers of a test. */
export interface Servers {
  /** The site that uses the SDK. */
  readonly site: SiteServer;
  /** Another site, under another name. */
  readonly otherSite: SiteServer;
  /** The ingest, on a third origin. */
  readonly ingest: IngestServer;
  /** Returns a script that calls `Vendor.init()`; by default the queue is flushed after 20 ms. */
  init(config?: Partial<InitConfig>): string;
}

/** Runs a test with servers of its own, and ends them. */
export async function withServers(run: (servers: Servers) => Promise<void>): Promise<void> {
  const site = startSite("127.0.0.1");
  const otherSite = startSite("localhost");
  const ingest = await startIngest([site.origin, otherSite.origin, "null"]);
  const { endpoint } = ingest;
  try {
    await run({
      site,
      otherSite,
      ingest,
      init: (config) =>
        script((config) => Vendor.init(config), { apiKey: KEY, endpoint, flushInterval: 20, ...config }),
    });
  } finally {
    await Promise.all([site.close(), otherSite.close(), ingest.close()]);
  }
}
