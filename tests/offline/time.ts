/**
 * `FakeTime` of `@std/testing/time` over `@sinonjs/fake-timers`, for machines that reach npm but not JSR. Delays
 * that no timer can have (NaN, infinite, 2^31 or more) differ between the two: keep them out of tests with FakeTime.
 *
 * @module
 */
import { type Clock, withGlobal } from "@sinonjs/fake-timers";

const realSetTimeout = globalThis.setTimeout;
const realClearTimeout = globalThis.clearTimeout;
const realAbortTimeout = AbortSignal.timeout;

// Global time is faked once or not at all.
let current: FakeTime | undefined;

/** Misuse of {@linkcode FakeTime}. */
export class TimeError extends Error {
  /** Takes the message. */
  constructor(message: string) {
    super(message);
    this.name = "TimeError";
  }
}

/** Options of {@linkcode FakeTime.delay}. */
export interface DelayOptions {
  /** Ends the wait early. */
  readonly signal?: AbortSignal;
}

/** Replaces `Date`, `setTimeout`, `setInterval`, their clearing twins and `AbortSignal.timeout` until restored. */
export class FakeTime {
  /** When the fake time began, in milliseconds since the Unix epoch. */
  readonly start: number;
  #clock: Clock;

  /** Starts at the given time, by default the current one. */
  constructor(start?: number | string | Date | null) {
    if (current) throw new TimeError("Cannot construct FakeTime: time is already faked");
    this.start = toTimestamp(start);
    if (Number.isNaN(this.start)) throw new TypeError("Cannot construct FakeTime: invalid start time NaN");
    this.#clock = install(this.start);
    current = this;
  }

  /** Restores the real time. */
  static restore(): void {
    if (!current) throw new TimeError("Cannot restore time: time is already restored");
    current.restore();
  }

  /** Restores the real time until the callback's result resolves. */
  static async restoreFor<A extends unknown[], T>(callback: (...args: A) => Promise<T> | T, ...args: A): Promise<T> {
    const time = current;
    if (!time) throw new TimeError("Cannot restore time: time is not faked");
    return await time.#suspend(() => callback(...args));
  }

  /** The fake time in milliseconds since the Unix epoch; set forwards, it runs the timers that come due. */
  get now(): number {
    return this.#clock.now;
  }

  set now(value: number) {
    if (value < this.now) throw new RangeError(`Cannot set current time in the past, time must be >= ${this.now}`);
    this.#clock.tick(value - this.now);
  }

  /** Waits in real time. */
  delay(ms: number, { signal }: DelayOptions = {}): Promise<void> {
    const aborted = (): DOMException => new DOMException("Delay was aborted.", "AbortError");
    if (signal?.aborted) return Promise.reject(aborted());
    return new Promise((resolve, reject) => {
      const abort = (): void => {
        realClearTimeout(timer);
        reject(aborted());
      };
      const timer = realSetTimeout(() => {
        signal?.removeEventListener("abort", abort);
        resolve();
      }, ms);
      signal?.addEventListener("abort", abort, { once: true });
    });
  }

  /** Lets everything that waits on promises run. */
  async runMicrotasks(): Promise<void> {
    await this.delay(0);
  }

  /** Moves the time forwards and runs the timers that come due. */
  tick(ms = 0): void {
    this.now += ms;
  }

  /** Lets promises run, then ticks. */
  async tickAsync(ms = 0): Promise<void> {
    await this.runMicrotasks();
    this.now += ms;
  }

  /** Moves to the next timer and runs all that are due then; false where there is none. */
  next(): boolean {
    if (this.#clock.countTimers() === 0) return false;
    this.#clock.next();
    this.#clock.tick(0);
    return true;
  }

  /** Lets promises run, then moves to the next timer. */
  async nextAsync(): Promise<boolean> {
    await this.runMicrotasks();
    return this.next();
  }

  /** Runs timers until none is left. */
  runAll(): void {
    while (this.#clock.countTimers() > 0) this.next();
  }

  /** Runs timers until none is left, promises before each. */
  async runAllAsync(): Promise<void> {
    while (this.#clock.countTimers() > 0) await this.nextAsync();
  }

  /** Restores the real time. */
  restore(): void {
    if (current !== this) throw new TimeError("Cannot restore time: time is already restored");
    current = undefined;
    this.#clock.uninstall();
    AbortSignal.timeout = realAbortTimeout;
  }

  /** Restores the real time at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.restore();
  }

  async #suspend<T>(callback: () => Promise<T> | T): Promise<T> {
    const names = ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"] as const;
    const fakes = names.map((name) => [name, globalThis[name]] as const);
    const fakeAbortTimeout = AbortSignal.timeout;
    for (const name of names) Reflect.set(globalThis, name, REAL[name]);
    AbortSignal.timeout = realAbortTimeout;
    try {
      return await callback();
    } finally {
      for (const [name, fake] of fakes) Reflect.set(globalThis, name, fake);
      AbortSignal.timeout = fakeAbortTimeout;
    }
  }
}

const REAL = {
  Date: globalThis.Date,
  setTimeout: realSetTimeout,
  clearTimeout: realClearTimeout,
  setInterval: globalThis.setInterval,
  clearInterval: globalThis.clearInterval,
} as const;

function toTimestamp(start: number | string | Date | null | undefined): number {
  if (start instanceof Date) return start.valueOf();
  if (typeof start === "number") return Math.floor(start);
  if (typeof start === "string") return new Date(start).valueOf();
  return Date.now();
}

function install(now: number): Clock {
  // Bound to our global object: an npm module in Deno sees Node's timers instead.
  const clock = withGlobal(globalThis).install({
    now,
    toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
  });
  AbortSignal.timeout = (ms: number): AbortSignal => {
    const controller = new AbortController();
    clock.setTimeout(() => controller.abort(new DOMException("Signal timed out.", "TimeoutError")), ms);
    return controller.signal;
  };
  return clock;
}
