import type { Client, TransportRequest } from "../../src/client/mod.ts";
import type { Instance } from "../../src/client/instance.ts";
import type { Config, ConsentState, InitConfig } from "../../src/client/base/types.ts";
import type { TestPage } from "../../src/testing/mod.ts";
import type { Captured } from "./ledger.ts";

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
  /** Title of the page. */
  readonly title: string;
  /** Users whom it may name. */
  readonly users: readonly (string | null)[];
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
  readonly client: Instance & Client;
  /** What it was last initialised with. */
  settings: Settings;
  /** The consent that it was last seen with. */
  known: ConsentState;
  /** When each flush was asked for that hasn't come to rest, by the time that passed. */
  flushes: readonly number[];
  /** Where it is in its life. */
  phase: "prerendering" | "active" | "frozen" | "gone";
  /** Whether a call is under way that may change consent. */
  isChanging: boolean;
  /** Whether a call is under way that leaves the device and the network alone. */
  isLight: boolean;
  /** Whether it knows the visitor by what is stored, so that it can notice a denial in another tab. */
  hasMet: boolean;
  /** Whether the ingest turned its key away. */
  isStopped: boolean;
  /** Whether it may have stopped, or not: it started anew between a request and its refusal. */
  mayBeStopped: boolean;
  /** Whether it may be reading that the ingest turned it away: an `init()` finds it stopped, or not yet. */
  isReadingRefusal: boolean;
  /** Until when a `Retry-After` holds its queue, by the time that passed. */
  heldUntilMs: number;
  /** Requests under way, as it knows them. */
  readonly inFlight: Set<TransportRequest>;
  /** Names under which it owns what it saved. */
  readonly owners: Set<string>;
  /** Since when it has been able to adopt what others left, by the time that passed. */
  readySinceMs: number;
  /** When others may adopt what it left, by the time that passed; absent while it's there. */
  leaseEndMs?: number | undefined;
  /** Counts up with every change of consent or settings. */
  epoch: number;
  /** Counts up with every such change but a grant, which ends no answer that is being read. */
  restarts: number;
  /** Order of the event that it sent last for the first time, in this epoch. */
  lastOrder: number;
  /** Steps that wait for the page to be shown. */
  waiting: readonly Waiting[];
  /** Counts its navigations. */
  navigations: number;
  /** Whether a visitor would see it. */
  isVisible: boolean;
  /** Users whom its next event may name. */
  users: readonly (string | null)[];
  /** Whether the visitor signed out before it was shown: the other pages hear of it then. */
  signsOut: boolean;
  /** Whether the site cleared its storage, and it reads the visitor with the next event. */
  awaitsEvent: boolean;
  /** What was stored of the visitor when it fell asleep. */
  sleptWith?: string | undefined;
  /** When the site last cleared its storage, by the time that passed. */
  clearedMs: number;
  /** Title of its document. */
  title: string;
  /** Its pageview that awaits a title. */
  openView?: Captured | undefined;
  /** Whether nothing settles that before its title is there: what begins in a hidden tab is settled at once. */
  isViewSeen: boolean;
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
