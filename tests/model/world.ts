import { createTestBrowser, type TestBrowser } from "../../src/testing/mod.ts";
import { createLedger, type Ledger } from "./ledger.ts";
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
  /** What storage allows. */
  access: "open" | "blocked" | "full";
  /** Pageviews by hand, which aren't in the ledger. */
  manualViews: number;
  /** Whether pages record pageviews by themselves: some of those aren't in the ledger. */
  hasViews: boolean;
  /** Whether storage ever refused: what pages wrote or erased then may differ from what they know. */
  isDisturbed: boolean;
  /** Whether the clock was ever set: leases may have lapsed early. */
  isClockChanged: boolean;
  /** Whether anything became old enough to be dropped. */
  hasAged: boolean;
  /** Whether the clock was ever set back: a batch may be younger than its events. */
  isClockSetBack: boolean;
  /** How many more large events there may be: the outbox holds 1 MiB, and what doesn't fit isn't the matter here. */
  largeLeft: number;
  /** Whether no page may have stored anything since the start or the last denial. */
  mustBeEmpty: boolean;
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
    access: "open",
    manualViews: 0,
    hasViews: false,
    isDisturbed: false,
    isClockChanged: false,
    isClockSetBack: false,
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
}

/** Enters an event that a tab takes now. */
export function capture(world: World, tab: Tab, { key, account = tab.settings.account }: CaptureOptions): void {
  const { number, epoch, isStopped } = tab;
  const { browser, ledger } = world;
  const timeMs = browser.now();
  const event = ledger.capture({ key, tab: number, epoch, account, elapsedMs: elapsed(world), timeMs });
  if (event && isStopped) event.reason = "stopped";
  // It may join a batch that is old already.
  if (event && world.hasAged) event.reason = "old";
}

/** Lets time pass. */
export async function pass(world: World, durationMs: number): Promise<void> {
  await world.browser.advance(durationMs);
}
