import type { PageEnvironment } from "./environment/environment.ts";
import { toIsoTimestamp } from "./environment/time.ts";
import { MAX_CONTEXT_FIELD_LENGTH, MAX_QUEUE_EVENTS } from "./limits.ts";
import type { FinishedEvent } from "./queue.ts";
import type { Report } from "./report.ts";
import { SDK_NAME, SDK_VERSION } from "./version.ts";
import type { Visitor } from "./visitor.ts";

/** An event's context (SPEC 2.5) before it's checked: a page may have put something else in place of its title. */
export interface DraftContext {
  /** URL of the page. That of a pageview can change while a redirect is awaited. */
  pageUrl: string;
  /** Referrer of the page; empty when unknown. */
  readonly referrer: string;
  /** Title of the page. */
  pageTitle?: unknown;
  /** Width of the screen in CSS pixels. */
  readonly screenWidth?: unknown;
  /** Height of the screen in CSS pixels. */
  readonly screenHeight?: unknown;
}

/** What an event keeps of its call or navigation until it's finished: all that can change after it. */
export interface Draft {
  /** Name of the event. */
  readonly name: string;
  /** Properties as JSON text. */
  readonly properties?: string | undefined;
  /** Time in milliseconds since the Unix epoch. */
  readonly timeMs: number;
  /** What it says of the page, as the page says it. Capture fills in the title of a pageview that awaits it. */
  readonly context: DraftContext;
  /** The user's identity as JSON text; absent from an aggregate. */
  readonly user?: string;
}

/** The drafts of the page, oldest first, and how they become events. */
export interface Capture {
  /** Takes a draft. One that `isOpen` awaits its title or a redirect: it and what comes after it wait until it's settled. */
  add(draft: Draft, isOpen?: boolean): void;
  /** Gives the open pageview another URL: it awaits its title anew. Returns whether there is one. */
  redirect(url: string): boolean;
  /** Ends the wait of the open pageview; a full one gets the title that the page has now. Returns its URL. */
  settle(): string | undefined;
  /** Takes a draft back. Returns whether it was still one. */
  withdraw(draft: Draft | undefined): boolean;
  /** Returns how many drafts wait. */
  size(): number;
  /** Makes events of the drafts before the open pageview. Uses storage, under granted consent alone. */
  finish(): readonly FinishedEvent[];
  /** Forgets all drafts, unread. */
  clear(): void;
}

/** What capture works with. */
export interface CaptureOptions {
  /** Whom events belong to. */
  readonly visitor: Visitor;
  /** Where messages go. */
  readonly report: Report;
  /** Hears of each draft; `isOpen` says that it isn't ready. */
  readonly onDraft: (isOpen: boolean) => void;
}

/** Creates the capture of a page's events. */
export function createCapture(page: PageEnvironment, { visitor, report, onDraft }: CaptureOptions): Capture {
  let drafts: Draft[] = [];
  let opened: Draft | undefined;

  const finishOne = ({ name, properties, timeMs, context, user }: Draft): FinishedEvent => {
    const fields: Record<string, unknown> = { sdkName: SDK_NAME, sdkVersion: SDK_VERSION, ...context };
    for (const key in fields) if (!isFit(fields[key])) fields[key] = undefined;
    return {
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
        drafts.shift();
        report.drop("queue_full", 1);
      }
      report.debug(`recorded: ${draft.name}`);
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
    withdraw(draft) {
      if (draft === opened) opened = undefined;
      const { length } = drafts;
      drafts = drafts.filter((each) => each !== draft);
      return drafts.length < length;
    },
    size: () => drafts.length,
    finish() {
      return drafts.splice(0, opened ? drafts.indexOf(opened) : drafts.length).map(finishOne);
    },
    clear() {
      report.drop("consent", drafts.length);
      drafts = [];
      opened = undefined;
    },
  };
}

/** Returns whether a context field can stay; the others are left out, so that none costs an event. */
function isFit(value: unknown): boolean {
  return typeof value === "string" ? !!value && value.length <= MAX_CONTEXT_FIELD_LENGTH : Number.isFinite(value);
}
