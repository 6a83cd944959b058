import type { KeyValueStorage, PageEnvironment } from "../../src/testing/mod.ts";
import { eventsOf } from "../support/entries.ts";
import { noteAnswer } from "./answer_rules.ts";
import type { RequestRules } from "./request_rules.ts";
import type { Tab } from "./tab.ts";
import type { World } from "./world.ts";

/** What watches over a page. */
export interface ObserveOptions {
  /** Where the page is. */
  readonly world: World;
  /** What requests are held against. */
  readonly rules: RequestRules;
  /** Returns its tab; the client on it is created with what is observed. */
  readonly tab: () => Tab;
}

/** Returns the environment of a page, every use of which is held against the rules. */
export function observe(environment: PageEnvironment, { world, rules, tab }: ObserveOptions): PageEnvironment {
  const { storage } = environment;
  return {
    ...environment,
    storage: {
      get: (key) => judgeUse(world, tab(), { use: "get", key }) ?? storage.get(key),
      set: (key, value) => judgeUse(world, tab(), { use: "set", key }) ?? storage.set(key, value),
      remove: (key) => judgeUse(world, tab(), { use: "remove", key }) ?? storage.remove(key),
      keys: (prefix) => judgeUse(world, tab(), { use: "keys", key: prefix }) ?? storage.keys(prefix),
    },
    send(request, onAnswer) {
      const sent = rules.judge(tab(), request);
      let isAborted = false;
      const abort = environment.send(request, (answer) => {
        if (!isAborted) noteAnswer(world, tab(), { sent, answer });
        onAnswer(answer);
      });
      return () => {
        isAborted = true;
        abort();
      };
    },
  };
}

/** Judges a use of storage against the consent of the moment. */
function judgeUse({ violations, browser, ledger }: World, tab: Tab, { use, key }: {
  readonly use: keyof KeyValueStorage;
  readonly key: string;
}): void {
  if (!key.startsWith("vendor.sdk.")) violations.push(`storage.${use}(${key})`);
  if (tab.phase === "prerendering") violations.push(`storage.${use}(${key}) while prerendering`);
  const consent = tab.client.getConsent();
  if (consent === "denied" && (use === "get" || use === "set")) violations.push(`storage.${use}(${key}) after denied`);
  if (consent !== "pending" || tab.isChanging) return;
  const events = eventsOf(browser.storage.get(key));
  const isDone = events.every(({ id, name, context }) => {
    const event = ledger.find(name === "$pageview" ? new URL(`${context?.pageUrl}`).pathname : name);
    return !event || event.id !== id || event.isAcknowledged || event.reason;
  });
  if (use !== "remove" || !isDone) violations.push(`storage.${use}(${key}) while pending`);
}
