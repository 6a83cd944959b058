import { attempt } from "../../client/base/attempt.ts";
import { elementsOf } from "./clicked.ts";
import type { Observer, RecordEvent } from "./observer.ts";

/** What looks at the elements of a click. */
export type ClickReader = (elements: readonly Element[], record: RecordEvent, isMiddle: boolean) => void;

/**
 * Creates what hears of clicks: one listener for the document, which is called before those of the page, so that none
 * of theirs can keep a click to itself. The keyboard makes a `click` as well, the middle button an `auxclick`.
 */
export function observeClicks(readers: readonly ClickReader[]): Observer {
  return (record) => {
    const hear = (event: Event): void => {
      const isMiddle = event.type === "auxclick";
      if (isMiddle && (event as MouseEvent).button !== 1) return; // the right button opens a menu
      for (const read of readers) attempt(() => read(elementsOf(event), record, isMiddle));
    };
    const names = ["click", "auxclick"] as const;
    const options = { capture: true, passive: true };
    for (const name of names) document.addEventListener(name, hear, options);
    return () => names.forEach((name) => document.removeEventListener(name, hear, options));
  };
}
