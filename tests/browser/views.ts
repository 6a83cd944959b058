import type { StoredEvent } from "../../src/ingest/mod.ts";
import type { Servers } from "./servers.ts";

/** Waits until so many events are stored, and returns what all of them say of where the visitor was. */
export async function readViews(servers: Servers, count: number): Promise<string[]> {
  return (await servers.ingest.untilStored(count)).map((event) => toView(servers, event));
}

/** Returns an event as `full $pageview /b?c#d from /a`, without the site's origin; `from` only with a referrer. */
function toView({ site, otherSite }: Servers, { collection, name, context }: StoredEvent): string {
  const shorten = (url = ""): string => url.replace(site.origin, "site:").replace(otherSite.origin, "other:");
  const from = context?.referrer === undefined ? "" : ` from ${shorten(context.referrer)}`;
  return `${collection} ${name} ${shorten(context?.pageUrl)}${from}`;
}
