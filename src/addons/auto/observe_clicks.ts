import { attempt } from "../../client/base/attempt.ts";
import { defer } from "../page/page.ts";
import { elementsOf } from "./clicked.ts";
import type { Observer, RecordEvent } from "./observer.ts";

/** Records what the elements of a click say. */
export type ClickReader = (elements: readonly Element[], record: RecordEvent, isMiddle: boolean) => void;

/** A click that a script makes so soon after one of the visitor's belongs to that. */
const FOLLOW_MS = 1000;

/**
 * Creates what hears of clicks: one listener for the document, which is called before those of the page, so that none
 * of theirs can keep a click to itself. The keyboard makes a `click` as well, the middle button an `auxclick`.
 *
 * A visitor's click may make the page click: a card clicks its link, a label its control. These are one step; of links
 * they record only what the visitor's click didn't.
 */
export function observeClicks(readers: readonly ClickReader[]): Observer {
  return (record) => {
    /** The visitor's last click, and whether it's still being handled. */
    let last: Event | undefined;
    let isHandled = false;
    /** Texts of the events that were recorded of it. */
    const recorded = new Set<string>();
    /** Returns whether the page made a click in answer to the visitor's: browsers trust those of labels, not of scripts. */
    const isFollowing = (event: Event): boolean => {
      if (!last) return false;
      if (last.eventPhase !== 0) return true; // within a handler of it
      return last.isTrusted && (event.isTrusted ? !isHandled : event.timeStamp - last.timeStamp < FOLLOW_MS);
    };
    const recordOnce: RecordEvent = (name, properties) => {
      const text = name.startsWith("$") ? JSON.stringify([name, properties]) : "step";
      if (recorded.has(text)) return;
      recorded.add(text);
      record(name, properties);
    };
    const hear = (event: Event): void => {
      const isMiddle = event.type === "auxclick";
      if (isMiddle && (event as MouseEvent).button !== 1) return; // the right button opens a menu
      if (!isFollowing(event)) {
        last = event;
        recorded.clear();
        isHandled = false;
        if (event.isTrusted) defer(() => isHandled ||= last === event);
      }
      for (const read of readers) attempt(() => read(elementsOf(event), recordOnce, isMiddle));
    };
    const names = ["click", "auxclick"] as const;
    const options = { capture: true, passive: true };
    for (const name of names) document.addEventListener(name, hear, options);
    return () => names.forEach((name) => document.removeEventListener(name, hear, options));
  };
}
