/** `FakeTime` of `@std/testing/time` over `@sinonjs/fake-timers`, for machines that reach npm but not JSR. */
import { type Clock, withGlobal } from "@sinonjs/fake-timers";

/** Replaces `Date`, `setTimeout`, `setInterval` and their clearing twins until restored. */
export class FakeTime {
  readonly #clock: Clock;

  /** Starts at the given time, by default the current one. */
  constructor(now: number = Date.now()) {
    // Bound to our global object: an npm module in Deno sees Node's timers instead.
    this.#clock = withGlobal(globalThis).install({
      now,
      toFake: ["Date", "setTimeout", "clearTimeout", "setInterval", "clearInterval"],
    });
  }

  /** The fake time in milliseconds since the Unix epoch. */
  get now(): number {
    return this.#clock.now;
  }

  /** Lets promises run, then moves the time forwards and runs the timers that come due. */
  async tickAsync(ms: number): Promise<void> {
    await this.#clock.tickAsync(ms);
  }

  /** Restores the real time. */
  restore(): void {
    this.#clock.uninstall();
  }

  /** Restores the real time at the end of a `using` block. */
  [Symbol.dispose](): void {
    this.restore();
  }
}
