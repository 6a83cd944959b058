import { countDrops, type DropCounts } from "../../client/drop_counts.ts";
import type { PageEnvironment } from "../../client/platform/environment.ts";
import type { Change, Hooks } from "../../client/hooks.ts";
import type { Inside } from "../../client/inside.ts";
import type { ConsentState } from "../../client/base/types.ts";
import { readDevice, type StoredKey } from "./device.ts";
import { createEntries, type Entry, type EntryState } from "./entries.ts";
import { createEventLines, OPEN_STATES } from "./event_lines.ts";

/** The inside of a client in a page. */
export type WatchedInside = Pick<Inside, "hooks" | "batches"> & { readonly environment: PageEnvironment };

/** The client that is watched. */
export interface Watchable {
  /** Returns what it has inside: another instance may be put in its place, with the same hooks. */
  inside(): WatchedInside;
  /** Returns its consent. */
  getConsent(): ConsentState;
}

/** Whom an event belongs to. */
export interface Owner {
  /** The `anonymousId`. */
  readonly visitor: string;
  /** The `sessionId`. */
  readonly session: string;
  /** The `userId`; null while nobody is signed in. */
  readonly user: string | null;
}

/** The state of a client. */
export interface Status {
  /** State of consent. */
  readonly consent: ConsentState;
  /** Whom the newest event belongs to; undefined where the next one tells. */
  readonly owner: Owner | undefined;
  /** The SDK's keys on the device; undefined without consent, since nobody looks then. */
  readonly stored: readonly StoredKey[] | undefined;
  /** Events in the queue. */
  readonly waiting: number;
  /** Events in requests. */
  readonly underWay: number;
  /** Milliseconds until the next attempt after a failure; 0 where there was none. */
  readonly retryMs: number;
  /** Events that were dropped since it's watched, by reason. */
  readonly drops: DropCounts;
}

/** A client that is watched. */
export interface Watch {
  /** Hears of each change in the client. */
  hear(change: Change): void;
  /** Returns the calls, events and messages, oldest first. */
  entries(): readonly Entry[];
  /** Returns how things are now. */
  status(): Status;
  /** Forgets the calls, events and messages, but for events that aren't done with. */
  clear(): void;
  /** Sets who hears of each change of the entries. */
  onChange(listener: () => void): void;
}

/** Creates the lines and the state of a client that is watched from now on. */
export function createWatch({ inside, getConsent }: Watchable): Watch {
  let listener = (): void => {};
  const entries = createEntries(() => listener());
  const now = (): number => inside().environment.now();
  const elapsed = (): number => inside().environment.elapsed();
  const add = (name: string, state: EntryState, note = ""): number => entries.add({ timeMs: now(), name, state, note });
  const events = createEventLines(entries, now);
  let owner: Owner | undefined;
  /** When the next attempt is, by `elapsed()`; 0 where none is put off. */
  let retryAtMs = 0;

  const called = ({ method, argument, reason, isHeld }: Change & { readonly type: "called" }): void => {
    const name = `${method}(${typeof argument === "string" ? JSON.stringify(argument) : ""})`;
    if (reason) return void add(name, isHeld ? "held back" : "ignored", reason);
    if (method === "reset") owner = undefined;
    if (method === "identify") owner &&= { ...owner, user: `${argument}` };
    if (method !== "step") add(name, "done"); // an event has a line of its own
  };
  const hear = (change: Change): void => {
    events.hear(change);
    switch (change.type) {
      case "called":
        return called(change);
      case "warned":
        return void add("", "warning", change.message);
      case "queued": {
        const { sessionId, identity } = JSON.parse(change.event.text);
        if (identity) owner = { visitor: identity.anonymousId, session: sessionId, user: identity.userId };
        break;
      }
      case "sent":
        retryAtMs = 0;
        break;
      case "waiting":
        retryAtMs = elapsed() + change.delayMs;
        add("", "note", `the next attempt is in ${(change.delayMs / 1000).toFixed(1)} s`);
        break;
      case "consent":
        owner = undefined; // init() forgets the user
        if (change.state === "denied") retryAtMs = 0;
        add("", "note", `consent is ${change.state}`);
    }
  };
  const counted: Hooks = { beforeSend: [], on: [hear] };
  const drops = countDrops(counted);
  const look = (): void => events.find(inside().batches());

  look();
  return {
    hear: (change) => counted.on.forEach((each) => each(change)),
    entries() {
      look();
      return entries.list();
    },
    status() {
      look();
      const { environment, batches } = inside();
      const consent = getConsent();
      return {
        consent,
        owner,
        stored: consent === "granted" ? readDevice(environment) : undefined,
        waiting: batches().reduce((sum, batch) => sum + batch.events.length, 0),
        underWay: events.underWay(),
        retryMs: Math.max(0, retryAtMs - elapsed()),
        drops: drops(),
      };
    },
    clear: () => entries.clear(OPEN_STATES),
    onChange(next) {
      listener = next;
    },
  };
}
