import { createTestBrowser, type TestBrowser } from "../../src/testing/mod.ts";
import type { EventContext } from "../../src/client/base/types.ts";
import { type Captured, createLedger, type Ledger } from "./ledger.ts";
import { createServer, type Server } from "./server.ts";
import type { Statistics } from "./statistics.ts";
import type { Tab } from "./tab.ts";

/** Everything a run consists of: a browser with its tabs, the ingest, and what should be true. */
export interface World {
  /** The browser. */
  readonly browser: TestBrowser;
  /** The ingest. */
  readonly server: Server;
  /** What was captured. */
  readonly ledger: Ledger;
  /** What was exercised. */
  readonly statistics: Statistics;
  /** Every tab that was opened. */
  readonly tabs: Tab[];
  /** What shouldn't have happened. */
  readonly violations: string[];
  /** By how much the device's clock was set, in all. */
  clockShiftMs: number;
  /** Whether the device is off the network. */
  isOffline: boolean;
  /** What storage allows. */
  access: "open" | "blocked" | "full";
  /** Events that aren't in the ledger: pageviews by hand, and what a page that was prerendered threw away. */
  unlisted: number;
  /** Sign-outs that the other pages haven't heard of for sure. */
  signOuts: readonly SignOut[];
  /** Whether the site ever cleared its storage: a page may learn late that the visitor is somebody else. */
  hasCleared: boolean;
  /** Whether a page ever slept: what others adopted meanwhile it sends as well. */
  hasSlept: boolean;
  /** Whether pages record pageviews by themselves: some of those aren't in the ledger. */
  hasViews: boolean;
  /** Whether storage ever refused: what pages wrote or erased then may differ from what they know. */
  isDisturbed: boolean;
  /** Whether the clock was ever set: leases may have lapsed early. */
  isClockChanged: boolean;
  /** Whether anything became old enough to be dropped. */
  hasAged: boolean;
  /** How many more large events there may be: the outbox holds 1 MiB, and what doesn't fit isn't the matter here. */
  largeLeft: number;
  /** Whether no page may have stored anything since the start or the last denial. */
  mustBeEmpty: boolean;
}

/** A `reset()`. */
export interface SignOut {
  /** Where. */
  readonly tab: Tab;
  /** Epoch of that tab. */
  readonly epoch: number;
  /** Whether the tab was hidden since: the others may hear of it before they identify somebody, or after. */
  readonly isHidden: boolean;
}

/** Creates a world without a tab. */
export function createWorld(seed: number, statistics: Statistics): World {
  let state = seed;
  const browser = createTestBrowser({
    // A linear congruential generator: the same jitter whenever a run is repeated.
    random: () => (state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0) / 2 ** 32,
  });
  return {
    browser,
    server: createServer(browser, statistics),
    ledger: createLedger(),
    statistics,
    tabs: [],
    violations: [],
    clockShiftMs: 0,
    isOffline: false,
    access: "open",
    unlisted: 0,
    signOuts: [],
    hasCleared: false,
    hasSlept: false,
    hasViews: false,
    isDisturbed: false,
    isClockChanged: false,
    hasAged: false,
    largeLeft: 30,
    mustBeEmpty: true,
  };
}

/** Returns the tabs that a visitor could turn to. */
export function aliveTabs({ tabs }: World): readonly Tab[] {
  return tabs.filter(({ phase }) => phase !== "gone");
}

/** Whether a tab collects in full. */
export function isGranted({ client, phase }: Tab): boolean {
  return client.getConsent() === "granted" && phase !== "prerendering" && phase !== "gone";
}

/** Excuses every event so far that the ingest hasn't got. */
export function excuseAll({ ledger, server }: World, why: string): void {
  for (const event of ledger.events) if (!server.stored.has(`${event.id}`)) event.excuse = why;
}

/** Returns a time in milliseconds that passes whatever the device's clock is set to. */
export function elapsed({ browser, clockShiftMs }: World): number {
  return browser.now() - clockShiftMs;
}

/** What a tab takes. */
export interface CaptureOptions {
  /** What tells the event from the others. */
  readonly key: string;
  /** Account that it's meant for, unless it's the current one. */
  readonly account?: 0 | 1;
  /** Title of the page, unless it's the current one. */
  readonly title?: string;
  /** Users whom it may name, unless they're the current ones. */
  readonly users?: readonly (string | null)[];
}

/** Enters an event that a tab takes now. */
export function capture(world: World, tab: Tab, options: CaptureOptions): Captured | undefined {
  const { key, account = tab.settings.account, title = tab.title, users = tab.users } = options;
  const { number, epoch, isStopped, mayBeStopped } = tab;
  const { browser, ledger } = world;
  const call = { elapsedMs: elapsed(world), timeMs: browser.now(), titles: [title], users };
  const event = ledger.capture({ key, tab: number, epoch, account, ...call });
  tab.awaitsEvent = false;
  if (event && (isStopped || mayBeStopped)) event.reason = "stopped";
  // It may join a batch that is old already.
  if (event && world.hasAged) event.reason = "old";
  return event;
}

/** Returns the keys of what is undelivered. */
export function outboxKeys({ browser }: Pick<World, "browser">): readonly string[] {
  return [...browser.storage.keys()].filter((key) => key.startsWith("vendor.sdk.outbox."));
}

/** Returns what tells a pageview from the others. */
export function pathOfView(context: EventContext | undefined): string {
  return new URL(`${context?.pageUrl}`).pathname;
}

/** Lets time pass. */
export async function pass(world: World, durationMs: number): Promise<void> {
  const active = aliveTabs(world).filter((tab) => tab.phase === "active" && isGranted(tab));
  const known = active.filter(({ hasMet }) => hasMet);
  const isHeard = world.signOuts.some(({ tab, epoch, isHidden }) =>
    active.includes(tab) && tab.epoch === epoch && !isHidden
  );
  const others = (tab: Tab): readonly SignOut[] => world.signOuts.filter((signOut) => signOut.tab !== tab);
  for (const tab of aliveTabs(world)) {
    if (!others(tab).length) continue;
    tab.users = isHeard && known.includes(tab) ? [null] : [...new Set([...tab.users, null])];
  }
  world.signOuts = [];
  await world.browser.advance(durationMs);
  const isStored = world.browser.storage.has("vendor.sdk.visitor");
  for (const tab of active) tab.hasMet ||= isStored && isGranted(tab) && !tab.awaitsEvent;
}
