import type { PageEnvironment } from "./environment/environment.ts";
import { toIsoTimestamp } from "./environment/time.ts";
import type { Snapshot } from "./snapshot.ts";
import { utf8Length } from "./utf8.ts";
import { SDK_NAME, SDK_VERSION } from "./version.ts";

/** A context field of more UTF-16 units is left out, so that none costs an event. */
export const MAX_CONTEXT_FIELD_LENGTH = 8192;

/** What an event is fixed to at the call or navigation that it stands for. */
export interface Moment {
  /** Time in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** URL of the page. */
  readonly url: string;
  /** Referrer of the page; empty when unknown. */
  readonly referrer: string;
  /** JSON text of `sessionId` and `identity`, with a comma before; empty for an aggregate. */
  readonly owner: string;
  /** Event ID. */
  readonly id: string;
}

/** A finished event: its JSON text (SPEC 2.6, 2.8) in two parts. */
export interface CapturedEvent {
  /** What is its own: ID, name, time and properties. */
  readonly text: string;
  /** The rest, with a comma before: page, session and identity, as most events around it have them. */
  readonly tail: string;
  /** UTF-8 bytes of both. */
  readonly bytes: number;
  /** Time of the call or navigation that it stands for, in milliseconds since the Unix epoch. */
  readonly timeMs: number;
}

/** Makes events of moments. */
export interface Capture {
  /** Returns the event of a moment. Title and screen are read now, unless it's an aggregate. */
  capture(moment: Moment, name: string, properties?: Pick<Snapshot, "text" | "extraBytes">): CapturedEvent;
  /** Forgets the page and the visitor of the last event. */
  forget(): void;
}

/** What an event says of its page, visitor and time, and how. */
interface Surroundings {
  readonly url?: string;
  readonly referrer?: string;
  readonly title?: string | undefined;
  readonly width?: number | undefined;
  readonly height?: number | undefined;
  readonly owner?: string;
  readonly text: string;
  readonly bytes: number;
  timeMs?: number;
  timestamp?: string;
}

const NOTHING: Surroundings = { text: "", bytes: 0 };

/** Creates the capture of events. */
export function createCapture(environment: PageEnvironment): Capture {
  /** Of the last event: the next one mostly says the same. */
  let last = NOTHING;
  return {
    capture({ id, timeMs, url, referrer, owner }, name, { text: properties, extraBytes = 0 } = {}) {
      const title = orAbsent(owner && environment.title());
      const { width, height } = owner ? environment.screen() : ({} as Partial<ReturnType<typeof environment.screen>>);
      const isSame = url === last.url && referrer === last.referrer && title === last.title && width === last.width &&
        height === last.height && owner === last.owner;
      if (!isSame) {
        const text = `,"context":${
          JSON.stringify({
            sdkName: SDK_NAME,
            sdkVersion: SDK_VERSION,
            pageUrl: orAbsent(url),
            referrer: orAbsent(referrer),
            pageTitle: title,
            screenWidth: Number.isFinite(width) ? width : undefined, // a page can replace `screen`
            screenHeight: Number.isFinite(height) ? height : undefined,
          })
        }${owner}}`;
        last = { url, referrer, title, width, height, owner, text, bytes: utf8Length(text) };
      }
      if (timeMs !== last.timeMs) {
        last.timeMs = timeMs;
        last.timestamp = toIsoTimestamp(timeMs);
      }
      const head = `{"id":"${id}","name":${JSON.stringify(name)},"timestamp":"${last.timestamp}"`;
      const own = properties ? `,"properties":${properties}` : "";
      return {
        text: flatten(head + own),
        tail: last.text,
        timeMs,
        // Counted in parts, since counting takes longer than writing, and most of it was counted before.
        bytes: head.length + utf8Length(name) - name.length + last.bytes + own.length + extraBytes,
      };
    },
    forget() {
      last = NOTHING;
    },
  };
}

/**
 * Returns the same text, in one piece in memory: engines put off copying the parts together until a character is read,
 * which is a matter of nanoseconds now, and for a thousand events one of milliseconds while the page goes.
 */
function flatten(text: string): string {
  return text[0] ? text : "";
}

/** A page may have clobbered `document.title` with an element of that name: only text counts. */
function orAbsent(value: unknown): string | undefined {
  return typeof value === "string" && value && value.length <= MAX_CONTEXT_FIELD_LENGTH ? value : undefined;
}
