import { attempt, later } from "./base/attempt.ts";
import type { Environment, LogLevel } from "./platform/environment.ts";
import type { ResolvedConfig } from "./config.ts";
import type { Change } from "./hooks.ts";

/** Messages of the SDK to the developer, prefixed `[Vendor]` (SPEC 2.1). */
export interface Messages {
  /** Puts a change into words. Warnings come once per kind, whatever `debug` is; everything else while it's on. */
  hear(change: Change): void;
  /** Takes `debug` of a configuration, and writes under it where events go: the endpoint may have been left out. */
  configure(config: ResolvedConfig): void;
}

/** Creates messages to the console of an environment. */
export const createMessages: (environment: Environment) => Messages = ((environment) => {
  const warned: string[] = [];
  let isDebug = false;
  let isLogging = false;
  const log = (level: LogLevel, message: string): void => {
    if (isLogging) return; // a page that tracks what is written to its console
    // In a turn of its own: a console that calls the SDK must not get in between two of its statements.
    later(() => {
      isLogging = true;
      attempt(() => environment.log(level, `[Vendor] ${message}`));
      isLogging = false;
    });
  };
  const debug = (message: string): void => {
    if (isDebug) log("log", message);
  };
  const warn = (message: string, kind = message): void => {
    if (warned.includes(kind)) return debug(message);
    warned.push(kind);
    log("warn", message);
  };
  return {
    hear: ((change) => {
      switch (change.type) {
        case "warned":
          return warn(change.message, change.kind);
        case "called":
          if (!change.problem) return debug(`${change.method}() done`);
          return (change.isHeld ? debug : warn)(`${change.method}() ignored: ${change.problem}`);
        case "dropped": {
          // The visitor or a rule wanted it, or something else tells of it.
          const isLoss = (change.draft ?? change.batch) && !/consent|stopped|redacted/.test(change.reason);
          if (change.amount) (isLoss ? warn : debug)(`events dropped: ${change.reason}`);
          return;
        }
        case "recorded":
          return debug(`recorded: ${change.draft.name}`);
        case "sent":
          return debug(`sent: ${change.batch.events.length} events`);
        case "answered":
          return debug(`answered: ${change.answer.status}`);
        case "consent":
          return debug(`consent: ${change.state}`);
        case "waiting":
          return debug(`waiting: ${change.delayMs | 0} ms`);
      }
    }) satisfies Messages["hear"],
    configure(config) {
      isDebug = config.debug;
      debug(`endpoint: ${config.endpoint}`);
    },
  };
}) satisfies typeof createMessages;
