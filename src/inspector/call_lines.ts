import type { Entries, EntryState } from "./entries.ts";

/** The methods whose arguments name what a message of the SDK doesn't. */
export const METHODS = ["init", "step", "identify", "reset", "page", "setConsent", "flush"] as const;

/** A method of a client. */
export type Method = typeof METHODS[number];

/** The lines of calls, warnings and messages: what the client tells the developer, with the call that it's about. */
export interface CallLines {
  /** Takes a lifecycle message. */
  told(message: string): void;
  /** Takes a warning. */
  warned(message: string): void;
  /** Takes the news that an event of the current call is too large. */
  tooLarge(): void;
  /** Says which call is carried out. */
  begin(method: Method, args: readonly unknown[]): Call;
  /** Returns when the next attempt is, by `elapsed()`; 0 where none is put off. */
  retryAtMs(): number;
  /** Forgets the wait, since a request left or nothing is to be sent any more. */
  endWait(): void;
}

/** A call that is carried out. */
export interface Call {
  /** It returned. */
  done(consent: string): void;
  /** It threw. */
  failed(error: unknown): void;
  /** What was the call before is it again. */
  end(): void;
}

/** What the lines are made with. */
export interface CallLinesOptions {
  /** The list. */
  readonly entries: Entries;
  /** Returns the time in milliseconds since the Unix epoch. */
  readonly now: () => number;
  /** Returns milliseconds since some moment of the page's life. */
  readonly elapsed: () => number;
  /** Hears that the client has another visitor now. */
  readonly onReset: () => void;
  /** Hears who the user is now; undefined where the call doesn't tell. */
  readonly onUser: (user: string | null | undefined) => void;
  /** Hears of an event that redaction dropped. */
  readonly onRedacted: (name: string) => void;
}

/** Creates the lines of calls. */
export function createCallLines(options: CallLinesOptions): CallLines {
  const { entries, now, elapsed, onReset, onUser, onRedacted } = options;
  /** The call that the client carries out, in words. */
  let current = "";
  /** Its first argument, where that is a text. */
  let argument: string | undefined;
  let lastMessage = "";
  let retryAtMs = 0;

  const add = (name: string, state: EntryState, note = ""): number => entries.add({ timeMs: now(), name, state, note });
  const waits = (delayMs: number): void => {
    retryAtMs = elapsed() + delayMs;
    add("", "note", `the next attempt is in ${(delayMs / 1000).toFixed(1)} s`);
  };
  const ended = (method: string, why: string | undefined, previous: string): void => {
    const name = current.startsWith(`${method}(`) ? current : `${method}()`;
    if (why) return void add(name, why.startsWith("consent is ") ? "held back" : "ignored", why);
    if (method === "reset") onReset();
    if (method === "identify") onUser(current.startsWith("identify(") ? argument : undefined);
    // Each of these has a line for what it recorded.
    if (method === "step" || (method === "page" && previous.startsWith("recorded: "))) return;
    add(name, "done", method === "page" ? "counts as the pageview that awaited its title" : "");
  };
  const lines: CallLines = {
    told(message) {
      const previous = lastMessage;
      lastMessage = message;
      const [, what, rest = ""] = /^(recorded|redacted|sent|answered|waiting): (.*)$/s.exec(message) ?? [];
      if (what === "redacted") return onRedacted(rest);
      if (what === "waiting") return waits(parseFloat(rest));
      if (what) return; // the event's own line says so
      const [, method, why] = /^(\w+)\(\) (?:done|ignored: (.*))$/.exec(message) ?? [];
      if (method) ended(method, why, previous);
      else add("", "note", message);
    },
    warned(message) {
      if (/^\w+\(\) ignored: /.test(message)) lines.told(message);
      else add(current, "warning", message);
    },
    tooLarge() {
      if (current.startsWith("step(")) add(current, "dropped", "too_large");
    },
    begin(method, args) {
      const outer = [current, argument] as const;
      // Nothing but texts is read: a getter of an argument may do anything.
      argument = typeof args[0] === "string" ? args[0] : undefined;
      current = `${method}(${argument === undefined ? "" : JSON.stringify(argument)})`;
      const key = method === "init" ? add(current, "done") : 0; // no message tells of it
      return {
        done(consent) {
          entries.change(key, { note: `consent: ${consent}` });
          if (method === "init") onUser(null);
        },
        failed: (error) => entries.change(key, { state: "ignored", note: `${error}` }),
        end() {
          [current, argument] = outer;
        },
      };
    },
    retryAtMs: () => retryAtMs,
    endWait() {
      retryAtMs = 0;
    },
  };
  return lines;
}
