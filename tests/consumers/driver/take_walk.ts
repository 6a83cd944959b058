import { assertEquals, assertNotMatch } from "@std/assert";
import type { Page } from "playwright-core";
import type { IngestServer, ReceivedRequest } from "../../browser/ingest_server.ts";
import { compareViews } from "./compare_views.ts";
import { describeEvent, describeExpected } from "./describe_view.ts";
import { startMailServer } from "./mail_server.ts";
import { repeatStalled, withVisitor } from "./visitor.ts";
import { type ExpectedView, MAIL_PATH, type Step, WALK } from "./walk.ts";

/** Where full pageviews differ from those of the table, by what the visitor does. */
export type Differences = Readonly<Record<string, Partial<ExpectedView>>>;

/** How a walk is taken. */
export interface WalkOptions {
  /** Origin of the fixture. */
  readonly site: string;
  /** Where its events go. */
  readonly ingest: IngestServer;
  /** Counted in full with consent from the start, or as aggregates until the visitor accepts. */
  readonly mode: "granted" | "auto";
  /** Where full pageviews of the fixture differ from those of the table, by what the visitor does. */
  readonly differences?: Differences;
  /** Documents that the walk loads, without their fragments; by default the first one and the reloaded one. */
  readonly documents?: readonly string[];
}

/** Steps of the walk that aren't made in a mode. */
const SKIPPED = { granted: "accepts, if asked", auto: "" } as const;

/** What a router leaves to the browser. */
const ROUTED_DOCUMENTS = [WALK[0], WALK.at(-1)].map((step) => step?.url.split("#")[0]);

/** What an aggregate may have nowhere: a query or a fragment, and nothing else in it has these characters. */
const DETAILS = /[?#]/;

const STEP_LIMIT_MS = 10_000;
const EVENT_LIMIT_MS = 5_000;
/** After a title was read, one second after its page: sending reads it at once. */
const FLUSH_INTERVAL_MS = 1_200;
/** Longer than that: events too many have come by then. */
const QUIET_MS = 1_500;

/** Takes the walk through a fixture, and compares what the ingest got with what it should have. */
export async function takeWalk(options: WalkOptions): Promise<void> {
  await repeatStalled(() => takeOnce(options));
}

async function takeOnce(options: WalkOptions): Promise<void> {
  const { site, ingest, mode, differences = {}, documents = ROUTED_DOCUMENTS } = options;
  const mail = startMailServer(`${site}${WALK[0].url}`);
  const first = ingest.stored.length;
  const firstRequest = ingest.requests.length;
  const views = (): string[] =>
    ingest.stored.slice(first).map((event) => describeEvent(event, { site, mail: mail.origin }));
  const expected: string[] = [];
  const settings = {
    endpoint: ingest.endpoint,
    flushInterval: FLUSH_INTERVAL_MS,
    trackPageviews: toOption(mode),
  };
  const cookies = mode === "granted" ? { consent: "granted" } : {};
  try {
    await withVisitor({ settings, cookies, origin: site }, async (context, complaints) => {
      const page = await context.newPage();
      await page.goto(`${mail.origin}${MAIL_PATH}`);
      const loaded: string[] = [];
      page.on("request", (request) => {
        if (request.isNavigationRequest()) loaded.push(request.url().replace(site, ""));
      });
      let note = "";
      try {
        for (const step of WALK.filter(({ does }) => does !== SKIPPED[mode])) {
          note = `It failed where the visitor ${step.does}.`;
          // What is still queued would be recorded in full, not as an aggregate.
          if (step.isConsent) await untilCounted(() => views().length >= expected.length);
          const difference = differences[step.does];
          await makeStep(page, step, difference?.title ?? step.granted?.title);
          const view = step[mode];
          if (view) expected.push(describeExpected({ ...view, ...view.collection === "full" && difference }));
        }
        await untilCounted(() => views().length >= expected.length);
        note = "";
      } catch (error) {
        note += `\n${error}`;
      }
      await quiet();
      compareViews(views(), expected, note);
      assertEquals(note, "");
      assertEquals(complaints, [], "the console has warnings or errors");
      assertEquals(loaded, documents, "other documents were loaded");
      assertEquals(await page.getByRole("button").count(), 0, "the banner is back after the choice");
      assertEquals(ingest.refused, [], "the ingest refused a request");
      ingest.requests.slice(firstRequest).filter(isAggregate).forEach(({ text }) => assertNotMatch(text, DETAILS));
    });
  } finally {
    await mail.close();
  }
}

function isAggregate({ body }: ReceivedRequest): boolean {
  return "collection" in body;
}

async function makeStep(page: Page, { act, url, heading }: Step, title = heading): Promise<void> {
  await act(page);
  await page.waitForFunction(
    ({ url, heading, title }) =>
      location.href === location.origin + url && document.querySelector("h1")?.textContent === heading &&
      document.title === title && document.documentElement.dataset["ready"] === "yes",
    { url, heading, title },
    { timeout: STEP_LIMIT_MS },
  );
}

function toOption(mode: WalkOptions["mode"]): true | "auto" {
  return mode === "auto" ? "auto" : true;
}

async function untilCounted(holds: () => boolean): Promise<void> {
  const deadline = Date.now() + EVENT_LIMIT_MS;
  while (!holds() && Date.now() < deadline) await new Promise((resolve) => setTimeout(resolve, 10));
}

function quiet(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, QUIET_MS));
}
