import type { PageEnvironment } from "./environment/environment.ts";

/** Prefix of every key that the SDK writes on the device. */
export const STORAGE_PREFIX = "vendor.sdk.";

/** A session ends after this time without an event. */
export const SESSION_IDLE_MS = 1_800_000;

/** A session ends after this time in all. */
export const SESSION_MAX_MS = 86_400_000;

/** A session's end is put off on the device at most this often. */
export const SESSION_WRITE_MS = 5000;

const VISITOR_KEY = `${STORAGE_PREFIX}visitor`;
const SESSION_KEY = `${STORAGE_PREFIX}session`;
const ANONYMOUS = '{"userId":null';

/** Who the visitor is, and which visit this is. */
export interface Visitor {
  /**
   * Returns the JSON text of `sessionId` and `identity` of an event at this time. Unless there is none (`isEvent`), the
   * session goes on from here. Reads and writes storage, under granted consent alone.
   */
  touch(nowMs: number, isEvent?: boolean): string;
  /** Sets the user and replaces the traits, a JSON text, wholesale. */
  identify(userId: string, traits?: string): void;
  /** Forgets the user, and whoever is stored: next come a new `anonymousId` and a new session. */
  reset(): void;
  /** Forgets what it read from the device, and the user too if `isAll`. */
  forget(isAll: boolean): void;
  /**
   * Follows what another page of the origin made of the visitor. Reads storage, under granted consent alone.
   *
   * @returns Whether the visitor is gone from the device: consent was denied there, and denial holds for the origin.
   */
  isGone(): boolean;
}

/** Creates a visitor who isn't known yet. */
export function createVisitor(environment: PageEnvironment): Visitor {
  const { storage } = environment;
  let user = ANONYMOUS;
  let isNew = false;
  let anonymousId: string | null = null;
  let session: Session | undefined;
  /** The text of both, until one of them changes. */
  let owner = "";
  const visitor: Visitor = {
    touch(nowMs, isEvent = true) {
      const read = (key: string): string => isNew ? "" : storage.get(key) ?? "";
      anonymousId ??= read(VISITOR_KEY);
      if (anonymousId.length !== 36) storage.set(VISITOR_KEY, anonymousId = environment.randomId());
      // Another tab may have kept the session going, or started the next one.
      if (!isAlive(session, nowMs)) {
        session = parse(read(SESSION_KEY), nowMs);
        owner = "";
      }
      if (!isAlive(session, nowMs)) {
        session = { id: environment.randomId(), startedMs: nowMs, lastMs: nowMs, writtenMs: 0 };
      }
      isNew = false;
      if (isEvent) session.lastMs = nowMs;
      const { id, startedMs, lastMs } = session;
      if (Math.abs(lastMs - session.writtenMs) >= SESSION_WRITE_MS) {
        session.writtenMs = lastMs;
        storage.set(SESSION_KEY, `${id} ${startedMs} ${lastMs}`);
      }
      return owner ||= `,"sessionId":${JSON.stringify(id)},"identity":${user},"anonymousId":${
        JSON.stringify(anonymousId)
      }}`;
    },
    identify(userId, traits) {
      user = `{"userId":${JSON.stringify(userId)}${traits ? `,"traits":${traits}` : ""}`;
      owner = "";
    },
    reset() {
      visitor.forget(true);
      isNew = true;
    },
    forget(isAll) {
      anonymousId = null;
      session = undefined;
      owner = "";
      if (isAll) user = ANONYMOUS;
    },
    isGone() {
      const stored = storage.get(VISITOR_KEY);
      if (!anonymousId || stored === anonymousId) return false;
      visitor.forget(false);
      anonymousId = stored;
      return !stored;
    },
  };
  return visitor;
}

interface Session {
  readonly id: string;
  readonly startedMs: number;
  lastMs: number;
  writtenMs: number;
}

function isAlive(session: Session | undefined, nowMs: number): session is Session {
  return session?.id.length === 36 && nowMs - session.startedMs < SESSION_MAX_MS &&
    nowMs - session.lastMs < SESSION_IDLE_MS;
}

/** Times in the future come from a clock that was set back since, and count as now. */
function parse(text: string, nowMs: number): Session {
  const [id = "", started, last] = text.split(" ");
  return {
    id,
    startedMs: Math.min(Number(started), nowMs),
    lastMs: Math.min(Number(last), nowMs),
    writtenMs: Number(last),
  };
}
