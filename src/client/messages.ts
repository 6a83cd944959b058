import { attempt, later } from "./base/attempt.ts";
import type { Environment, LogLevel } from "./platform/environment.ts";
import type { ResolvedConfig } from "./config.ts";
import type { Change } from "./hooks.ts";

/** Messages of the SDK to the developer, prefixed `[Vendor]` (SPEC 2.1). */
export interface Messages {
  /** Puts a change into words. Warnings come once per kind, whatever `debug` is; everything else while it's on. */
  tell(change: Change): void;
  /** Takes `debug` of a configuration, and writes under it where events go: the endpoint may have been left out. */
  init(config: ResolvedConfig): void;
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
    tell: ((change) => {
      const say = (what: string | number, log = debug): void => log(`${change.type}: ${what}`);
      switch (change.type) {
        case "warned":
          return warn(change.message, change.kind);
        case "called":
          if (!change.reason) return debug(`${change.method}() done`);
          return (change.isHeld ? debug : warn)(`${change.method}() ignored: ${change.reason}`);
        case "dropped":
          if (!change.amount) return;
          // No warning where the visitor or a rule wanted it, or something else tells of it: of a step over 32 KiB its call does.
          return say(
            change.reason,
            (change.draft || change.batch) && !/consent|stopped|redacted/.test(change.reason) ? warn : debug,
          );
        case "recorded":
          return say(change.draft.name);
        case "sent":
          return say(`${change.batch.events.length} events`);
        case "answered":
          return say(change.answer.status);
        case "consent":
          return say(change.state);
        case "waiting":
          return say(`${change.delayMs | 0} ms`);
      }
    }) satisfies Messages["tell"],
    init(config) {
      isDebug = config.debug;
      debug(`endpoint: ${config.endpoint}`);
    },
  };
}) satisfies typeof createMessages;
