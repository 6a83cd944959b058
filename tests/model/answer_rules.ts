import type { TransportAnswer } from "../../src/testing/mod.ts";
import type { Sent } from "./request_rules.ts";
import type { Tab } from "./tab.ts";
import type { World } from "./world.ts";

/** Ten such answers, another batch getting through before each, end a batch. */
const MAX_SERVER_ERRORS = 10;

/** Notes what an answer that a page heard permits it to do with the events. */
export function noteAnswer(world: World, tab: Tab, { sent, answer }: {
  readonly sent: Sent;
  readonly answer: TransportAnswer;
}): void {
  const { status } = answer;
  const { events, amount } = sent;
  if (status >= 200 && status < 300) {
    for (const event of events) event.isAcknowledged = true;
    tab.isUp = true;
  } else if (status === 401 || status === 403) {
    // What another account left is dropped, and what is for this one waits on the device for the next init().
    tab.isStopped = true;
    // Where storage refuses, what the page adopted is in its memory alone.
    const own = world.ledger.events.filter((event) => event.tab === tab.number || world.isDisturbed);
    for (const event of [...events, ...own]) event.reason ??= `${status}`;
  } else if (status === 413) {
    for (const event of events) {
      event.mayMove = true;
      if (amount === 1) event.reason = "413";
    }
  } else if ([408, 425, 429, 500, 502, 503, 504, 0].includes(status)) {
    for (const event of events) {
      const isForeign = event.account !== tab.settings.account;
      if (tab.isUp && (isForeign || (status >= 500 && status !== 503))) event.errors++;
      if (event.errors >= MAX_SERVER_ERRORS) event.reason = `${event.errors} errors`;
    }
    if (status > 0) tab.isUp = false; // without an answer, the page may ask once more at once
  } else for (const event of events) event.reason = `${status}`;
}
