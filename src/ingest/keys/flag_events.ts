import { isbot } from "isbot";
import type { EventFlag, StoredEvent } from "../events/stored_event.ts";
import { createOwnVisitCheck, type OwnVisits } from "./own_visits.ts";

/** What a request of a page says of its sender. None of it is kept. */
export interface RequestSender {
  /** Its header `User-Agent`; null for none. */
  readonly agent: string | null;
  /** Address, where it is known. */
  readonly address: string | undefined;
}

/** Gives events the flag that they are to be stored with; without a sender, by what they say themselves. */
export type FlagEvents = (events: readonly StoredEvent[], sender: RequestSender | undefined) => readonly StoredEvent[];

/** An agent is looked at so far, in UTF-16 units: whoever says to be a crawler does so before. */
const MAX_AGENT_UNITS = 1024;

/** Creates the function that flags the events of a key. A crawler of the site's own is an own visit. */
export function createFlagEvents(ownVisits: OwnVisits = {}): FlagEvents {
  const { isOwnAddress, createEventCheck } = createOwnVisitCheck(ownVisits);
  return (events, sender) => {
    const isOwnEvent = createEventCheck();
    const flag = sender && findFlag(sender);
    return events.map((event) => {
      const own = flag === "own" || isOwnEvent(event) ? "own" : flag;
      return own === undefined ? event : { ...event, flag: own };
    });
  };

  function findFlag({ agent, address }: RequestSender): EventFlag | undefined {
    if (address !== undefined && isOwnAddress(address)) return "own";
    return isbot(agent?.slice(0, MAX_AGENT_UNITS)) ? "bot" : undefined;
  }
}
