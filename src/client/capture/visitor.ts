import { isId } from "../base/is_id.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS, SESSION_WRITE_MS } from "../base/limits.ts";
import type { PageEnvironment } from "../platform/environment.ts";

/** Prefix of every key that the SDK writes on the device. */
export const STORAGE_PREFIX = "vendor.sdk.";

/** Where the `anonymousId` lies. Its removal is how the pages of an origin tell each other of a denial. */
export const VISITOR_KEY: string = "vendor.sdk.visitor";

/** Where the session lies: its ID, its start and its last event, in milliseconds since the Unix epoch. */
export const SESSION_KEY: string = "vendor.sdk.session";

/** Who the visitor is, and which visit this is. `meet()` and `touch()` use storage: granted consent alone. */
export interface Visitor {
  /** Returns the members of the user's identity as JSON text, for a draft. */
  user(): string;
  /** Sets the user, or nobody, and replaces the traits, a JSON text, wholesale. */
  identify(userId: string | null, traits?: string): void;
  /** Forgets the user; next come a new `anonymousId` and a new session. */
  reset(): void;
  /** Forgets the identifiers. They are read again when they are needed. */
  forget(): void;
  /** Reads the `anonymousId`, or makes one, also where the page cleared its storage since. */
  meet(): void;
  /** Returns the JSON text of `sessionId` and `identity` for an event of a user at a time: the session goes on. */
  touch(nowMs: number, user: string): string;
  /** Returns whether the `anonymousId` on the device differs from the one that this page has there, or is missing. */
  isOther(stored: string | null): boolean;
  /** Stops the use of storage: the events that remain belong to the visitor before. */
  detach(): void;
}

/** What is known of the visitor. */
type Known =
  /** Nothing: the device is asked when it's needed. */
  | { readonly is: "unknown" }
  /** Nothing, and what the device has is somebody else's: after `reset()`. */
  | { readonly is: "new" }
  /** The `anonymousId`: the device has it, or refused it, or has another visitor's by now. */
  | { readonly is: "stored" | "memory" | "former"; readonly anonymousId: string };

interface Session {
  readonly id: string;
  readonly startedMs: number;
  lastMs: number;
  writtenMs: number;
}

const UNKNOWN: Known = { is: "unknown" };

/** Creates a visitor who isn't known yet. */
export function createVisitor(page: PageEnvironment): Visitor {
  const { storage } = page;
  let user = '"userId":null';
  let known: Known = UNKNOWN;
  let session: Session | undefined;

  /** Returns the `anonymousId`; reads or makes it where it isn't known. */
  const findId = (): string => {
    if ("anonymousId" in known) return known.anonymousId;
    const isNew = known.is === "new";
    const stored = isNew ? "" : storage.get(VISITOR_KEY) ?? "";
    const anonymousId = isId(stored) ? stored : page.randomId();
    const isStored = anonymousId === stored || storage.set(VISITOR_KEY, anonymousId);
    known = { is: isStored ? "stored" : "memory", anonymousId };
    // The session of the visitor before must go on in no tab.
    if (isNew) storage.remove(SESSION_KEY);
    return anonymousId;
  };
  const findSession = (nowMs: number, isWritten: boolean): Session => {
    if (isAlive(session, nowMs)) return session;
    // Another tab may have kept the session going, or started the next one.
    const stored = isWritten ? parseSession(storage.get(SESSION_KEY) ?? "", nowMs) : undefined;
    return isAlive(stored, nowMs) ? stored : { id: page.randomId(), startedMs: nowMs, lastMs: nowMs, writtenMs: 0 };
  };
  const visitor: Visitor = {
    user: () => user,
    identify(userId, traits) {
      user = `"userId":${JSON.stringify(userId)}${traits ? `,"traits":${traits}` : ""}`;
    },
    reset() {
      visitor.identify(null);
      visitor.forget();
      known = { is: "new" };
    },
    forget() {
      if (known.is !== "new") known = UNKNOWN;
      session = undefined;
    },
    meet() {
      // Where the page itself cleared its storage nobody tells, and a denial by another page would pass unheard.
      if (known.is === "stored" && !storage.get(VISITOR_KEY)) visitor.forget();
      findId();
    },
    touch(nowMs, owner) {
      const anonymousId = findId();
      const isWritten = known.is !== "former";
      session = findSession(nowMs, isWritten);
      session.lastMs = nowMs;
      if (isWritten && Math.abs(nowMs - session.writtenMs) >= SESSION_WRITE_MS) {
        session.writtenMs = nowMs;
        storage.set(SESSION_KEY, `${session.id} ${session.startedMs} ${nowMs}`);
      }
      return `,"sessionId":"${session.id}","identity":{${owner},"anonymousId":"${anonymousId}"}`;
    },
    isOther: (stored) => known.is === "stored" && known.anonymousId !== stored,
    detach() {
      if (known.is === "stored") known = { is: "former", anonymousId: known.anonymousId };
    },
  };
  return visitor;
}

function isAlive(session: Session | undefined, nowMs: number): session is Session {
  return !!session && nowMs - session.startedMs < SESSION_MAX_MS && nowMs - session.lastMs < SESSION_IDLE_MS;
}

/** Times in the future come from a clock that was set back since, and count as now. */
function parseSession(text: string, nowMs: number): Session | undefined {
  const [id = "", started, last] = text.split(" ");
  if (!isId(id)) return;
  return {
    id,
    startedMs: Math.min(Number(started), nowMs),
    lastMs: Number(last),
    writtenMs: Number(last),
  };
}
