import type { ConsentState } from "../../src/client/base/types.ts";
import { noteEmptied } from "./storage_rules.ts";
import type { Tab } from "./tab.ts";
import { aliveTabs, elapsed, excuseAll, isGranted, pass, type World } from "./world.ts";

/** What a change of consent is made of. */
export interface ConsentChange {
  /** What the application wants. */
  readonly state: ConsentState;
  /** The call that says so. */
  readonly call: () => void;
}

/** Makes a call that may change a tab's consent, and notes what follows from it. */
export async function changeConsent(world: World, tab: Tab, { state, call }: ConsentChange): Promise<void> {
  const wasGranted = isGranted(tab);
  world.hasViews ||= !!tab.settings.mode;
  tab.openView = undefined;
  tab.isChanging = true;
  call();
  tab.isChanging = false;
  startEpoch(world, tab);
  if (tab.known !== state) world.violations.push(`consent is ${tab.known}, not ${state}`);
  if (tab.phase === "prerendering") {
    if (state === "granted") return;
    world.unlisted += tab.waiting.length;
    tab.waiting = [];
    return;
  }
  await enforce(world, tab, wasGranted);
}

/** Notes what follows from the consent that is in force on a tab since just now. */
export async function enforce(world: World, tab: Tab, wasGranted: boolean): Promise<void> {
  if (tab.known === "denied") return await deny(world);
  if (tab.known === "granted") world.mustBeEmpty = false;
  else if (wasGranted && world.access !== "open") {
    for (const event of world.ledger.events) event.reason ??= "pending without storage";
  }
}

/** Notes that consent was denied: it holds for the origin. */
async function deny(world: World): Promise<void> {
  for (const event of world.ledger.events) {
    event.isDenied = true;
    if (!event.id && event.elapsedMs === elapsed(world)) world.statistics.count("seen: a draft thrown away");
  }
  excuseAll(world, "denied");
  const granted = aliveTabs(world).filter((tab) => tab.phase === "active" && isGranted(tab));
  const knowing = granted.filter(({ hasMet }) => hasMet);
  await pass(world, 0); // until the other pages heard of it
  for (const tab of granted) {
    if (tab.known === "granted" && tab.client.getConsent() === "denied") world.statistics.count("seen: denial heard");
    if (isGranted(tab) && knowing.includes(tab) && !world.isDisturbed) {
      world.violations.push(`tab ${tab.number} goes on after a denial`);
    }
    startEpoch(world, tab);
  }
  // A page that was opened in the same task can't know.
  if (world.isDisturbed || granted.some(isGranted)) return;
  world.mustBeEmpty = true;
  for (const event of world.ledger.events) event.isForbidden ||= event.isDenied;
}

/** Checks what should hold between commands. */
export function checkConsent(world: World): void {
  const { browser, violations } = world;
  for (const tab of aliveTabs(world)) {
    const consent = tab.client.getConsent();
    if (consent === tab.known) continue;
    if (tab.phase === "prerendering" && consent === "denied") {
      world.statistics.count("seen: denial heard while prerendering");
      world.unlisted += tab.waiting.length;
      tab.waiting = [];
      startEpoch(world, tab);
      continue;
    }
    if (!world.isDisturbed) violations.push(`tab ${tab.number} came from ${tab.known} to ${consent}`);
    // A page that finds nothing in blocked storage takes it for erased, and erases what the others had.
    excuseAll(world, "storage blocked");
    startEpoch(world, tab);
  }
  if (!world.mustBeEmpty || world.isDisturbed) return;
  const keys = [...browser.storage.keys()];
  if (keys.length) violations.push(`stored without consent: ${keys}`);
}

/** Notes that a page was restored: whether it found a denial, or somebody else in the visitor's place. */
export function noteReturn(world: World, tab: Tab): void {
  const stored = world.browser.storage.get("vendor.sdk.visitor");
  const isSure = tab.hasMet && !world.isDisturbed;
  if (tab.known === "granted" && !isGranted(tab)) {
    world.statistics.count("seen: denial found on return");
    if (stored && !world.isDisturbed) world.violations.push(`tab ${tab.number} came back, and found no denial`);
    noteEmptied(world, "denied on return");
  } else if (tab.known === "granted" && !stored) {
    if (isSure) world.violations.push(`tab ${tab.number} came back, and knows of no denial`);
  } else if (tab.known === "granted" && stored !== tab.sleptWith) {
    world.statistics.count("seen: somebody else found on return");
    tab.users = isSure ? [null] : [...tab.users, null];
    // The visitor before has on the device alone what waits, and nothing there where storage refused.
    const own = world.isDisturbed ? world.ledger.events.filter((event) => event.tab === tab.number) : [];
    for (const event of own) event.reason ??= "somebody else without storage";
  }
  startEpoch(world, tab);
}

/** Starts an epoch of a tab: events of the earlier ones may come back to it by way of the device, in another order. */
export function startEpoch(world: World, tab: Tab): void {
  const before = tab.known;
  tab.known = tab.client.getConsent();
  tab.epoch++;
  if (before !== "pending" || tab.known !== "granted") tab.restarts++;
  tab.lastOrder = -1;
  tab.readySinceMs = elapsed(world);
  if (tab.known === before) return;
  tab.hasMet = false;
  tab.awaitsEvent = false;
  if (tab.known !== "denied") return;
  tab.users = [null];
  tab.heldUntilMs = 0;
}
