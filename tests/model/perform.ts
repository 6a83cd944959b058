import { TIMEOUT_MS, TITLE_DELAY_MS } from "../../src/client/base/limits.ts";
import { type Command, PLAIN_CALLS, type PlainCall, type Turn } from "./commands.ts";
import { changeConsent, checkConsent, noteReturn, startEpoch } from "./consent_rules.ts";
import { activateTab, initTab, light, noteView, openTab, step } from "./opening.ts";
import type { RequestRules } from "./request_rules.ts";
import { checkAdoption, noteClear, noteCrash, noteLeaving } from "./storage_rules.ts";
import { pathOf, SITE, type Tab } from "./tab.ts";
import { aliveTabs, elapsed, excuseAll, isGranted, pass, type World } from "./world.ts";

/** No run takes as long as such an interval, as a rule. */
const LONG_INTERVAL_MS = 3_600_000;

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
  checkAdoption(world);
  checkFlushes(world);
}

function checkFlushes(world: World): void {
  for (const { flushes, phase, number } of aliveTabs(world)) {
    const isOver = phase === "active" && flushes.some((startMs) => elapsed(world) - startMs > TIMEOUT_MS);
    if (isOver) world.violations.push(`flush() of tab ${number} takes too long`);
  }
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
  const { server, ledger, violations } = world;
  server.plan([], "202");
  server.poison(true);
  const first = ledger.events.length;
  for (let round = 0; round < POISON_ROUNDS; round++) {
    step(world, tab, { amount: 1, size: 0 });
    call(world, tab, "flush");
    await pass(world, POISON_ROUND_MS);
  }
  server.poison(false);
  const isSending = !world.isOffline && tab.phase === "active" && isGranted(tab) && !tab.isStopped && !tab.mayBeStopped;
  const isHeldUp = !ledger.events.slice(first).some(({ id }) => server.stored.has(`${id}`));
  if (isSending && isHeldUp) violations.push(`one batch holds up all others of tab ${tab.number}`);
}

function isPlainCall(name: Command["do"]): name is PlainCall {
  return (PLAIN_CALLS as readonly Command["do"][]).includes(name);
}

function call(world: World, tab: Tab, name: PlainCall): void {
  const { client, page } = tab;
  if (name === "title") return setTitle(world, tab);
  if (name === "clear") {
    if (tab.phase !== "active" || world.access !== "open") return;
    page.clearStorage();
    return noteClear(world, tab);
  }
  if (name === "identify") return identify(world, tab);
  if (name === "navigate" || name === "redirect") return navigate(world, tab, name === "redirect");
  tab.openView = undefined;
  if (name === "reset") {
    if (tab.known === "denied") return client.reset();
    tab.users = [null];
    tab.hasMet = false;
    tab.awaitsEvent = false;
    tab.signsOut ||= tab.phase === "prerendering";
    if (isGranted(tab)) world.signOuts = [...world.signOuts, { tab, epoch: tab.epoch, isHidden: false }];
    for (const other of aliveTabs(world)) {
      if (other === tab) continue;
      other.users = [...other.users, null];
      other.isViewSeen = false; // its pageview is settled as it hears of that
    }
    client.reset();
  } else if (name === "page") {
    if (tab.phase === "prerendering") return; // it would stand for the pageview that the ledger counts on
    world.ledger.allowView(pathOf(tab));
    world.unlisted++;
    for (const own of world.ledger.events.filter(({ key }) => key === pathOf(tab))) {
      // It's told from the page's own view by its time, and stands for one that was dropped as the key was refused.
      if (!tab.isReadingRefusal && own.timeMs !== world.browser.now()) continue;
      own.users = [...own.users, ...tab.users];
      own.titles = [...own.titles, tab.title];
    }
    light(tab, client.page);
  } else {
    const startMs = elapsed(world);
    tab.flushes = [...tab.flushes, startMs];
    client.flush().then(() => tab.flushes = tab.flushes.toSpliced(0, 1));
  }
}

