import type { Cancel, EnvironmentListeners, PageEnvironment } from "../client/platform/environment.ts";

/** Where a page is between its load and its end. */
export type PagePhase = "prerendering" | "active" | "frozen" | "closed";

/** The life of a page, and who hears of it. */
export interface Lifecycle {
  /** Returns where the page is. */
  phase(): PagePhase;
  /** Returns whether the page's scripts run: it's neither frozen nor closed. */
  isRunning(): boolean;
  /** Subscribes. */
  listen(listeners: EnvironmentListeners): Cancel;
  /** Calls the listeners, unless the page is frozen or closed. */
  notify(call: (listeners: EnvironmentListeners) => void): void;
  /** Calls back now, or a task after the page is shown at last. */
  readonly whenActive: PageEnvironment["whenActive"];
  /** Shows the page that was prerendered. */
  activate(): void;
  /** Turns the page visible or hidden. */
  setVisible(isVisible: boolean): void;
  /** Hides the page, unless it's frozen already, and takes it away. */
  leave(phase: "frozen" | "closed"): void;
  /** Ends the page without a word to its listeners. */
  end(): void;
  /** Brings a frozen page back; before its listeners hear of it, `wake` is called. */
  restore(wake: () => void): void;
}

/** Starts the life of a page, whose timers are set with `setTimer`. */
export function createLifecycle(isPrerendering: boolean, setTimer: PageEnvironment["setTimer"]): Lifecycle {
  const subscriptions = new Set<{ readonly listeners: EnvironmentListeners }>();
  let phase: PagePhase = isPrerendering ? "prerendering" : "active";
  let isVisible = !isPrerendering;
  let awaiting: (() => void)[] = [];

  const isRunning = (): boolean => phase !== "frozen" && phase !== "closed";
  const notify: Lifecycle["notify"] = (call) => {
    if (!isRunning()) return;
    for (const subscription of [...subscriptions]) {
      if (subscriptions.has(subscription)) call(subscription.listeners);
    }
  };
  const setVisible = (next: boolean): void => {
    if (isVisible === next || !isRunning()) return;
    isVisible = next;
    notify((listeners) => isVisible ? listeners.show(false) : listeners.hide());
  };
  return {
    phase: () => phase,
    isRunning,
    listen(listeners) {
      const subscription = { listeners };
      subscriptions.add(subscription);
      return () => void subscriptions.delete(subscription);
    },
    notify,
    whenActive(callback) {
      if (phase === "prerendering") awaiting.push(callback);
      else callback();
    },
    activate() {
      if (phase !== "prerendering") return;
      setVisible(true); // browsers turn the page visible first
      phase = "active";
      const callbacks = awaiting;
      awaiting = [];
      for (const callback of callbacks) setTimer(callback, 0);
    },
    setVisible(next) {
      if (phase === "active") setVisible(next);
    },
    leave(next) {
      if (phase === "closed") return;
      notify(({ hide }) => hide()); // pagehide, which comes before visibilitychange
      setVisible(false);
      phase = next;
    },
    end() {
      phase = "closed";
    },
    restore(wake) {
      if (phase !== "frozen") return;
      phase = "active";
      wake();
      isVisible = true;
      notify(({ show }) => show(true));
    },
  };
}
