/** The signals that end the demo. */
export interface EndSignal {
  /** Resolves at the first of them. */
  readonly received: Promise<void>;
  /** Gives the signals back to the platform. */
  release(): void;
}

// A closed terminal sends SIGHUP: without it the temporary database would stay behind.
const SIGNALS: readonly Deno.Signal[] = Deno.build.os === "windows" ? ["SIGINT"] : ["SIGINT", "SIGTERM", "SIGHUP"];

/**
 * Listens for the signals that end the demo. They stay ours until released: `deno task` passes a Ctrl-C on that
 * the terminal has sent already, and the second would kill the process in the middle of its clean-up.
 */
export function untilSignal(): EndSignal {
  const { promise, resolve } = Promise.withResolvers<void>();
  const listener = (): void => resolve();
  for (const signal of SIGNALS) Deno.addSignalListener(signal, listener);
  return {
    received: promise,
    release(): void {
      for (const signal of SIGNALS) Deno.removeSignalListener(signal, listener);
    },
  };
}
