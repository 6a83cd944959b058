import type { SiteServer } from "./site_server.ts";
import { createWatch } from "./wait_until.ts";

/** Where a page without DevTools tells of itself and waits for the test. */
export interface Reports {
  /** Waits for the next report of a page: a POST of JSON to `/report`. */
  next(): Promise<unknown>;
  /** Lets the page go on: it awaits the answer of `/go`. Call it in any case, or the site can't be closed. */
  go(): void;
}

/** Makes a site take reports. */
export function takeReports(site: SiteServer): Reports {
  const reports: unknown[] = [];
  const watch = createWatch();
  const waiting = Promise.withResolvers<Response>();
  site.handle("/report", async (request) => {
    reports.push(await request.json());
    watch.notify();
    return new Response();
  });
  site.handle("/go", () => waiting.promise);
  return {
    async next() {
      await watch.until(() => reports.length > 0, () => `no report; visited ${site.visits.join(", ")}`);
      return reports.shift();
    },
    go: () => waiting.resolve(new Response()),
  };
}
