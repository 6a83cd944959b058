import { assertEquals } from "@std/assert";
import type { Browser } from "playwright-core";
import type { IngestServer } from "../../browser/ingest_server.ts";
import { withVisitor } from "./visitor.ts";

/** A page whose build had no key. */
export interface KeylessPage {
  /** Browser that visitors share; one of its own by default. */
  readonly browser?: Browser;
  /** Where it is. */
  readonly url: string;
  /** Where its events would go. */
  readonly ingest: IngestServer;
  /** What else is in the console. */
  readonly complaints?: readonly string[];
}

/** A banner or a request would be there by then. */
const QUIET_MS = 500;

/** Opens the page: it is shown, says once that nothing is recorded, asks nothing and sends nothing. */
export async function checkWithoutKey({ browser, url, ingest, complaints: others = [] }: KeylessPage): Promise<void> {
  const { origin } = new URL(url);
  const settings = { endpoint: ingest.endpoint, flushInterval: 20, trackPageviews: "auto" };
  await withVisitor({ ...browser && { browser }, settings, origin }, async (context, complaints) => {
    const page = await context.newPage();
    await page.goto(url);
    await page.getByRole("heading", { name: "Teas" }).waitFor();
    await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
    assertEquals(complaints, ["warning: @vendor/sdk has no key: nothing is recorded", ...others]);
    assertEquals(await page.getByRole("button").count(), 0, "a banner asks for nothing");
    assertEquals(ingest.requests.map(({ text }) => text), [], "the page sent something");
  });
}
