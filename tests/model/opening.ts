import { createVendor } from "../support/visit.ts";
import type { ConsentState } from "../../src/client/base/types.ts";
import { onHide } from "../support/visit.ts";
import { changeConsent, enforce } from "./consent_rules.ts";
import { observe } from "./observe.ts";
import type { RequestRules } from "./request_rules.ts";
import { configOf, pathOf, type Settings, SITE, type Tab } from "./tab.ts";
import { aliveTabs, capture, elapsed, isGranted, pass, type World } from "./world.ts";

/** How a tab is opened. */
export interface OpenOptions {
  /** What its client is initialised with. */
  readonly settings: Settings;
  /** Whether it's loaded ahead. */
  readonly isPrerendering: boolean;
  /** Whether the page tracks a step whenever it's hidden. */
  readonly tracksHide: boolean;
}

/** Opens a tab with a client. */
export async function openTab(world: World, rules: RequestRules, options: OpenOptions): Promise<void> {
  const { settings, isPrerendering, tracksHide } = options;
  const number = world.tabs.length;
  const page = world.browser.open(`${SITE}${pathOf({ number, navigations: 0 })}?secret=1#secret`, { isPrerendering });
  const tab: Tab = {
    number,
    page,
    client: createVendor(observe(page.environment, { world, rules, tab: () => tab })),
    settings,
    known: "pending",
    flushes: [],
    phase: isPrerendering ? "prerendering" : "active",
    isChanging: false,
    isLight: false,
    hasMet: false,
    isStopped: false,
    mayBeStopped: false,
    isReadingRefusal: false,
    heldUntilMs: 0,
    inFlight: new Set(),
    owners: new Set(),
    readySinceMs: 0,
    epoch: 0,
    restarts: 0,
    lastOrder: -1,
    waiting: [],
    navigations: 0,
    isVisible: !isPrerendering,
    isViewSeen: false,
    users: [null],
    signsOut: false,
    awaitsEvent: false,
    clearedMs: -Infinity,
    title: "",
  };
  world.tabs.push(tab);
  world.ledger.allowView(pathOf(tab));
  const start = (): void => light(tab, () => tab.client.init(configOf(settings)), settings.consent);
  await changeConsent(world, tab, { state: settings.consent, call: start });
  noteView(world, tab);
  if (tracksHide) onHide(page, () => step(world, tab, { amount: 1, size: 0 }));
}

/** Initialises a tab's client again. */
export async function initTab(world: World, tab: Tab, next: Settings): Promise<void> {
  // Which account a waiting pageview belongs to isn't the matter here.
  const settings = tab.phase === "prerendering" ? { ...next, account: tab.settings.account } : next;
  const isOther = settings.account !== tab.settings.account;
  if (isOther) world.ledger.allowView(pathOf(tab));
  if (isOther || tab.isStopped || tab.mayBeStopped || tab.isReadingRefusal) tab.heldUntilMs = 0;
  if (isOther && world.access !== "open") {
    for (const event of world.ledger.events) event.reason ??= "another account without storage";
  }
  if (tab.isReadingRefusal) {
    // It may have stopped by now, and dropped what came while it read; each drop is counted.
    for (const event of world.ledger.events) if (event.tab === tab.number) event.reason ??= "401";
  }
  tab.settings = settings;
  tab.isStopped = false;
  tab.mayBeStopped = false;
  tab.restarts++;
  tab.hasMet = false;
  tab.users = [null];
  await changeConsent(world, tab, { state: settings.consent, call: () => tab.client.init(configOf(settings)) });
}

/** Shows a page that was loaded ahead. */
export async function activateTab(world: World, tab: Tab): Promise<void> {
  if (tab.phase !== "prerendering") return;
  tab.phase = "active";
  tab.isVisible = true;
  tab.readySinceMs = elapsed(world);
  const orNobody = (users: Tab["users"]): Tab["users"] => [...users, null]; // who may have signed out in front
  tab.users = orNobody(tab.users);
  for (const other of tab.signsOut ? aliveTabs(world) : []) {
    other.users = orNobody(other.users);
    other.isViewSeen = false;
  }
  for (const waiting of isGranted(tab) ? tab.waiting : []) {
    capture(world, tab, { ...waiting, users: orNobody(waiting.users) });
  }
  noteView(world, tab);
  tab.isChanging = true;
  light(tab, tab.page.activate, tab.known);
  if (tab.known !== "denied") await pass(world, 0); // it acts a task later
  tab.isChanging = false;
  await enforce(world, tab, false);
}

/** Tracks steps. */
export function step(world: World, tab: Tab, { amount, size }: {
  readonly amount: number;
  readonly size: number;
}): void {
  for (let i = 0; i < amount; i++) {
    const key = `tab${tab.number}.step${world.ledger.events.length + tab.waiting.length}`;
    if (tab.phase === "prerendering") {
      const { users, title, settings: { account } } = tab;
      if (tab.known === "granted") tab.waiting = [...tab.waiting, { key, account, title, users }];
    } else if (isGranted(tab)) capture(world, tab, { key });
    const isLarge = size > 1000;
    if (isLarge) world.largeLeft--;
    light(tab, () => tab.client.step(key, { text: "ж".repeat(isLarge && world.largeLeft < 0 ? 0 : size) }));
  }
}

/** Notes the pageview that a tab takes of its own accord. */
export function noteView(world: World, tab: Tab): void {
  tab.openView = undefined;
  tab.isViewSeen = tab.isVisible;
  if (tab.settings.mode && isGranted(tab)) tab.openView = capture(world, tab, { key: pathOf(tab) });
}

/** Makes a call that leaves the device and the network alone, unless it denies consent. */
export function light(tab: Tab, call: () => void, consent: ConsentState = "granted"): void {
  tab.isLight = consent !== "denied";
  call();
  tab.isLight = false;
}
