import process from "node:process";

/** The signals that end a server. */
export interface EndSignal {
  /** Resolves at the first of them, to its name. */
  readonly received: Promise<string>;
  /** Gives the signals back to the platform: the next one ends the process at once. */
  release(): void;
}

/**
 * Listens for the signals that end a server. They stay ours until released: `deno task` passes a Ctrl-C on that the
 * terminal has sent already, and the second would kill the process in the middle of its clean-up.
 */
export function untilSignal(): EndSignal {
  // A closed terminal sends SIGHUP.
  const signals = process.platform === "win32" ? ["SIGINT"] : ["SIGINT", "SIGTERM", "SIGHUP"];
  let release = (): void => {};
  const received = new Promise<string>((resolve) => {
    const listeners = signals.map((signal) => {
      const listener = (): void => resolve(signal);
      process.on(signal, listener);
      return () => process.off(signal, listener);
    });
    release = () => listeners.forEach((stop) => stop());
  });
  return { received, release };
}
