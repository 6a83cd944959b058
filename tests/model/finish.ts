import { activateTab, initTab, openTab } from "./opening.ts";
import { perform } from "./perform.ts";
import type { RequestRules } from "./request_rules.ts";
import type { Settings } from "./tab.ts";
import { checkAdoption } from "./storage_rules.ts";
import { aliveTabs, outboxKeys, pass, type World } from "./world.ts";

const SETTINGS: Omit<Settings, "account"> = { consent: "granted", mode: false, maxBatchSize: 50, flushInterval: 5000 };

/** Longer than a lease, and than most waits for a retry. */
const ROUND_MS = 60_000;

/** In all longer than any wait, Retry-After and backoff one after the other. */
const MAX_ROUNDS = 10;

/** Lets a run end well: everything works, consent is granted, a new page of each account is there, and time passes. */
export async function finish(world: World, rules: RequestRules): Promise<void> {
  const { browser, server } = world;
  server.plan([], "202");
  browser.openStorage();
  world.access = "open";
  browser.goOnline();
  for (const [i, tab] of aliveTabs(world).entries()) {
    await perform(world, rules, { do: "restore", tab: i });
    await activateTab(world, tab);
    // Sending may have stopped without the model's knowledge, where a page never heard the reason.
    await initTab(world, tab, { ...tab.settings, consent: "granted" });
  }
  for (const account of [0, 1] as const) {
    await openTab(world, rules, { settings: { ...SETTINGS, account }, isPrerendering: false, tracksHide: false });
  }
  for (let round = 0; round < MAX_ROUNDS && (round === 0 || isUnfinished(world)); round++) {
    for (const { client } of aliveTabs(world)) client.flush();
    await pass(world, ROUND_MS);
    checkAdoption(world);
  }
}

function isUnfinished({ ledger, server, tabs, ...world }: World): boolean {
  return ledger.events.some(({ id, excuse }) => !server.stored.has(`${id}`) && !excuse) ||
    tabs.some(({ flushes, phase }) => flushes.length && phase !== "gone") || outboxKeys(world).length > 0;
}

/** Checks what should hold after a good end. */
export function checkEnd({ ledger, server, tabs, browser, violations, statistics, ...world }: World): void {
  const missing = ledger.events.filter(({ id, excuse }) => !server.stored.has(`${id}`) && !excuse);
  for (const { key, reason } of missing) if (!reason) violations.push(`${key} is lost`);
  const drops = tabs.map(({ client }) => client.drops());
  for (const reason of drops.flatMap((counts) => Object.keys(counts))) statistics.count(`dropped: ${reason}`);
  const dropped = drops.flatMap((counts) => Object.values(counts)).reduce((sum, amount) => sum + amount, 0);
  // What lay on the device isn't counted, and it became too old there, or the site cleared it.
  const countable = missing.filter(({ reason }) => reason !== "old");
  if (dropped < countable.length && !world.hasCleared) {
    violations.push(`${countable.length} events are missing, ${dropped} were counted`);
  }
  // After a denial each page counts what it discards, and a page that slept may have what another one adopted.
  const mostDrops = ledger.events.reduce(
    (sum, { isDenied, reason, excuse }) => sum + (isDenied || world.hasSlept ? tabs.length : reason || excuse ? 1 : 0),
    world.unlisted,
  );
  const isExact = !world.isDisturbed && !world.isClockChanged && !world.hasViews;
  if (isExact && dropped > mostDrops) violations.push(`${dropped} drops, not ${mostDrops} at most`);
  for (const { flushes, phase, number } of tabs) {
    if (flushes.length && phase !== "gone") violations.push(`flush() of tab ${number} never came to rest`);
  }
  const entries = outboxKeys({ browser });
  if (entries.length) violations.push(`left on the device: ${entries}`);
  for (const { excuse } of ledger.events) if (excuse) statistics.count(`excused: ${excuse}`);
}
