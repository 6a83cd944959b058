import type { PageEnvironment } from "./environment/environment.ts";
import { toIsoTimestamp } from "./environment/time.ts";
import { SDK_NAME, SDK_VERSION } from "./version.ts";

/** A context field of more UTF-16 units is left out, so that none costs an event (CONTRACT 11). */
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

/**
 * Turns a moment into the JSON text of a finished event (SPEC 2.6, 2.8, CONTRACT 12). Title and screen are read
 * now, unless it's an aggregate.
 */
export type Capture = (moment: Moment, name: string, properties?: string) => string;

/** Creates the capture of events. */
export function createCapture(environment: PageEnvironment): Capture {
  return ({ id, timeMs, url, referrer, owner }, name, properties) => {
    const { width, height } = owner ? environment.screen() : ({} as Partial<ReturnType<typeof environment.screen>>);
    const event = {
      id,
      name,
      timestamp: toIsoTimestamp(timeMs),
      context: {
        sdkName: SDK_NAME,
        sdkVersion: SDK_VERSION,
        pageUrl: orAbsent(url),
        referrer: orAbsent(referrer),
        pageTitle: orAbsent(owner && environment.title()),
        screenWidth: width,
        screenHeight: height,
      },
    };
    return `${JSON.stringify(event).slice(0, -1)}${owner}${properties ? `,"properties":${properties}` : ""}}`;
  };
}

/** A page may have clobbered `document.title` with an element of that name: only text counts. */
function orAbsent(value: unknown): string | undefined {
  return typeof value === "string" && value && value.length <= MAX_CONTEXT_FIELD_LENGTH ? value : undefined;
}
