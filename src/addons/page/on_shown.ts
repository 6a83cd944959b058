import { defer } from "./page.ts";

const EVENTS = ["prerenderingchange", "pagehide", "resume", "visibilitychange", "pageshow"] as const;

/**
 * Calls back when a page is shown that heard nothing for a while: a prerendered one is activated, or one comes back from
 * the back/forward cache. Listeners on the window, in capture, come before those of the page.
 *
 * A restored page has several events, in Chromium `resume` first, in Firefox `visibilitychange`. Others act at the same
 * ones, before or after; so it calls back at the first (`isFirst`), at each that follows, and once behind the last.
 */
export function onShown(listener: (isFirst: boolean) => void): () => void {
  let state: "shown" | "asleep" | "waking" = "shown";
  const hear = (event: Event): void => {
    const { type, persisted } = event as PageTransitionEvent;
    if (type === "prerenderingchange") return listener(true);
    if (type === "pagehide") {
      state = persisted ? "asleep" : "shown";
      return;
    }
    // On the way into the cache the page turns hidden after its `pagehide`.
    if (type === "visibilitychange" && document.visibilityState === "hidden") return;
    if (state === "shown" && !(type === "pageshow" && persisted)) return;
    const isFirst = state !== "waking";
    state = type === "pageshow" ? "shown" : "waking";
    listener(isFirst);
    if (state === "shown") defer(() => listener(false));
  };
  for (const name of EVENTS) globalThis.addEventListener(name, hear, true);
  return () => {
    for (const name of EVENTS) globalThis.removeEventListener(name, hear, true);
  };
}
