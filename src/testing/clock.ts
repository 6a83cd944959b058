import type { Cancel } from "../client/platform/environment.ts";

/** Turns of the microtask queue without anything happening, after which it counts as empty. */
const QUIET_TURNS = 100;

/** Timers that fire without time passing, after which a page counts as looping. */
const MAX_TIMERS_AT_ONCE = 10_000;

/** Time that passes by hand. */
export interface Clock {
  /** Returns what the device's clock shows, in milliseconds since the Unix epoch. */
  now(): number;
  /** Sets the device's clock, as a user or a time server does. Timers don't notice. */
  set(nowMs: number): void;
  /** Returns the milliseconds that passed since the start, whatever the device's clock was set to. */
  elapsed(): number;
  /** Calls back once, when the delay has passed. */
  setTimer(callback: () => void, delayMs: number): Cancel;
  /** Holds up {@linkcode advance} until the work has ended, and lets it reject with what the work rejects with. */
  wait(work: Promise<unknown>): void;
  /**
   * Lets time pass: fires the timers that are due in order, and lets promises settle before, between and after.
   *
   * @throws {Error} Where timers without a delay set each other without end; and what {@linkcode wait} was given fails with.
   */
  advance(durationMs: number): Promise<void>;
}

interface ClockTimer {
  readonly callback: () => void;
  readonly dueMs: number;
}

/** Creates a clock that stands still until it's moved. */
export function createClock(startMs: number): Clock {
  const timers = new Set<ClockTimer>();
  const works = new Set<Promise<void>>();
  const failures: unknown[] = [];
  let offsetMs = startMs;
  let elapsedMs = 0;
  let activity = 0;

  /** Nothing tells whether the microtask queue is empty, so it's given turns until it leaves the clock alone. */
  const drain = async (): Promise<void> => {
    for (let quiet = 0; quiet < QUIET_TURNS;) {
      const before = activity;
      await Promise.resolve();
      quiet = activity === before ? quiet + 1 : 0;
    }
    if (failures.length) throw failures.shift();
    if (!works.size) return;
    await Promise.race(works);
    await drain();
  };
  const findDue = (untilMs: number): ClockTimer | undefined => {
    let next: ClockTimer | undefined;
    for (const timer of timers) if (timer.dueMs <= untilMs && !(next && next.dueMs <= timer.dueMs)) next = timer;
    return next;
  };
  return {
    now: () => offsetMs + elapsedMs,
    set(nowMs) {
      offsetMs = nowMs - elapsedMs;
    },
    elapsed: () => elapsedMs,
    setTimer(callback, delayMs) {
      activity++;
      const timer = { callback, dueMs: elapsedMs + delayMs };
      timers.add(timer);
      return () => timers.delete(timer);
    },
    wait(work) {
      activity++;
      const end = (): void => {
        activity++;
        works.delete(ended);
      };
      const ended = work.then(end, (error) => {
        end();
        failures.push(error);
      });
      works.add(ended);
    },
    async advance(durationMs) {
      const untilMs = elapsedMs + durationMs;
      await drain();
      let firedAtOnce = 0;
      for (let timer = findDue(untilMs); timer; timer = findDue(untilMs)) {
        firedAtOnce = timer.dueMs > elapsedMs ? 1 : firedAtOnce + 1;
        if (firedAtOnce > MAX_TIMERS_AT_ONCE) throw new Error("timers without a delay set each other without end");
        elapsedMs = timer.dueMs;
        timers.delete(timer);
        timer.callback();
        await drain();
      }
      elapsedMs = untilMs;
    },
  };
}
