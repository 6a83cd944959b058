import type { Command, PlainCall, Turn } from "./commands.ts";
import { changeConsent, checkConsent, startEpoch } from "./consent_rules.ts";
import { activateTab, initTab, noteView, openTab, step } from "./opening.ts";
import type { RequestRules } from "./request_rules.ts";
import { pathOf, SITE, type Tab } from "./tab.ts";
import { aliveTabs, elapsed, excuseAll, isGranted, pass, type World } from "./world.ts";

/** How long an event may live in memory alone. */
const SAVE_DELAY_MS = 1000;

/** Events of this age may be dropped: a batch is as old as its first event. */
const OLD_MS = 6 * 86_400_000;

/** Events that are tracked while the ingest fails at one batch, and how long after each other. */
const POISON_ROUNDS = 14;
const POISON_ROUND_MS = 61_000;

/** Most tabs at a time. */
const MAX_TABS = 4;

/** Carries out a command, and notes what it means for what was captured. */
export async function perform(world: World, rules: RequestRules, command: Command): Promise<void> {
  const alive = aliveTabs(world);
  const tab = "tab" in command ? alive[command.tab % alive.length] : undefined;
  if ("tab" in command && !tab) return;
  world.statistics.count(`command: ${command.do}`);
  if (tab) await performOn(world, tab, { command, rules });
  else if (command.do !== "open") await change(world, command);
  else if (alive.length < MAX_TABS) await openTab(world, rules, command);
  checkConsent(world);
}

async function performOn(world: World, tab: Tab, { command, rules }: {
  readonly command: Command;
  readonly rules: RequestRules;
}): Promise<void> {
  if (tab.phase === "frozen" && !["restore", "close", "crash"].includes(command.do)) return;
  if (command.do === "step") return step(world, tab, command);
  if (command.do === "init") return await initTab(world, tab, command.settings);
  if (command.do === "consent") {
    const { state } = command;
    if (state !== tab.known) await changeConsent(world, tab, { state, call: () => tab.client.setConsent(state) });
    return;
  }
  if (command.do === "reload") {
    const settings = { ...tab.settings, consent: tab.client.getConsent() };
    await turn(world, tab, "close");
    return await openTab(world, rules, { settings, isPrerendering: false, tracksHide: false });
  }
  if (command.do === "poison") return await poison(world, tab);
  if (isPlainCall(command.do)) call(world, tab, command.do);
  else await turn(world, tab, command.do as Turn);
}

async function poison(world: World, tab: Tab): Promise<void> {
  world.server.poison(true);
  for (let round = 0; round < POISON_ROUNDS; round++) {
    step(world, tab, { amount: 1, size: 0 });
    call(world, tab, "flush");
    await pass(world, POISON_ROUND_MS);
  }
  world.server.poison(false);
}

function isPlainCall(name: Command["do"]): name is PlainCall {
  return ["identify", "reset", "page", "flush", "navigate"].includes(name);
}

function call(world: World, tab: Tab, name: PlainCall): void {
  const { client, page } = tab;
  if (name === "identify") client.identify(`user${tab.epoch}`, { plan: "free" });
  else if (name === "reset") client.reset();
  else if (name === "page") {
    if (tab.phase === "prerendering") return; // it would stand for the pageview that the ledger counts on
    world.ledger.allowView(pathOf(tab));
    world.manualViews++;
    client.page();
  } else if (name === "flush") {
    tab.flushes++;
    client.flush().then(() => tab.flushes--);
  } else if (tab.phase === "active") {
    tab.navigations++;
    world.ledger.allowView(pathOf(tab));
    noteView(world, tab);
    page.pushState(`${SITE}${pathOf(tab)}?secret=2`);
  }
}

async function turn(world: World, tab: Tab, name: Turn): Promise<void> {
  const { page } = tab;
  if (name === "activate") return await activateTab(world, tab);
  if (name === "hide") return page.hide();
  if (name === "show") return page.show();
  if (name === "freeze") {
    if (tab.phase !== "active") return;
    page.freeze();
    tab.phase = "frozen";
  } else if (name === "restore") await restore(world, tab);
  else {
    page[name === "crash" ? "crash" : "close"]();
    if (name === "crash") noteCrash(world, tab);
    else if (world.access !== "open" || (world.isDisturbed && tab.phase === "frozen")) {
      excuseAll(world, "closed without storage");
    }
    tab.phase = "gone";
  }
}

async function restore(world: World, tab: Tab): Promise<void> {
  if (tab.phase !== "frozen") return;
  const isDenied = tab.known === "granted" && !world.browser.storage.has("vendor.sdk.visitor");
  tab.phase = "active";
  startEpoch(tab);
  world.ledger.allowView(pathOf(tab));
  tab.page.restore();
  if (isDenied && !world.isDisturbed) {
    if (isGranted(tab)) world.violations.push(`tab ${tab.number} came back, and knows of no denial`);
    tab.known = "denied";
    world.statistics.count("seen: denial found on return");
  }
  await pass(world, 0);
}

function noteCrash(world: World, tab: Tab): void {
  if (world.isDisturbed) return excuseAll(world, "crashed, storage refused");
  for (const event of world.ledger.events) {
    if (event.tab !== tab.number || world.server.stored.has(`${event.id}`)) continue;
    if (elapsed(world) - event.elapsedMs >= SAVE_DELAY_MS || tab.phase === "frozen") continue;
    event.excuse = "crashed at once";
  }
}

async function change(world: World, command: Command): Promise<void> {
  const { browser, server } = world;
  if (command.do === "wait") await pass(world, command.ms);
  else if (command.do === "server") server.plan(command.next, command.then);
  else if (command.do === "answer") server.answerHanging(command.index, command.name);
  else if (command.do === "offline") browser.goOffline();
  else if (command.do === "online") browser.goOnline();
  else if (command.do === "emptied") {
    if (aliveTabs(world).length) return;
    browser.storage.clear();
    excuseAll(world, "emptied");
  } else if (command.do === "storage") {
    world.access = command.access;
    world.isDisturbed ||= command.access !== "open";
    if (command.access === "open") browser.openStorage();
    else if (command.access === "full") browser.fillStorage();
    else browser.blockStorage();
  } else if (command.do === "clock") {
    world.isClockChanged = true;
    world.isClockSetBack ||= command.ms < 0;
    world.hasAged ||= command.ms > OLD_MS;
    world.clockShiftMs += command.ms;
    browser.setNow(browser.now() + command.ms);
    for (const event of world.ledger.events) {
      // The batch may have begun after the clock was set back, or before.
      if (command.ms <= OLD_MS && browser.now() - event.timeMs <= OLD_MS) continue;
      event.reason = "old";
    }
  }
}
