import process from "node:process";

/** The signals that end a server. */
export interface EndSignal {
  /** Resolves at the first of them, to its name. */
  readonly received: Promise<string>;
  /** Gives the signals back to the platform: the next one ends the process at once. */
  release(): void;
}

// A closed terminal sends SIGHUP, also on its way through `deno task`.
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** Listens for the signals that end a server. They stay ours until released. */
export function untilSignal(): EndSignal {
  let release = (): void => {};
  const received = new Promise<string>((resolve) => {
    const listeners = SIGNALS.map((signal) => {
      const listener = (): void => resolve(signal);
      process.on(signal, listener);
      return () => process.off(signal, listener);
    });
    release = () => listeners.forEach((stop) => stop());
  });
  return { received, release };
}
