import { outsideZone } from "../../client/platform/zone.ts";

/** Events that leave a shadow tree and reach the page's own listeners. */
const EVENTS = [
  ...["click", "auxclick", "dblclick", "contextmenu", "mousedown", "mouseup", "mousemove", "mouseover", "mouseout"],
  ...["pointerdown", "pointerup", "pointermove", "pointercancel", "pointerover", "pointerout", "wheel"],
  ...["gotpointercapture", "lostpointercapture", "touchstart", "touchmove", "touchend", "touchcancel"],
  ...["keydown", "keyup", "keypress", "beforeinput", "input", "change"],
  ...["compositionstart", "compositionupdate", "compositionend", "focus", "blur", "focusin", "focusout"],
  ...["copy", "cut", "paste", "selectstart", "dragstart", "drag", "dragend", "dragover", "drop"],
];

/**
 * Keeps what happens within an element with an open shadow tree from the page, which may count clicks and keys, or close
 * a menu on a click elsewhere; hands it over instead. What the browser does by itself goes on. Only listeners that the
 * page gave the window before, for the capture phase, are earlier.
 *
 * @returns Ends it.
 */
export function isolateEvents(host: Element, handle: (event: Event, target: Element) => void): () => void {
  const listener = (event: Event): void => {
    const path = event.composedPath();
    if (!path.includes(host)) return;
    event.stopImmediatePropagation();
    if (path[0] instanceof Element) handle(event, path[0]);
  };
  outsideZone(globalThis, () => {
    for (const type of EVENTS) globalThis.addEventListener(type, listener, true);
  });
  return () => {
    for (const type of EVENTS) globalThis.removeEventListener(type, listener, true);
  };
}
