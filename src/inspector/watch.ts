import type { PageEnvironment } from "../environment/environment.ts";
import type { Inside } from "../inside.ts";
import type { DropCounts } from "../report.ts";
import type { ConsentState } from "../types.ts";
import { readAnswer } from "./answers.ts";
import { createCallLines, type Method, METHODS } from "./call_lines.ts";
import { readDevice, type StoredKey } from "./device.ts";
import { createEntries, type Entry } from "./entries.ts";
import { createEventLines, type Owner } from "./event_lines.ts";
import { createHooks } from "./hooks.ts";

/** A client in a page. */
export interface Watchable extends Inside {
  readonly environment: PageEnvironment;
}

/** What is watched of a client. */
export interface Watched extends Watchable {
  /** Returns its consent. */
  getConsent(): ConsentState;
  /** Counts what it dropped, redacted events too; the client of the script tag has none. */
  readonly drops?: (() => DropCounts) | undefined;
}

/** How things are. */
export interface Status {
  /** State of consent. */
  readonly consent: ConsentState;
  /** Whom the newest event belongs to; undefined without consent, and before the first event. */
  readonly owner: Owner | undefined;
  /** What is on the device; undefined without consent, since nobody looks then. */
  readonly stored: readonly StoredKey[] | undefined;
  /** Events in the queue. */
  readonly waiting: number;
  /** Events in requests. */
  readonly underWay: number;
  /** Milliseconds until the next attempt after a failure; 0 where there was none. */
  readonly retryMs: number;
  /** Events that were dropped, by reason. */
  readonly drops: DropCounts;
}

/** A client that is watched. */
export interface Watch {
  /** Returns the calls, events and messages, oldest first. */
  entries(): readonly Entry[];
  /** Returns how things are now. */
  status(): Status;
  /** Forgets the calls, events and messages, but for events that aren't done. */
  clear(): void;
  /** Sets who hears of each change. */
  onChange(listener: () => void): void;
  /** Leaves the client as it was. */
  close(): void;
}

/** Returns whether these are the parts of a client of this version, in a page. */
export function isWatchable(inside: Partial<Inside> | undefined): inside is Watchable {
  const { environment, report, capture, queue } = inside ?? {};
  return !!environment?.canCollect && !!report?.debug && !!capture?.add && !!queue?.append;
}

/**
 * Watches a client: methods of its parts are replaced by some that do the same and tell.
 *
 * @param operations Where the application's calls arrive.
 */
export function watchClient(operations: object, watched: Watched): Watch {
  const { environment, report, capture, queue, getConsent } = watched;
  const { look, replace, release } = createHooks();
  let listener = (): void => {};
  const entries = createEntries(() => listener());
  const now = (): number => environment.now();
  const elapsed = (): number => environment.elapsed();
  const soon = (task: () => void): void => void Promise.resolve().then(() => look(task));
  const events = createEventLines({ entries, capture, queue, now, soon });
  const { forgetOwner: onReset, setUser: onUser, redacted: onRedacted } = events;
  const calls = createCallLines({ entries, now, elapsed, onReset, onUser, onRedacted });
  /** While the report talks to itself: it warns of drops, and turns repeated warnings into messages. */
  let isReporting = false;
  const quietly = (task: () => void): void => {
    const wasReporting = isReporting;
    isReporting = true;
    try {
      task();
    } finally {
      isReporting = wasReporting;
    }
  };

  look(() => events.adopted(queue.batches().flatMap((batch) => batch.events)));
  replace(() => report.debug, (next) => report.debug = next, (debug) => (message) => {
    if (!isReporting) look(() => calls.told(message));
    debug(message);
  });
  replace(() => report.warn, (next) => report.warn = next, (warn) => (message) => {
    if (!isReporting) look(() => calls.warned(message));
    quietly(() => warn(message));
  });
  replace(() => report.drop, (next) => report.drop = next, (drop) => (reason, amount) => {
    look(() => {
      if (reason === "too_large") calls.tooLarge();
      events.dropped(reason, amount);
    });
    quietly(() => drop(reason, amount));
  });
  replace(() => capture.add, (next) => capture.add = next, (add) => (draft, isOpen) => {
    look(() => events.drafted(draft));
    add(draft, isOpen);
  });
  replace(() => capture.withdraw, (next) => capture.withdraw = next, (withdraw) => (draft) => {
    const isWithdrawn = withdraw(draft);
    if (isWithdrawn) look(() => events.withdrawn(draft));
    return isWithdrawn;
  });
  replace(() => capture.finish, (next) => capture.finish = next, (finish) => () => {
    const finished = finish();
    look(() => events.finished(finished.map(({ text }) => text)));
    return finished;
  });
  replace(() => queue.append, (next) => queue.append = next, (append) => (event) => {
    look(() => events.appended(event.text));
    append(event);
  });
  replace(() => queue.withdraw, (next) => queue.withdraw = next, (withdraw) => () => {
    const text = look(() => queue.batches().at(-1)?.events.at(-1));
    const isWithdrawn = withdraw();
    if (isWithdrawn && text) look(() => events.takenBack(text));
    return isWithdrawn;
  });
  replace(() => queue.add, (next) => queue.add = next, (add) => (batch) => {
    look(() => events.adopted(batch.events));
    add(batch);
    look(events.moved);
  });
  replace(() => environment.send, (next) => environment.send = next, (send) => (request, onAnswer) => {
    const flight = look(() => events.sent(request.body));
    if (!flight) return send.call(environment, request, onAnswer);
    calls.endWait();
    const { result: abort, text } = readAnswer(() =>
      send.call(environment, request, (answer) => {
        look(() => flight.answered(answer));
        onAnswer(answer);
      })
    );
    text.then((body) => look(() => flight.explained(body)));
    return () => {
      // The client aborts what is answered, too: that would end the second reading.
      if (flight.isAnswered()) text.then(abort);
      else abort();
      look(flight.aborted);
    };
  });
  const methods = operations as Record<Method, (...args: unknown[]) => unknown>;
  for (const method of METHODS) {
    if (typeof methods[method] !== "function") continue;
    replace(() => methods[method], (next) => methods[method] = next, (original) => (...args) => {
      const call = look(() => calls.begin(method, args));
      try {
        const result = original(...args);
        look(() => call?.done(getConsent()));
        return result;
      } catch (error) {
        look(() => call?.failed(error));
        throw error;
      } finally {
        call?.end();
      }
    });
  }

  return {
    entries: entries.list,
    status() {
      const consent = getConsent();
      if (consent !== "granted") events.forgetOwner();
      if (consent === "denied") calls.endWait();
      return {
        consent,
        owner: events.owner(),
        stored: consent === "granted" ? look(() => readDevice(environment)) : undefined,
        waiting: queue.batches().reduce((sum, batch) => sum + batch.events.length, 0),
        underWay: events.underWay(),
        retryMs: Math.max(0, calls.retryAtMs() - elapsed()),
        drops: (watched.drops ?? report.drops)(),
      };
    },
    clear: () => entries.clear(["recorded", "waiting", "sent"]),
    onChange(next) {
      listener = next;
    },
    close() {
      listener = () => {};
      release();
    },
  };
}
