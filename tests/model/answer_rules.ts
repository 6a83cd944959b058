import { MAX_WAIT_MS } from "../../src/client/base/limits.ts";
import type { TransportAnswer } from "../../src/client/mod.ts";
import type { Sent } from "./request_rules.ts";
import { endpointOf, type Tab } from "./tab.ts";
import { elapsed, isGranted, outboxKeys, type World } from "./world.ts";

/** Notes what an answer that a page heard permits it to do with the events. */
export function noteAnswer(world: World, tab: Tab, { sent, answer, isCut }: {
  readonly sent: Sent;
  readonly answer: TransportAnswer;
  /** Whether the page gave the request up, which it may while it reads who refuses it. */
  readonly isCut: () => boolean;
}): void {
  const { status, retryAfterMs = 0 } = answer;
  const { url, batchId, events, amount, isAggregate, restarts } = sent;
  // What is for another account, or lost its consent, tells nothing of this page's link.
  const isItsOwn = (): boolean => url === endpointOf(tab.settings.account) && (isAggregate || isGranted(tab));
  if (status >= 200 && status < 300) {
    const hasCopy = outboxKeys(world).some((key) => {
      const [id, owner] = key.split(".").slice(-2);
      return id === batchId && !tab.owners.has(`${owner}`);
    });
    for (const event of events) {
      event.acknowledged.add(`${tab.number} ${batchId}`);
      event.hasCopy ||= hasCopy;
    }
  } else if (status === 401) {
    const excuse = (): void => {
      // Where storage refuses, what the page adopted is in its memory alone.
      const own = world.ledger.events.filter((event) => event.tab === tab.number || world.isDisturbed);
      for (const event of [...events, ...own]) event.reason ??= `${status}`;
    };
    excuse();
    tab.isReadingRefusal = true;
    void readRefusal(answer).then(() => {
      tab.isReadingRefusal = false;
      const isGone = tab.phase === "gone"; // perhaps after it read
      if (!isGone && (!isItsOwn() || isCut())) return;
      if (!isGone && restarts === tab.restarts) tab.isStopped = true;
      else tab.mayBeStopped = true;
      excuse(); // what was captured while the page read it
    });
  } else if (status === 413) {
    for (const event of events) {
      event.mayMove = true;
      if (amount === 1) event.reason ??= "413";
    }
  } else if ([408, 425, 429, 500, 502, 503, 504, 0].includes(status)) {
    const untilMs = elapsed(world) + Math.min(retryAfterMs, MAX_WAIT_MS);
    if (isItsOwn()) tab.heldUntilMs = Math.max(tab.heldUntilMs, untilMs);
  } else for (const event of events) event.reason ??= `${status}`;
}

/** Waits until the page has read who refuses it. */
async function readRefusal({ text }: TransportAnswer): Promise<void> {
  await text;
  for (let turn = 0; turn < 10; turn++) await Promise.resolve();
}