function identify(world: World, tab: Tab): void {
  const user = `user ${world.ledger.events.length} of tab ${tab.number}`;
  const isLeaving = world.signOuts.some((signOut) => signOut.tab !== tab);
  if (tab.known !== "denied") tab.users = isLeaving ? [user, null] : [user];
  light(tab, () => tab.client.identify(user, { plan: "free" }));
}

function navigate(world: World, tab: Tab, isRedirect: boolean): void {
  if (tab.phase !== "active") return;
  light(tab, () => {
    if (isRedirect) {
      tab.navigations++;
      tab.page.pushState(`${SITE}${pathOf(tab)}?secret=2`);
    }
    tab.navigations++;
    world.ledger.allowView(pathOf(tab));
    noteView(world, tab);
    const url = `${SITE}${pathOf(tab)}?secret=2`;
    if (isRedirect) tab.page.replaceState(url);
    else tab.page.pushState(url);
  });
}

function setTitle(world: World, tab: Tab): void {
  const { openView, settings, number } = tab;
  tab.title += "x";
  tab.page.setTitle(tab.title);
  if (!openView || elapsed(world) - openView.elapsedMs >= TITLE_DELAY_MS) return;
  world.statistics.count("seen: a title that came late");
  // The timer, the size of the queue, and what hides the page may settle it before.
  const isFew = settings.maxBatchSize === 50 && world.ledger.events.filter((event) => event.tab === number).length < 25;
  const isExact = tab.isViewSeen && isFew && settings.flushInterval >= LONG_INTERVAL_MS;
  openView.titles = isExact ? [tab.title] : [...openView.titles, tab.title];
}

async function turn(world: World, tab: Tab, name: Turn): Promise<void> {
  const { page } = tab;
  if (name === "activate") return await activateTab(world, tab);
  if (name === "restore") return await restore(world, tab);
  if (name === "freeze" && tab.phase !== "active") return;
  if (name === "show" || name === "hide") {
    if (tab.phase !== "active") return;
    if (name === "hide" && tab.isVisible) tab.openView = undefined;
    if (name === "hide") {
      world.signOuts = world.signOuts.map((each) => each.tab === tab ? { ...each, isHidden: true } : each);
    }
    tab.isVisible = name === "show";
    return page[name]();
  }
  noteLeaving(world, tab, name === "crash");
  tab.openView = undefined;
  if (name === "freeze") {
    page.freeze();
    tab.sleptWith = world.browser.storage.get("vendor.sdk.visitor");
    tab.hasMet ||= isGranted(tab) && world.browser.storage.has("vendor.sdk.visitor");
    tab.phase = "frozen";
  } else {
    page[name === "crash" ? "crash" : "close"]();
    if (world.isDisturbed && (name === "crash" || world.access !== "open" || tab.phase === "frozen")) {
      excuseAll(world, "gone without storage");
    } else if (name === "crash" || tab.clearedMs === Infinity) noteCrash(world, tab);
    tab.phase = "gone";
  }
}

async function restore(world: World, tab: Tab): Promise<void> {
  if (tab.phase !== "frozen") return;
  world.hasSlept = true;
  tab.phase = "active";
  tab.isVisible = true;
  tab.leaseEndMs = undefined;
  tab.flushes = tab.flushes.map(() => elapsed(world));
  tab.clearedMs = Math.min(tab.clearedMs, elapsed(world));
  world.ledger.allowView(pathOf(tab));
  startEpoch(world, tab);
  tab.page.restore();
  noteReturn(world, tab);
  await pass(world, 0);
}

async function change(world: World, command: Command): Promise<void> {
  const { browser, server } = world;
  if (command.do === "wait") await pass(world, command.ms);
  else if (command.do === "server") server.plan(command.next, command.then);
  else if (command.do === "answer") server.answerHanging(command.index, command.name);
  else if (command.do === "offline" || command.do === "online") {
    world.isOffline = command.do === "offline";
    if (world.isOffline) browser.goOffline();
    else browser.goOnline();
  } else if (command.do === "emptied") {
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
