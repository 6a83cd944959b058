import { assertEquals } from "@std/assert";
import type { Page } from "playwright-core";
import { type IngestServer, KEY } from "../../browser/ingest_server.ts";
import { compareViews } from "./compare_views.ts";
import { describeEvent, describeExpected } from "./describe_view.ts";
import { startMailServer } from "./mail_server.ts";
import { withVisitor } from "./visitor.ts";
import { MAIL_PATH, type Step, WALK } from "./walk.ts";

/** How a walk is taken. */
export interface WalkOptions {
  /** Origin of the fixture. */
  readonly site: string;
  /** Where its events go. */
  readonly ingest: IngestServer;
  /** Counted in full with consent from the start, or as aggregates until the visitor accepts. */
  readonly mode: "granted" | "auto";
  /** Steps, by what the visitor does, for which the fixture sets the title too late. */
  readonly lateTitles: readonly string[];
}

/** Steps of the walk that aren't made in a mode. */
const SKIPPED = { granted: "accepts, if asked", auto: "" } as const;

/** Documents that the walk loads, without their fragments: the first one and the reloaded one. */
const DOCUMENTS = [WALK[0], WALK.at(-1)].map((step) => step?.url.split("#")[0]);

const STEP_LIMIT_MS = 10_000;
const EVENT_LIMIT_MS = 2_000;
/** Several flush intervals: events too many have come by then. */
const QUIET_MS = 300;

/** Takes the walk through a fixture, and compares what the ingest got with what it should have. */
export async function takeWalk({ site, ingest, mode, lateTitles }: WalkOptions): Promise<void> {
  const mail = startMailServer(`${site}${WALK[0].url}`);
  const first = ingest.stored.length;
  const views = (): string[] =>
    ingest.stored.slice(first).map((event) => describeEvent(event, { site, mail: mail.origin }));
  const expected: string[] = [];
  const settings = { apiKey: KEY, endpoint: ingest.endpoint, flushInterval: 20, trackPageviews: toOption(mode) };
  const cookies = mode === "granted" ? { consent: "granted" } : {};
  try {
    await withVisitor({ settings, cookies, origin: site }, async (context, complaints) => {
      const page = await context.newPage();
      await page.goto(`${mail.origin}${MAIL_PATH}`);
      const documents: string[] = [];
      page.on("request", (request) => {
        if (request.isNavigationRequest()) documents.push(request.url().replace(site, ""));
      });
      let note = "";
      try {
        let { heading: lastTitle } = WALK[0];
        for (const step of WALK.filter(({ does }) => does !== SKIPPED[mode])) {
          note = `It failed where the visitor ${step.does}.`;
          await makeStep(page, step);
          const view = step[mode];
          if (view) {
            const isLate = view.collection === "full" && lateTitles.includes(step.does);
            expected.push(describeExpected(isLate ? { ...view, title: lastTitle } : view));
          }
          lastTitle = step.heading;
          await untilCounted(() => views().length >= expected.length);
        }
        note = "";
      } catch (error) {
        note += `\n${error}`;
      }
      await quiet();
      compareViews(views(), expected, note);
      assertEquals(note, "");
      assertEquals(complaints, [], "the console has warnings or errors");
      assertEquals(documents, DOCUMENTS, "a step loaded a document instead of navigating");
      assertEquals(ingest.refused, [], "the ingest refused a request");
    });
  } finally {
    await mail.close();
  }
}

async function makeStep(page: Page, { act, url, heading }: Step): Promise<void> {
  await act(page);
  await page.waitForFunction(
    ({ url, heading }) =>
      location.href === location.origin + url && document.querySelector("h1")?.textContent === heading &&
      document.documentElement.dataset["ready"] === "yes",
    { url, heading },
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
