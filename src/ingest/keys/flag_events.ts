import { isbot } from "isbot";
import type { EventFlag, StoredEvent } from "../events/stored_event.ts";
import { createOwnVisitCheck, type OwnVisits } from "./own_visits.ts";

/** The sender of a page's request. None of it is kept. */
export interface RequestSender {
  /** Its header `Origin`. */
  readonly origin: string;
  /** Its header `User-Agent`; null for none. */
  readonly agent: string | null;
  /** Address, where it is known. */
  readonly address: string | undefined;
  /** Country that a trusted proxy names; undefined for none. */
  readonly country: string | undefined;
}

/** Gives events the flag that they are to be stored with; without a sender, by what they say themselves. */
export type FlagEvents = (events: readonly StoredEvent[], sender: RequestSender | undefined) => readonly StoredEvent[];

/** An agent is looked at so far, in UTF-16 units: a crawler that names itself does so before. */
const MAX_AGENT_UNITS = 1024;

/** Origins of pages on the web, where crawlers come; applications and extensions have schemes of their own. */
const WEB = /^https?:/;

/** Pages of one's own machine. */
const LOOPBACK = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/;

/** Names of products alone, `curl/8.5.0` or `node`: a program that somebody uses to send an event, and no crawler. */
const PRODUCTS = /^[\w.-]+(?:\/[\w.+-]+)?(?: [\w.-]+(?:\/[\w.+-]+)?)*$/;

const CALLED_CRAWLER = /bot|crawl|spider/i;

/** Creates the function that flags the events of a key. A crawler of the site's own is an own visit. */
export function createFlagEvents(ownVisits: OwnVisits = {}): FlagEvents {
  const { isOwnAddress, createEventCheck } = createOwnVisitCheck(ownVisits);
  return (events, sender) => {
    const isOwnEvent = createEventCheck();
    const ofAll = sender && findFlag(sender);
    if (isOwnEvent === undefined && ofAll === undefined) return events;
    return events.map((event) => {
      const flag = isOwnEvent?.(event) ? "own" : ofAll;
      return flag === undefined ? event : { ...event, flag };
    });
  };

  function findFlag({ origin, agent, address }: RequestSender): EventFlag | undefined {
    if (address !== undefined && isOwnAddress(address)) return "own";
    // No crawler gets to one's own machine, but a headless browser of tests does.
    return WEB.test(origin) && !isLoopback(origin) && isCrawler(agent?.slice(0, MAX_AGENT_UNITS) ?? "")
      ? "bot"
      : undefined;
  }
}

/** Returns whether an origin is of one's own machine. */
export function isLoopback(origin: string): boolean {
  return LOOPBACK.test(origin);
}

function isCrawler(agent: string): boolean {
  return isbot(agent) && (CALLED_CRAWLER.test(agent) || !PRODUCTS.test(agent));
}
