import process from "node:process";
import { isatty } from "node:tty";

/** The signal that ends a server. */
export interface EndSignal {
  /** Resolves at the first signal to its name, or when npm is gone that started us. */
  readonly received: Promise<string>;
  /** Gives the signals back to the platform: the next one ends the process at once. */
  release(): void;
}

/** Options of {@linkcode untilSignal}. */
export interface SignalOptions {
  /**
   * Hears SIGHUP, which then ends nothing.
   *
   * @default {none: SIGHUP ends a server whose input is a terminal}
   */
  readonly onHangUp?: () => void;
}

/** Descriptor of the standard input. */
const STDIN = 0;

/** Set by npm for what it starts. */
const NPM_VARIABLE = "npm_lifecycle_event";

/** Between two looks at the process above us. */
const CHECK_INTERVAL_MS = 250;

/**
 * Listens for the signals that end a server. They stay ours until released: `deno task` passes a Ctrl-C on that the
 * terminal has sent already, and the second would kill the process in the middle of its clean-up.
 */
export function untilSignal({ onHangUp }: SignalOptions = {}): EndSignal {
  // A closed terminal sends SIGHUP. Node and Deno undo what `nohup` has set; but that takes the terminal away from the
  // input, and so do service managers.
  const isInTerminal = isatty(STDIN);
  const signals = process.platform === "win32" ? ["SIGINT"] : ["SIGINT", "SIGTERM", "SIGHUP"];
  let release = (): void => {};
  const received = new Promise<string>((resolve) => {
    const stops = signals.map((signal) => {
      const listener = (): void => {
        if (signal !== "SIGHUP") resolve(signal);
        else if (onHangUp) onHangUp();
        else if (isInTerminal) resolve(signal);
      };
      process.on(signal, listener);
      return (): void => void process.off(signal, listener);
    });
    stops.push(onNpmGone(() => resolve("npm has ended")));
    release = () => stops.forEach((stop) => stop());
  });
  return { received, release };
}

/** npm passes a SIGTERM to its shell alone: the end of what started us stands for the signal. */
function onNpmGone(listener: () => void): () => void {
  if (process.env[NPM_VARIABLE] === undefined) return () => {};
  const parent = process.ppid;
  const watch = setInterval(() => {
    if (process.ppid !== parent) listener();
  }, CHECK_INTERVAL_MS);
  return () => clearInterval(watch);
}
