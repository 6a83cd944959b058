import type { Instance } from "../../src/instance.ts";
import type { Config, ConsentState, InitConfig } from "../../src/types.ts";
import type { TestPage } from "../../src/testing/mod.ts";

/** Site of every page. */
export const SITE = "https://shop.example";

/** Where events go, and how many at a time. */
export interface Settings {
  /** Which of two accounts. */
  readonly account: 0 | 1;
  /** Consent at the start. */
  readonly consent: ConsentState;
  /** Which pageviews are automatic. */
  readonly mode: Config["trackPageviews"];
  /** Events per batch. */
  readonly maxBatchSize: number;
  /** Milliseconds. */
  readonly flushInterval: number;
}

/** A step that waits for the page to be shown. */
export interface Waiting {
  /** Its name. */
  readonly key: string;
  /** Account that it's meant for. */
  readonly account: 0 | 1;
}

/** A tab of the modelled browser, from the load of its page to the end of it. */
export interface Tab {
  /** Counts up from 0. */
  readonly number: number;
  /** The page. */
  readonly page: TestPage;
  /** The client on it. */
  readonly client: Instance;
  /** What it was last initialised with. */
  settings: Settings;
  /** The consent that it was last seen with. */
  known: ConsentState;
  /** Flushes that haven't come to rest. */
  flushes: number;
  /** Where it is in its life. */
  phase: "prerendering" | "active" | "frozen" | "gone";
  /** Whether a call is under way that may change consent. */
  isChanging: boolean;
  /** Whether the ingest turned its key away. */
  isStopped: boolean;
  /** Whether the last answer that it heard was a 2xx. */
  isUp: boolean;
  /** Counts up with every change of consent or settings. */
  epoch: number;
  /** Order of the event that it sent last for the first time, in this epoch. */
  lastOrder: number;
  /** Steps that wait for the page to be shown. */
  waiting: readonly Waiting[];
  /** Counts its navigations. */
  navigations: number;
}

/** API key of an account. */
export function keyOf(account: 0 | 1): string {
  return `pk_${account}`;
}

/** Endpoint of an account. */
export function endpointOf(account: 0 | 1): string {
  return `https://ingest${account}.example/v1/events`;
}

/** Returns the configuration of settings. */
export function configOf({ account, mode, ...rest }: Settings): InitConfig {
  return { ...rest, trackPageviews: mode, apiKey: keyOf(account), endpoint: endpointOf(account) };
}

/** Path of the page that a tab is on. */
export function pathOf({ number, navigations }: Pick<Tab, "number" | "navigations">): string {
  return `/tab${number}/page${navigations}`;
}
