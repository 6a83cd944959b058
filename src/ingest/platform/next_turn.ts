import { findBuiltin } from "./builtin.ts";

/** The part of `node:timers` in use. */
interface TimersModule {
  readonly setImmediate: (callback: () => void) => unknown;
}

/** Waits until all that has arrived by now was looked at. No timer where there is something else: it takes a millisecond. */
export function nextTurn(): Promise<void> {
  const startNextTurn = findBuiltin<TimersModule>("node:timers")?.setImmediate ?? setTimeout;
  return new Promise((resolve) => void startNextTurn(resolve));
}
