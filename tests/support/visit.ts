import { assertEquals } from "@std/assert";
import type { Client, Environment } from "../../src/client/mod.ts";
import { countDrops } from "../../src/client/drop_counts.ts";
import { INSIDE } from "../../src/client/inside.ts";
import { createInstance, type Instance } from "../../src/client/instance.ts";
import {
  createTestBrowser,
  type TestBrowser,
  type TestPage,
  type TestPageOptions,
  type TestRequest,
} from "../../src/testing/mod.ts";
import type { AggregatePageviewPayload, EventRequestPayload, InitConfig, StepEvent } from "../../mod.ts";

/** Where the page of a visit is, unless the test says otherwise. */
export const PAGE_URL = "https://shop.example/teas";

/** Form of a random UUID (RFC 9562, version 4). */
export const UUID_V4: RegExp = /^[\da-f]{8}-[\da-f]{4}-4[\da-f]{3}-[89ab][\da-f]{3}-[\da-f]{12}$/;

/** Form of an ISO 8601 UTC timestamp with milliseconds. */
export const ISO_UTC: RegExp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

/** What a visit starts with, beside the configuration. */
export interface VisitOptions extends TestPageOptions {
  /** URL of the page. */
  readonly url?: string;
  /** Browser to open the page in; a new one unless given. */
  readonly browser?: TestBrowser;
}

/** A page with a client of the SDK. */
export interface Visit {
  /** The browser. */
  readonly browser: TestBrowser;
  /** The page. */
  readonly page: TestPage;
  /** The client. */
  readonly client: Client;
  /** Flushes, lets what takes no time happen, and returns every event that the ingest accepted of the page. */
  accepted(): Promise<readonly StepEvent[]>;
}

/** A page on which nobody called `init()` yet. */
export interface Opened extends Pick<Visit, "browser" | "page"> {
  /** The SDK. */
  readonly vendor: Instance & Client;
}

/** Opens a page that has the SDK. */
export function openPage(options: VisitOptions = {}): Opened {
  const { url = PAGE_URL, browser = createTestBrowser(), ...pageOptions } = options;
  const page = browser.open(url, pageOptions);
  return { browser, page, vendor: createVendor(page.environment) };
}

/** Creates a client that waits for `init()`, and counts what it drops. */
export function createVendor(environment: Environment): Instance & Client {
  const instance = createInstance(environment);
  return { ...instance, drops: countDrops(instance[INSIDE].hooks) };
}

/** Opens a page and creates a client on it. Nothing of it outlasts the test, so that no client needs to be closed. */
export function startVisit(config: Partial<InitConfig> = {}, options: VisitOptions = {}): Visit {
  const { browser, page, vendor: client } = openPage(options);
  client.init({ apiKey: "pk_test", ...config });
  return {
    browser,
    page,
    client,
    async accepted() {
      client.flush();
      await browser.settle();
      return page.events;
    },
  };
}

/** Adds a handler of the page's own that runs when it's hidden, after the SDK's. */
export function onHide({ environment }: TestPage, hide: () => void): void {
  const nothing = (): void => {};
  environment.listen({ hide, show: nothing });
}

/** Returns the one item of a list; fails where there are none or several. */
export function only<T>(list: readonly T[]): T {
  assertEquals(list.length, 1, `one item expected, not ${list.length}`);
  return list[0] as T;
}

/** Returns an item of a list, from the end where the index is negative; fails where there is none. */
export function at<T>(list: readonly T[], index: number): T {
  const item = list.at(index);
  if (item === undefined) throw new Error(`no item ${index} in a list of ${list.length}`);
  return item;
}

/** Returns the body of a request for full analytics. */
export function fullBody({ body }: TestRequest): EventRequestPayload {
  if ("collection" in body) throw new Error("an aggregate body");
  return body;
}

/** Returns the body of a request for aggregate pageviews. */
export function aggregateBody({ body }: TestRequest): AggregatePageviewPayload {
  if (!("collection" in body)) throw new Error("a full body");
  return body;
}

/** Returns the names of events. */
export function namesOf(events: readonly Pick<StepEvent, "name">[]): readonly string[] {
  return events.map(({ name }) => name);
}

/** Returns the URLs of events' pages. */
export function urlsOf(events: readonly Pick<StepEvent, "context">[]): readonly (string | undefined)[] {
  return events.map(({ context }) => context?.pageUrl);
}

/** Returns the warnings that a page wrote. */
export function warningsOf({ logs }: TestPage): readonly string[] {
  return logs.flatMap(({ level, message }) => level === "warn" ? [message] : []);
}
