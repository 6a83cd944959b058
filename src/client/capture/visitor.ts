import type { PageEnvironment } from "../platform/environment.ts";
import { isId } from "../base/is_id.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS, SESSION_WRITE_MS } from "../base/limits.ts";

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

interface Session {
  readonly id: string;
  readonly startedMs: number;
  lastMs: number;
  writtenMs: number;
}

/** Creates a visitor who isn't known yet. */
export function createVisitor(page: PageEnvironment): Visitor {
  const { storage } = page;
  let user = '"userId":null';
  let anonymousId = "";
  /** Whether the device has it, so that it can vanish from there. */
  let isStored = false;
  let session: Session | undefined;
  /** After `reset()` what is stored is somebody else's. */
  let isNew = false;

  /** What is on the device belongs to the next visitor, and what is still finished here to the one before. */
  let isDetached = false;

  const read = (key: string): string => isNew || isDetached ? "" : storage.get(key) ?? "";
  const visitor: Visitor = {
    user: () => user,
    identify(userId, traits) {
      user = `"userId":${JSON.stringify(userId)}${traits ? `,"traits":${traits}` : ""}`;
    },
    reset() {
      visitor.identify(null);
      visitor.forget();
      isNew = true;
    },
    forget() {
      anonymousId = "";
      isStored = isDetached = false;
      session = undefined;
    },
    meet() {
      // Where the page itself cleared its storage nobody tells, and a denial by another page would pass unheard.
      if (isStored && !storage.get(VISITOR_KEY)) visitor.forget();
      if (anonymousId) return;
      anonymousId = read(VISITOR_KEY);
      isStored = isId(anonymousId);
      if (!isStored) {
        anonymousId = page.randomId();
        isStored = storage.set(VISITOR_KEY, anonymousId);
      }
      // The session of the visitor before must go on in no tab.
      if (isNew) storage.remove(SESSION_KEY);
      isNew = false;
    },
    touch(nowMs, owner) {
      if (!anonymousId) visitor.meet();
      // Another tab may have kept the session going, or started the next one.
      if (!isAlive(session, nowMs)) session = parseSession(read(SESSION_KEY), nowMs);
      if (!isAlive(session, nowMs)) session = { id: page.randomId(), startedMs: nowMs, lastMs: nowMs, writtenMs: 0 };
      session.lastMs = nowMs;
      if (!isDetached && Math.abs(nowMs - session.writtenMs) >= SESSION_WRITE_MS) {
        session.writtenMs = nowMs;
        storage.set(SESSION_KEY, `${session.id} ${session.startedMs} ${nowMs}`);
      }
      return `,"sessionId":"${session.id}","identity":{${owner},"anonymousId":"${anonymousId}"}`;
    },
    isOther: (stored) => isStored && stored !== anonymousId,
    detach() {
      isDetached = true;
    },
  };
  return visitor;
}

function isAlive(session: Session | undefined, nowMs: number): session is Session {
  return !!session && isId(session.id) && nowMs - session.startedMs < SESSION_MAX_MS &&
    nowMs - session.lastMs < SESSION_IDLE_MS;
}

/** Times in the future come from a clock that was set back since, and count as now. */
function parseSession(text: string, nowMs: number): Session {
  const [id = "", started, last] = text.split(" ");
  return {
    id,
    startedMs: Math.min(Number(started), nowMs),
    lastMs: Number(last),
    writtenMs: Number(last),
  };
}
