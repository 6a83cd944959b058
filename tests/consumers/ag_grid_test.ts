import { assert, assertEquals, assertMatch } from "@std/assert";
import { KEY, startIngest } from "../browser/ingest_server.ts";
import { prepareApplication } from "./driver/application.ts";
import { serveDirectory } from "./driver/static_server.ts";
import { withVisitor } from "./driver/visitor.ts";

declare global {
  /** How long each call of `Vendor.step()` took. */
  var stepsMs: readonly number[];
}

const CLICKS = 3;
/** What a visitor notices begins here. */
const LIMIT_MS = 200;

Deno.test("AG Grid's event as a property costs no noticeable time, and its event arrives without properties", async () => {
  const { directory } = await prepareApplication("ag_grid");
  const site = serveDirectory(`${directory}/dist`);
  const ingest = await startIngest([site.origin]);
  const settings = { apiKey: KEY, endpoint: ingest.endpoint, flushInterval: 20 };
  try {
    await withVisitor({ origin: site.origin, settings }, async (context, complaints) => {
      const page = await context.newPage();
      await page.goto(site.origin);
      for (let row = 0; row < CLICKS; row++) {
        await page.getByRole("gridcell", { name: `Tea ${row}`, exact: true }).click();
      }
      const events = await ingest.untilStored(CLICKS);

      assertEquals(
        events.map(({ name, properties }) => [name, properties]),
        Array.from({ length: CLICKS }, () => ["row clicked", undefined]),
      );
      const stepsMs = await page.evaluate(() => globalThis.stepsMs);
      assertEquals(stepsMs.length, CLICKS);
      assert(Math.max(...stepsMs) < LIMIT_MS, `the calls took ${stepsMs.join(", ")} ms`);
      assertEquals(complaints.length, 1, complaints.join("\n"));
      assertMatch(`${complaints[0]}`, /^warning: \[Vendor\] properties left out/);
      assertEquals(ingest.refused, []);
    });
  } finally {
    await Promise.all([site.close(), ingest.close()]);
  }
});
