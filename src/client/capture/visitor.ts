import { isId } from "../base/is_id.ts";
import { SESSION_KEY, VISITOR_KEY } from "../base/keys.ts";
import { SESSION_IDLE_MS, SESSION_MAX_MS, SESSION_WRITE_MS } from "../base/limits.ts";
import type { PageEnvironment } from "../platform/environment.ts";

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
  /** Returns whether the device has another `anonymousId` by now than this page has there, or none. */
  isOther(): boolean;
  /** Stops the use of storage: the events that remain belong to the visitor before. */
  stop(): void;
}

/** Knowledge of the visitor. */
type Known =
  /** Nothing: the device is asked when it's needed. */
  | "unknown"
  /** Nothing, and what the device has is somebody else's: after `reset()`. */
  | "new"
  /** The `anonymousId`, which the device has. */
  | "stored"
  /** The `anonymousId`, which the device refused, or has another in place of by now: nothing more is written. */
  | "memory";

/** ID, start and last event, and when these were last written. */
type Session = readonly [id: string, startedMs: number, lastMs: number, writtenMs: number];

const NO_SESSION: Session = ["", 0, 0, 0];

/** Creates a visitor who isn't known yet. */
export const createVisitor: (page: PageEnvironment) => Visitor = ((page) => {
  const { storage } = page;
  let user = '"userId":null';
  let known: Known = "unknown";
  /** Empty while it isn't known. */
  let anonymousId = "";
  let session = NO_SESSION;

  const visitor: Visitor = {
    user: () => user,
    identify(userId, traits) {
      user = `"userId":${JSON.stringify(userId)}${traits ? `,"traits":${traits}` : ""}`;
    },
    reset() {
      visitor.identify(null);
      visitor.forget();
      known = "new";
    },
    forget() {
      if (known !== "new") known = "unknown";
      anonymousId = "";
      session = NO_SESSION;
    },
    meet: (() => {
      const stored = (known !== "new" && storage.get(VISITOR_KEY)) || "";
      // Where the page itself cleared its storage nobody tells, and a denial by another page would pass unheard.
      if (known === "stored" && !stored) visitor.forget();
      if (anonymousId) return;
      // The session of the visitor before must go on in no tab.
      if (known === "new") storage.remove(SESSION_KEY);
      anonymousId = isId(stored) ? stored : page.randomId();
      known = anonymousId === stored || storage.set(VISITOR_KEY, anonymousId) ? "stored" : "memory";
    }) satisfies Visitor["meet"],
    touch(nowMs, owner) {
      if (!anonymousId) visitor.meet();
      const isWritten = known === "stored";
      // Another tab may have kept the session going, or started the next one.
      if (!isAlive(session, nowMs) && isWritten) {
        const [id = "", started, last] = `${storage.get(SESSION_KEY)}`.split(" ");
        // Times in the future come from a clock that was set back since, and count as now.
        session = [id, Math.min(Number(started), nowMs), Number(last), Number(last)];
      }
      if (!isAlive(session, nowMs)) session = [page.randomId(), nowMs, nowMs, 0];
      const [id, startedMs, , writtenMs] = session;
      const isDue = isWritten && Math.abs(nowMs - writtenMs) >= SESSION_WRITE_MS;
      if (isDue) storage.set(SESSION_KEY, `${id} ${startedMs} ${nowMs}`);
      session = [id, startedMs, nowMs, isDue ? nowMs : writtenMs];
      return `,"sessionId":"${id}","identity":{${owner},"anonymousId":"${anonymousId}"}`;
    },
    isOther: () => known === "stored" && anonymousId !== storage.get(VISITOR_KEY),
    stop() {
      known = "memory";
    },
  };
  return visitor;
}) satisfies typeof createVisitor;

function isAlive([id, startedMs, lastMs]: Session, nowMs: number): boolean {
  return isId(id) && nowMs - startedMs < SESSION_MAX_MS && nowMs - lastMs < SESSION_IDLE_MS;
}
