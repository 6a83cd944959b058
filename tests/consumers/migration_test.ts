import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { KEY, startIngest } from "../browser/ingest_server.ts";
import { prepareApplication } from "./driver/application.ts";
import { serveDirectory } from "./driver/static_server.ts";
import { withBrowser, withVisitor } from "./driver/visitor.ts";

/** A page that was moved by the file of docs/migration.md. */
interface Moved {
  /** What a visitor presses, in order. */
  readonly buttons: readonly string[];
  /** What is recorded: names, properties, user and traits. */
  readonly events: readonly unknown[];
  /** Looks at the page once all is recorded. */
  readonly check?: (page: Page) => Promise<void>;
}

const USER = ["user-42", { plan: "pro" }] as const;

const NOBODY = [null, undefined] as const;

const PAGES: Readonly<Record<string, Moved>> = {
  plausible: {
    buttons: ["Try", "Search", "Subscribe"],
    events: [
      ["Start Trial", { plan: "pro" }, ...NOBODY],
      ["Search", { query: "tea" }, ...NOBODY],
      ["Newsletter", {}, ...NOBODY],
    ],
  },
  umami: {
    buttons: ["Try", "Sign in", "Search"],
    events: [["Start trial", { plan: "pro" }, ...NOBODY], ["Search", { query: "tea" }, ...USER]],
  },
  gtag: {
    buttons: ["Try"],
    events: [["opened", {}, ...USER], ["start_trial", { plan: "pro" }, ...USER]],
    check: async (page) => {
      await page.waitForFunction(() => document.title === "Done");
      await page.getByRole("button", { name: "Decline" }).click();
      assertEquals(await page.evaluate(() => localStorage.length), 0);
    },
  },
  posthog: {
    buttons: ["Try"],
    events: [["trial_started", { plan: "pro" }, ...USER]],
  },
};

Deno.test("a page that was moved from another SDK records what it did", async (t) => {
  const { directory } = await prepareApplication("migration");
  await withBrowser(async (browser) => {
    for (const [name, { buttons, events, check }] of Object.entries(PAGES)) {
      await t.step(name, async () => {
        const site = serveDirectory(`${directory}/dist`);
        const ingest = await startIngest([site.origin]);
        const settings = { apiKey: KEY, endpoint: ingest.endpoint, flushInterval: 20, trackPageviews: false };
        try {
          await withVisitor({ browser, settings, origin: site.origin }, async (context, complaints) => {
            const page = await context.newPage();
            await page.goto(`${site.origin}/${name}/`);
            for (const button of buttons) await page.getByRole("button", { name: button }).click();
            const stored = await ingest.untilStored(events.length);
            assertEquals(
              stored.map(({ name, properties, identity }) => [name, properties, identity?.userId, identity?.traits]),
              events,
            );
            await check?.(page);
            assertEquals(complaints, []);
          });
        } finally {
          await Promise.all([site.close(), ingest.close()]);
        }
      });
    }
  });
});
