import {
  EXIT_LEASE_MS,
  LEASE_MS,
  LOOK_SPREAD_MS,
  SAVE_DELAY_MS,
  TITLE_DELAY_MS,
} from "../../src/client/base/limits.ts";
import { eventsOf } from "../support/entries.ts";
import type { Tab } from "./tab.ts";
import { aliveTabs, elapsed, isGranted, outboxKeys, type World } from "./world.ts";

/** How often a page looks whether what it saved is still there. */
const RENEWAL_MS = LEASE_MS / 2;

/** Notes that a page goes, before it does. */
export function noteLeaving(world: World, tab: Tab, isCrash: boolean): void {
  // One that stopped has let go of what it saved.
  const isFarewell = !isCrash && isGranted(tab) && !tab.isStopped && !tab.mayBeStopped;
  tab.leaseEndMs ??= elapsed(world) + (isFarewell ? EXIT_LEASE_MS : LEASE_MS);
  // What was under way by then isn't saved again.
  if (elapsed(world) - tab.clearedMs <= RENEWAL_MS) tab.clearedMs = Infinity;
}

/** Checks that nothing lies on the device that a page should have adopted. */
export function checkAdoption(world: World): void {
  if (world.isDisturbed || world.isClockChanged) return;
  for (const key of outboxKeys(world)) {
    const entry = world.browser.storage.get(key);
    const owner = world.tabs.find(({ owners }) => owners.has(`${key.split(".").at(-1)}`));
    // A page is viewed for each account.
    const [event] = eventsOf(entry).flatMap(({ name }) => world.ledger.find(name) ?? []);
    if (!event || owner?.leaseEndMs === undefined) continue;
    for (const tab of aliveTabs(world)) {
      const isAble = tab.phase === "active" && isGranted(tab) && !tab.isStopped && !tab.mayBeStopped;
      if (!isAble || tab.settings.account !== event.account) continue;
      // It may have the batch in memory: what another page saved of it too waits.
      if (event.tab === tab.number || [event.savedBy, event.takenBy].some((tabs) => tabs.has(tab.number))) continue;
      // What a page let go of for another account isn't given up as it goes.
      const leaseEndMs = owner.leaseEndMs + (owner.settings.account === event.account ? 0 : LEASE_MS);
      const dueMs = Math.max(leaseEndMs, tab.readySinceMs) + LOOK_SPREAD_MS;
      if (elapsed(world) > dueMs) {
        world.violations.push(
          `${event.key} lies there for ${elapsed(world) - dueMs} ms, and tab ${tab.number} is there`,
        );
      }
    }
  }
}

/** Notes that the site cleared its storage. */
export function noteClear(world: World, tab: Tab): void {
  world.hasCleared = true;
  tab.hasMet = false; // it goes on as it is, but nothing on the device can tell it of a denial
  for (const other of aliveTabs(world)) {
    other.clearedMs = elapsed(world);
    other.isViewSeen = false;
    if (other === tab || other.phase !== "active" || !isGranted(other)) continue;
    other.users = other.hasMet ? [null] : [...other.users, null];
    other.hasMet = false;
    other.awaitsEvent = true;
  }
  noteEmptied(world, "cleared");
}

/**
 * Notes that what was saved is gone: there is left what pages have in memory. What is under way since the page was hidden
 * isn't saved once more when consent ends.
 */
export function noteEmptied(world: World, why: string): void {
  for (const event of world.ledger.events) {
    const tab = world.tabs[event.tab];
    const isLeaving = [...tab?.inFlight ?? []].some(({ keepalive, body }) => keepalive && body.includes(`${event.id}`));
    const isInMemory = tab?.phase === "active" && isGranted(tab) && tab.epoch === event.epoch && !isLeaving;
    if (!isInMemory && !world.server.stored.has(`${event.id}`)) event.excuse = why;
  }
}

/** Notes what may be lost with a page that crashed, or that the site cleared shortly before. */
export function noteCrash(world: World, tab: Tab): void {
  const isEmptied = elapsed(world) - tab.clearedMs <= RENEWAL_MS;
  const delayMs = SAVE_DELAY_MS + (world.hasViews ? TITLE_DELAY_MS : 0);
  for (const event of world.ledger.events) {
    if (event.tab !== tab.number || world.server.stored.has(`${event.id}`)) continue;
    if (!isEmptied && (elapsed(world) - event.elapsedMs >= delayMs || tab.phase === "frozen")) continue;
    event.excuse = "crashed at once";
  }
}
