import type { KeyValueStorage, PageEnvironment } from "../../src/client/mod.ts";
import { eventsOf } from "../support/entries.ts";
import { noteAnswer } from "./answer_rules.ts";
import type { Captured } from "./ledger.ts";
import type { RequestRules } from "./request_rules.ts";
import type { Tab } from "./tab.ts";
import { pathOfView, type World } from "./world.ts";

/** What watches over a page. */
export interface ObserveOptions {
  /** Where the page is. */
  readonly world: World;
  /** What requests are held against. */
  readonly rules: RequestRules;
  /** Returns its tab; the client on it is created with what is observed. */
  readonly tab: () => Tab;
}

/** A use of storage. */
interface Use {
  readonly use: keyof KeyValueStorage | "listen";
  readonly key: string;
}

const LEASE_PREFIX = "vendor.sdk.lease.";

/** What tells of the visitor's device: not to be read while consent is pending. */
const PRIVATE: readonly (keyof PageEnvironment)[] = ["title", "screen", "url"];

/** Returns the environment of a page, every use of which is held against the rules. */
export function observe(environment: PageEnvironment, { world, rules, tab }: ObserveOptions): PageEnvironment {
  const { storage } = environment;
  const judge = (use: Use["use"], key: string): void => judgeUse(world, tab(), { use, key });
  const reading = <R>(name: keyof PageEnvironment, read: () => R) => (): R => {
    judgeRead(world, tab(), name);
    return read();
  };
  return {
    ...environment,
    title: reading("title", environment.title),
    screen: reading("screen", environment.screen),
    url: reading("url", environment.url),
    referrer: reading("referrer", environment.referrer),
    randomId: reading("randomId", environment.randomId),
    storage: {
      get: (key) => judge("get", key) ?? storage.get(key),
      set(key, value) {
        judge("set", key);
        noteWrite(world, tab(), [key, value]);
        return storage.set(key, value);
      },
      remove(key) {
        judge("remove", key);
        noteRemoval(world, tab(), key);
        storage.remove(key);
      },
      keys: (prefix) => judge("keys", prefix) ?? storage.keys(prefix),
    },
    listenToStorage: (listener) => judge("listen", "vendor.sdk.") ?? environment.listenToStorage(listener),
    send(request, onAnswer) {
      const { inFlight } = tab();
      const sent = rules.judge(tab(), request);
      let isCut = false;
      inFlight.add(request);
      const abort = environment.send(request, (answer) => {
        if (inFlight.delete(request)) noteAnswer(world, tab(), { sent, answer, isCut: () => isCut });
        onAnswer(answer);
      });
      return () => {
        isCut = true;
        inFlight.delete(request);
        abort();
      };
    },
  };
}

/** Judges a look at the page against the consent of the moment. */
function judgeRead({ violations }: World, { client, isChanging }: Tab, name: keyof PageEnvironment): void {
  const consent = client.getConsent();
  if (consent === "denied") violations.push(`${name}() after denied`);
  if (consent === "pending" && PRIVATE.includes(name) && !isChanging) violations.push(`${name}() while pending`);
}

/** Judges a use of storage against the consent of the moment. */
function judgeUse({ violations, browser, ledger }: World, tab: Tab, { use, key }: Use): void {
  if (!key.startsWith("vendor.sdk.")) violations.push(`storage.${use}(${key})`);
  if (tab.phase === "prerendering" && use !== "listen") violations.push(`storage.${use}(${key}) while prerendering`);
  if (tab.isLight) violations.push(`storage.${use}(${key}) in the page's own task`);
  const consent = tab.client.getConsent();
  if (consent === "denied" && use !== "remove" && use !== "keys") {
    violations.push(`storage.${use}(${key}) after denied`);
  }
  if (consent !== "pending" || tab.isChanging) return;
  const isDone = eventsOf(browser.storage.get(key)).every((event) => {
    const captured = findCaptured({ ledger }, event);
    return !captured || captured.id !== event.id || captured.acknowledged.has(`${tab.number} ${batchOf(key)}`) ||
      captured.reason;
  });
  if (use !== "remove" || !isDone) violations.push(`storage.${use}(${key}) while pending`);
}

/** Notes whose the name is under which a page owns entries, and what may come back to others from the device. */
function noteWrite(world: World, tab: Tab, [key, value]: readonly [string, string]): void {
  if (key.startsWith(LEASE_PREFIX)) tab.owners.add(key.slice(LEASE_PREFIX.length));
  if (!key.startsWith("vendor.sdk.outbox.")) return;
  for (const event of eventsOf(value)) {
    const captured = findCaptured(world, event);
    captured?.savedBy.add(tab.number);
    for (const mark of captured?.acknowledged ?? []) {
      const [number, batchId] = mark.split(" ");
      if (number !== `${tab.number}` && batchId === batchOf(key)) captured?.acknowledged.delete(mark);
    }
  }
}

/** Notes which events a page takes over that it has already: it saved them before it slept, or two pages left them. */
function noteRemoval(world: World, tab: Tab, key: string): void {
  const owner = `${key.split(".").at(-1)}`;
  if (!key.startsWith("vendor.sdk.outbox.") || tab.owners.has(owner)) return;
  for (const event of eventsOf(world.browser.storage.get(key))) {
    const captured = findCaptured(world, event);
    if (!captured) continue;
    if (captured.savedBy.has(tab.number) || captured.takenBy.has(tab.number)) captured.hasCopy = true;
    captured.takenBy.add(tab.number);
  }
}

function batchOf(key: string): string | undefined {
  return key.split(".").at(-2);
}

function findCaptured(
  { ledger }: Pick<World, "ledger">,
  { name, context }: ReturnType<typeof eventsOf>[number],
): Captured | undefined {
  return ledger.find(name === "$pageview" ? pathOfView(context) : name);
}
