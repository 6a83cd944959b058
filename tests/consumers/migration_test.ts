import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { type IngestServer, KEY, startIngest } from "../browser/ingest_server.ts";
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
  readonly check?: (page: Page, ingest: IngestServer) => Promise<void>;
}

const USER = ["user-42", { plan: "pro" }] as const;

const NOBODY = [null, undefined] as const;

const PAGES: Readonly<Record<string, Moved>> = {
  plausible: {
    buttons: ["Try", "Search", "View", "Subscribe"],
    events: [
      ["Landed", { early: true }, ...NOBODY],
      ["Start Trial", { plan: "pro" }, ...NOBODY],
      ["Search", { query: "tea" }, ...NOBODY],
      ["$pageview", undefined, ...NOBODY],
      ["Newsletter", {}, ...NOBODY],
    ],
  },
  umami: {
    buttons: ["Try", "Sign in", "Search", "View", "Read", "Share"],
    events: [
      ["Start trial", { plan: "pro" }, ...NOBODY],
      ["Search", { query: "tea" }, ...USER],
      ["$pageview", undefined, ...USER],
      ["Read", { url: "/umami/" }, ...USER],
      ["Shared", undefined, ...USER],
    ],
  },
  gtag: {
    buttons: ["Try", "View", "Sign out", "Search"],
    events: [
      ["opened", {}, ...USER],
      ["read", { page: 1 }, ...USER],
      ["start_trial", { plan: "pro" }, ...USER],
      ["$pageview", undefined, ...USER],
      ["search", { search_term: "tea" }, ...NOBODY],
    ],
    check: async (page, ingest) => {
      await page.waitForFunction(() => document.title === "Done");
      await checkChoices(page, ingest, "search");
    },
  },
  posthog: {
    buttons: ["Try", "Teas", "Sign out", "Search"],
    events: [
      ["$pageview", undefined, ...NOBODY],
      ["trial_started", { plan: "pro" }, ...USER],
      ["$pageview", undefined, ...USER],
      ["searched", { query: "tea" }, ...NOBODY],
    ],
    check: async (page, ingest) => {
      const visitors = ingest.stored.map(({ identity }) => identity?.anonymousId);
      assertEquals(visitors.map((visitor) => visitors.indexOf(visitor)), [0, 0, 0, 3]);
      await checkChoices(page, ingest, "searched");
      await page.getByText("opted in").waitFor();
    },
  },
};

/** A search would have arrived by then. */
const QUIET_MS = 500;

/** Presses Decline, which ends all and erases what is kept, and Accept, which is recorded, and then a search again. */
async function checkChoices(page: Page, ingest: IngestServer, search: string): Promise<void> {
  const press = (name: string): Promise<void> => page.getByRole("button", { name }).click();
  const count = ingest.stored.length;
  await press("Decline");
  await press("Search");
  assertEquals(await page.evaluate(() => localStorage.length), 0);
  await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
  assertEquals(ingest.stored.length, count, "a search was sent after Decline");
  await press("Accept");
  await press("Search");
  const stored = await ingest.untilStored(count + 2);
  assertEquals(stored.slice(count).map(({ name }) => name), ["$consent", search]);
}

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
            await check?.(page, ingest);
            assertEquals(complaints, []);
          });
        } finally {
          await Promise.all([site.close(), ingest.close()]);
        }
      });
    }
  });
});
