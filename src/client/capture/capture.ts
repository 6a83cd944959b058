import type { PageEnvironment } from "../platform/environment.ts";
import { toIsoTimestamp } from "../platform/time.ts";
import { MAX_CONTEXT_FIELD_LENGTH, MAX_QUEUE_EVENTS } from "../base/limits.ts";
import type { Draft, FinishedEvent } from "../base/draft.ts";
import type { Tell } from "../hooks.ts";
import { SDK_NAME, SDK_VERSION } from "../base/version.ts";
import { pathOf } from "../base/url.ts";
import type { Visitor } from "./visitor.ts";

/** The drafts of the page, oldest first, and how they become events. */
export interface Capture {
  /** Takes a draft. One that `isOpen` awaits its title or a redirect: it and what comes after it wait until it's settled. */
  add(draft: Draft, isOpen?: boolean): void;
  /** Gives the open pageview another URL: it awaits its title anew. Returns whether there is one. */
  redirect(url: string): boolean;
  /** Ends the wait of the open pageview; a full one gets the title that the page has now. Returns its URL. */
  settle(): string | undefined;
  /** Takes a draft back, or what was made of it, as far as `recall` can. Returns whether it could be. */
  withdraw(draft: Draft | undefined, recall?: () => boolean): boolean;
  /** Returns how many drafts wait. */
  size(): number;
  /** Returns the oldest draft, unless it or what comes before it waits. */
  next(): Draft | undefined;
  /** Makes an event of a draft. Uses storage, under granted consent alone. */
  build(draft: Draft): FinishedEvent;
  /** Lets go of a draft. Returns whether it was still there. */
  take(draft: Draft): boolean;
  /** Forgets all drafts, unread. */
  clear(): void;
}

/** What capture works with. */
export interface CaptureOptions {
  /** Whom events belong to. */
  readonly visitor: Visitor;
  /** Hears of what happens to drafts. */
  readonly tell: Tell;
  /** Hears of each draft; `isOpen` says that it isn't ready. */
  readonly onDraft: (isOpen: boolean) => void;
}

/** Creates the capture of a page's events. */
export function createCapture(page: PageEnvironment, { visitor, tell, onDraft }: CaptureOptions): Capture {
  let drafts: Draft[] = [];
  let opened: Draft | undefined;

  const take = (draft: Draft): boolean => {
    const index = drafts.indexOf(draft);
    if (index < 0) return false;
    drafts.splice(index, 1);
    if (draft === opened) opened = undefined;
    return true;
  };
  const build = (draft: Draft): FinishedEvent => {
    const { name, properties, timeMs, context, user } = draft;
    const fields: Record<string, unknown> = {
      sdkName: SDK_NAME,
      sdkVersion: SDK_VERSION,
      ...context,
      pageUrl: shorten(context.pageUrl),
      referrer: shorten(context.referrer),
    };
    for (const key in fields) {
      const value = fields[key];
      const isFit = typeof value === "string"
        ? value && value.length <= MAX_CONTEXT_FIELD_LENGTH
        : Number.isFinite(value);
      if (!isFit) delete fields[key]; // so that none costs an event
    }
    return {
      draft,
      isAggregate: !user,
      text: `{"id":"${page.randomId()}","name":${JSON.stringify(name)},"timestamp":"${toIsoTimestamp(timeMs)}"${
        properties ? `,"properties":${properties}` : ""
      }${user ? visitor.touch(timeMs, user) : ""},"context":${JSON.stringify(fields)}}`,
    };
  };
  return {
    add(draft, isOpen = false) {
      if (isOpen) opened = draft;
      if (drafts.push(draft) > MAX_QUEUE_EVENTS) {
        tell({ type: "dropped", reason: "queue_full", amount: 1, draft: drafts.shift() });
      }
      tell({ type: "recorded", draft });
      onDraft(isOpen);
    },
    redirect(url) {
      if (!opened) return false;
      opened.context.pageUrl = url;
      onDraft(true);
      return true;
    },
    settle() {
      const settled = opened;
      if (settled?.user) settled.context.pageTitle = page.title();
      opened = undefined;
      return settled?.context.pageUrl;
    },
    withdraw(draft, recall) {
      if (!draft || !(take(draft) || recall?.())) return false;
      tell({ type: "withdrawn", draft });
      return true;
    },
    size: () => drafts.length,
    next: () => drafts[0] === opened ? undefined : drafts[0],
    build,
    take,
    clear() {
      tell({ type: "dropped", reason: "consent", amount: drafts.length });
      drafts = [];
      opened = undefined;
    },
  };
}

/** Returns a URL as it can stay: origin and path of one that is too long. */
function shorten(url: string): string {
  return url.length > MAX_CONTEXT_FIELD_LENGTH ? pathOf(url) : url;
}
