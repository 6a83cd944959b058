import type { ConsentState } from "../../src/types.ts";
import type { Tab } from "./tab.ts";
import { aliveTabs, excuseAll, isGranted, pass, type World } from "./world.ts";

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
  tab.isChanging = true;
  call();
  tab.isChanging = false;
  tab.known = tab.client.getConsent();
  startEpoch(tab);
  if (tab.known !== state) world.violations.push(`consent is ${tab.known}, not ${state}`);
  if (tab.phase === "prerendering") {
    if (state === "denied") tab.waiting = [];
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
  for (const event of world.ledger.events) event.isDenied = true;
  excuseAll(world, "denied");
  await pass(world, 0); // until the other pages heard of it
  for (const tab of aliveTabs(world)) {
    if (tab.phase !== "active") continue;
    if (tab.known === "granted" && tab.client.getConsent() === "denied") world.statistics.count("seen: denial heard");
    if (isGranted(tab) && !world.isDisturbed) world.violations.push(`tab ${tab.number} goes on after a denial`);
    tab.known = tab.client.getConsent();
    startEpoch(tab);
  }
  if (world.isDisturbed) return;
  world.mustBeEmpty = true;
  for (const event of world.ledger.events) event.isForbidden ||= event.isDenied;
}

/** Checks what should hold between commands. */
export function checkConsent(world: World): void {
  const { browser, violations } = world;
  for (const tab of aliveTabs(world)) {
    const consent = tab.client.getConsent();
    if (consent === tab.known) continue;
    if (!world.isDisturbed) violations.push(`tab ${tab.number} came from ${tab.known} to ${consent}`);
    // A page that finds nothing in blocked storage takes it for erased, and erases what the others had.
    excuseAll(world, "storage blocked");
    tab.known = consent;
    startEpoch(tab);
  }
  if (!world.mustBeEmpty || world.isDisturbed) return;
  const keys = [...browser.storage.keys()];
  if (keys.length) violations.push(`stored without consent: ${keys}`);
}

/** Starts an epoch of a tab: events of the earlier ones may come back to it by way of the device, in another order. */
export function startEpoch(tab: Tab): void {
  tab.epoch++;
  tab.lastOrder = -1;
}
