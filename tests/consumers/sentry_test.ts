import { assertEquals, assertMatch } from "@std/assert";
import { KEY, startIngest } from "../browser/ingest_server.ts";
import { prepareApplication } from "./driver/application.ts";
import { serveDirectory } from "./driver/static_server.ts";
import { withVisitor } from "./driver/visitor.ts";

Deno.test("events arrive at the ingest with the headers that Sentry's tracing adds", async () => {
  const { directory } = await prepareApplication("sentry");
  const site = serveDirectory(`${directory}/dist`);
  const ingest = await startIngest([site.origin]);
  const settings = { apiKey: KEY, endpoint: ingest.endpoint, flushInterval: 20, trackPageviews: true };
  try {
    await withVisitor({ origin: site.origin, settings }, async (context, complaints) => {
      const page = await context.newPage();
      await page.goto(site.origin);
      const events = await ingest.untilStored(2);

      assertEquals(events.map(({ name }) => name), ["$pageview", "application opened"]);
      for (const { headers } of ingest.requests) {
        assertMatch(`${headers["sentry-trace"]}`, /^[0-9a-f]{32}-[0-9a-f]{16}/);
        assertMatch(`${headers["baggage"]}`, /sentry-trace_id=/);
      }
      for (const headers of ingest.preflights) {
        assertMatch(`${headers["access-control-request-headers"]}`, /\bbaggage\b.*\bsentry-trace\b/);
      }
      assertEquals(ingest.preflights.length, 1);
      assertEquals(ingest.refused, []);
      assertEquals(complaints, []);
    });
  } finally {
    await Promise.all([site.close(), ingest.close()]);
  }
});
