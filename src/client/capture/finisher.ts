import { describeError } from "../base/attempt.ts";
import type { FinishedEvent } from "../base/draft.ts";
import { FINISH_EVENTS, MAX_QUEUE_EVENTS } from "../base/limits.ts";
import type { Hooks, Tell } from "../hooks.ts";
import type { Queue } from "../delivery/queue.ts";
import type { Consent } from "../consent.ts";
import type { Capture } from "./capture.ts";
import type { Pageviews } from "./pageviews.ts";

/** The way from drafts to queued events. */
export interface Finisher {
  /**
   * Makes events of the drafts, asks the rules of the application, and queues what they leave. Drafts behind an open
   * pageview wait if the others are `"ready"`. If they are `"due"`, it waits no longer, unless a redirect is awaited.
   */
  finish(those?: "ready" | "due"): void;
  /** Throws away what was captured and isn't queued yet, unread. */
  forget(): void;
}

/** Parts that drafts are finished with. */
export interface FinisherParts {
  /** Which consent is in force: without any, no event is made. */
  readonly consent: Consent;
  /** Has the drafts. */
  readonly capture: Capture;
  /** Knows of redirects that are awaited. */
  readonly pageviews: Pageviews;
  /** Takes the events. */
  readonly queue: Queue;
  /** The rules of the application. */
  readonly hooks: Hooks;
  /** Hears of what becomes of the events. */
  readonly tell: Tell;
  /** Asks for a task in which the rest is made, so that none takes long. */
  readonly wake: () => void;
}

/** Creates the way from a page's drafts to its queue. */
export const createFinisher: (parts: FinisherParts) => Finisher = ((parts) => {
  /** Events that are being queued right now: another list when it's void. */
  let events: FinishedEvent[] = [];

  return {
    finish: ((those) => {
      if (!parts.consent.is()) return; // the page is prerendered, or this is the first init()
      const isDue = those === "due" || parts.queue.isFull(parts.capture.size());
      if (!those || (isDue && !parts.pageviews.awaitsRedirect())) parts.capture.settle();
      const most = those ? FINISH_EVENTS : MAX_QUEUE_EVENTS; // all at once where the page may go
      const finished = parts.capture.finish(most);
      if (finished.length >= most) parts.wake();
      const current = events;
      // Where a rule or a listener of the application calls, the loop is under way, and comes to these in their turn.
      if (current.push(...finished) > finished.length) return;
      for (const event of current) {
        try {
          let ruled = events === current && event.text ? event : undefined;
          // A rule may deny consent, move to another account, or take itself out.
          for (const rule of [...parts.hooks.beforeSend]) ruled &&= rule(ruled);
          if (ruled && events === current) {
            parts.queue.append(ruled);
            event.draft.text = ruled.text;
            parts.tell({ type: "queued", event: ruled });
            continue;
          }
        } catch (error) {
          parts.tell({ type: "warned", message: `event dropped: ${describeError(error)}` });
        }
        event.draft.text = "";
        const reason = events === current ? "redacted" : "consent";
        parts.tell({ type: "dropped", reason, amount: 1, draft: event.draft });
      }
      current.length = 0;
    }) satisfies Finisher["finish"],
    forget() {
      events = [];
      parts.capture.forget();
    },
  };
}) satisfies typeof createFinisher;
