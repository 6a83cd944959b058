import { assertEquals } from "@std/assert";
import type { Browser } from "playwright-core";
import type { IngestServer } from "../../browser/ingest_server.ts";
import { withVisitor } from "./visitor.ts";

/** What a visitor declines on. */
export interface DeclineOptions {
  /** Browser that visitors share; one of its own by default. */
  readonly browser?: Browser;
  /** Page with a banner. */
  readonly url: string;
  /** Where its events would go. */
  readonly ingest: IngestServer;
}

/** What is counted before the choice isn't sent before it. */
const FLUSH_INTERVAL_MS = 60_000;
/** A banner that came back, or a request, would be there by then. */
const QUIET_MS = 500;

/** Declines on the banner of a page, and loads it again: nothing is sent or kept but the choice, and nobody asks. */
export async function checkDecline({ browser, url, ingest }: DeclineOptions): Promise<void> {
  const { origin } = new URL(url);
  const settings = { endpoint: ingest.endpoint, flushInterval: FLUSH_INTERVAL_MS, trackPageviews: "auto" };
  const requests = ingest.requests.length;
  await withVisitor({ ...browser && { browser }, settings, origin }, async (context, complaints) => {
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole("button", { name: "Decline" }).click();
    const [choice] = await context.cookies(origin);
    assertEquals([choice?.name, choice?.value], ["consent", "denied"]);
    await page.reload();
    await page.getByRole("heading", { name: "Teas" }).waitFor();
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    assertEquals(await page.getByRole("button").count(), 0, "the banner is back after the choice");
    assertEquals(await page.evaluate(() => Object.keys(localStorage).filter((key) => key.startsWith("vendor."))), []);
    assertEquals(ingest.requests.length, requests, "the page sent something");
    assertEquals(complaints, []);
  });
}
