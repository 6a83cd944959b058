import { later } from "./base/attempt.ts";
import { LEASE_PREFIX, VISITOR_KEY } from "./base/keys.ts";
import { EXIT_LEASE_MS, EXIT_MS } from "./base/limits.ts";
import type { Capture } from "./capture/capture.ts";
import type { Finisher } from "./capture/finisher.ts";
import type { Pageviews } from "./capture/pageviews.ts";
import type { Visitor } from "./capture/visitor.ts";
import type { Consent } from "./consent.ts";
import type { Delivery } from "./delivery/delivery.ts";
import type { Link } from "./delivery/link.ts";
import type { Outbox } from "./delivery/outbox.ts";
import type { Cancel, EnvironmentListeners, PageEnvironment, StorageChange } from "./platform/environment.ts";

/** Work of a client as its page is hidden, goes, and comes back, and as other pages change the visitor. */
export interface PageLife {
  /** The page is hidden, or goes: everything that can leaves now. */
  hide(): void;
  /** Hears of the page from now on, and of its navigations if they count. */
  listen(navigate: EnvironmentListeners["navigate"]): void;
  /** A draft was made: what the page's own handlers track while it goes leaves as well. */
  onDraft(): void;
  /** Does what a page does a task after a grant, or after more events: meets the visitor, and hears of other pages. */
  meet(): void;
  /** Hears of nothing any more. */
  stop(): void;
}

/** Parts that a page's life works with. */
export interface PageLifeParts {
  readonly consent: Consent;
  readonly visitor: Visitor;
  readonly capture: Capture;
  readonly pageviews: Pageviews;
  readonly finisher: Finisher;
  readonly outbox: Outbox;
  readonly link: Link;
  readonly delivery: Delivery;
  /** Asks for a task in which the SDK goes on. */
  readonly wake: () => void;
}

/** Creates the life of a page, which may be prerendered at first. */
export const createPageLife: (parts: PageLifeParts, page: PageEnvironment) => PageLife = ((parts, page) => {
  /** Until when an exit lasts, by `elapsed()`: the page has several events in it, and handlers of its own. */
  let exitEndsMs = 0;
  let stopListening: Cancel | undefined;
  let stopListeningToStorage: Cancel | undefined;

  const isLeaving = (): boolean => page.elapsed() < exitEndsMs;
  /** Follows what another page did to storage: a denial, or somebody else who is the visitor now. */
  const follow = ({ key, newValue, oldValue }: StorageChange): void => {
    if (!parts.consent.wants("granted")) return;
    if (key?.startsWith(LEASE_PREFIX)) parts.delivery.look();
    if (key && key !== VISITOR_KEY) return;
    if (key && !newValue) return parts.consent.change("denied");
    const isOther = parts.consent.is()
      ? parts.visitor.isOther() // without a key a storage was cleared: where that was the site's, it's no denial
      : !key || oldValue; // else the first visitor on this device
    if (!isOther) return;
    // What was captured before belongs to the visitor before.
    parts.visitor.stop();
    parts.finisher.finish();
    parts.visitor.identify(null);
    parts.visitor.forget();
    parts.capture.disown(); // a prerendered page has finished none
    parts.wake();
  };
  /** The page is visible again, or the network is back; or it was restored from the back/forward cache. */
  const show = (isRestored: boolean): void => {
    exitEndsMs = 0;
    if (isRestored) {
      // Before anything else: consent may have been denied elsewhere, or the user signed out.
      if (parts.visitor.isOther()) {
        follow({ key: VISITOR_KEY, newValue: page.storage.get(VISITOR_KEY) });
        parts.delivery.release(); // a denial may have erased it meanwhile
      }
      parts.delivery.restart();
      parts.pageviews.forget();
      parts.pageviews.record();
    }
    parts.link.open();
    parts.wake();
    parts.delivery.look();
  };
  /** Sends what can leave together with the page. */
  const leave = (): void => {
    // What failed a moment ago isn't tried once more by the second event of an exit.
    if (isLeaving() && !parts.capture.size()) return;
    parts.finisher.finish();
    parts.delivery.drain();
    parts.wake();
  };
  const life: PageLife = {
    hide() {
      if (parts.consent.is("granted")) {
        // First, since Firefox may stop the handler midway, or give a page no other event.
        parts.outbox.setGone(page.elapsed() + EXIT_LEASE_MS);
        parts.visitor.meet(); // a page that sleeps without an identifier could miss a denial
      }
      leave();
      exitEndsMs = page.elapsed() + EXIT_MS;
    },
    listen(navigate) {
      stopListening?.();
      stopListening = page.listen({ navigate, hide: life.hide, show });
    },
    onDraft() {
      if (isLeaving()) later(leave); // behind the page's handler, and before the page may be gone
    },
    meet: (() => {
      if (!parts.consent.wants("granted")) return;
      stopListeningToStorage?.(); // anew: a document that is opened anew loses every listener
      stopListeningToStorage = page.listenToStorage(follow);
      if (!parts.consent.is()) return;
      if (!isLeaving()) parts.outbox.setGone(0);
      parts.visitor.meet();
    }) satisfies PageLife["meet"],
    stop() {
      stopListening?.();
      stopListeningToStorage?.();
    },
  };
  return life;
}) satisfies typeof createPageLife;
