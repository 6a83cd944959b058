import type { EnvironmentListeners } from "./environment.ts";

/** Adds a listener to the window. */
export type Subscribe = (type: string, listener: (event: never) => void) => void;

/**
 * Tells when the page is hidden, goes, and comes back.
 *
 * A restored page hears of it by whichever event comes first: `resume` in Chromium, `visibilitychange` in Firefox.
 */
export const listenToLifecycle: (
  document: Document,
  on: Subscribe,
  listeners: Pick<EnvironmentListeners, "hide" | "show">,
) => void = ((document, on, { hide, show }) => {
  /** Whether the page lies in the back/forward cache. */
  let isFrozen = false;
  const wake = (): void => {
    show(isFrozen);
    isFrozen = false;
  };
  const restore = (): void => {
    if (isFrozen) wake();
  };
  // It comes first when the page goes; a switch of tabs or applications has visibilitychange alone.
  on("pagehide", ({ persisted }: PageTransitionEvent) => {
    isFrozen = persisted;
    hide();
  });
  on("online", wake);
  on("visibilitychange", () => document.visibilityState === "hidden" ? hide() : wake());
  on("resume", restore);
  on("pageshow", restore);
}) satisfies typeof listenToLifecycle;
